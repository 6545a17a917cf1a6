package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"counterfoil/sandbox"
)

func (s *shell) sandbox() *cobra.Command {
	return group("sandbox", "Run the sandbox and make it misbehave", s.sandboxServe(), s.sandboxFault(), s.sandboxReset(), s.sandboxEffects())
}

// box is a sandbox as the command line handles it: the data directory's own, or
// one that runs elsewhere.
type box interface {
	AddFault(ctx context.Context, f sandbox.Fault) error
	ClearFaults(ctx context.Context) error
	Reset(ctx context.Context) error
	Account(ctx context.Context) (string, error)
	Effects(ctx context.Context) (sandbox.Books, error)
}

// onBox runs a command on the sandbox that the configuration means.
func (s *shell) onBox(do func(ctx context.Context, b box, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := s.configure(cmd)
		if err != nil {
			return err
		}
		if cfg.sandboxURL != "" {
			return do(context.Background(), newRemoteBox(cfg.sandboxURL), args)
		}
		w, err := s.worksOf(cfg)
		if err != nil {
			return err
		}
		defer w.Close()
		own, err := openBox(context.Background(), cfg, nil, w.log)
		if err != nil {
			return err
		}
		w.onClose(own.Close)
		return do(context.Background(), own, args)
	}
}

func (s *shell) sandboxReset() *cobra.Command {
	var faultsOnly bool
	cmd := &cobra.Command{
		Use: "reset", Short: "Restore the sandbox as it was at first, under a new account", Args: takes(0, ""),
		RunE: s.onBox(func(ctx context.Context, b box, _ []string) error {
			if faultsOnly {
				if err := b.ClearFaults(ctx); err != nil {
					return err
				}
				fmt.Fprintln(s.Out, "All faults are cleared.")
				return nil
			}
			if err := b.Reset(ctx); err != nil {
				return err
			}
			account, err := b.Account(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.Out, "The sandbox is as it was at first, and is account %s now.\n", account)
			fmt.Fprintln(s.Out, "A server that was started before stays with the old account and can do nothing more: restart it.")
			return nil
		}),
	}
	cmd.Flags().BoolVar(&faultsOnly, "faults", false, "only clear the faults")
	return cmd
}

func (s *shell) sandboxEffects() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "effects", Short: "Show what has truly happened", Args: takes(0, ""),
		RunE: s.onBox(func(ctx context.Context, b box, _ []string) error {
			books, err := b.Effects(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, books)
			}
			return s.printBooks(books)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *shell) printBooks(books sandbox.Books) error {
	if len(books.Effects) == 0 {
		fmt.Fprintln(s.Out, "Nothing has happened yet.")
		return nil
	}
	rows := [][]string{{"AT", "KIND", "ID", "STATUS", "CENTS", "TICKET", "ORDER", "ITEM", "KEY", "INTENT"}}
	for _, e := range books.Effects {
		cents := ""
		if e.Cents != 0 {
			cents = fmt.Sprint(e.Cents)
		}
		rows = append(rows, []string{
			e.At, e.Kind, e.ID, e.Status, orDash(cents), orDash(e.TicketID), orDash(e.OrderID), orDash(e.ItemID), orDash(e.Key), orDash(e.Intent),
		})
	}
	return table(s.Out, rows)
}

const defaultFaultDelay = 2 * time.Second

func (s *shell) sandboxFault() *cobra.Command {
	var times int
	delay := defaultFaultDelay
	cmd := &cobra.Command{
		Use: "fault OPERATION MODE", Short: "Make one operation misbehave", Long: aboutFaults(),
		Args: takes(2, "an operation and a mode; --help lists both"),
	}
	cmd.Flags().IntVar(&times, "times", 0, "how many requests it meets (default: until it is cleared)")
	cmd.Flags().DurationVar(&delay, "delay", defaultFaultDelay, "D, where the mode has one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("times") && times < 1 {
			return misused("--times must be 1 or more")
		}
		if delay <= 0 {
			return misused("--delay must be above zero")
		}
		fault := sandbox.Fault{Operation: args[0], Mode: args[1], Times: times, Delay: delay}
		return s.onBox(func(ctx context.Context, b box, _ []string) error { return s.addFault(ctx, b, fault) })(cmd, args)
	}
	return cmd
}

func (s *shell) addFault(ctx context.Context, b box, f sandbox.Fault) error {
	if err := b.AddFault(ctx, f); err != nil {
		if meaningless(err) {
			return misused("%w", err)
		}
		return err
	}
	until := "until it is cleared"
	if f.Times > 0 {
		until = "for " + counted(f.Times, "request")
	}
	fmt.Fprintf(s.Out, "%s: %s (%s), %s.\n", f.Operation, f.Mode, sandbox.Mode(f.Mode).About(), until)
	return nil
}

func aboutFaults() string {
	var b strings.Builder
	b.WriteString("Makes one operation misbehave. Several faults of one operation are met in the\norder in which they were given; counterfoil sandbox reset --faults clears them all.\n\nOperations:\n")
	for _, operation := range sandbox.Operations() {
		fmt.Fprintf(&b, "  %s\n", operation)
	}
	b.WriteString("\nModes:\n")
	for _, mode := range sandbox.Modes() {
		fmt.Fprintf(&b, "  %-23s %s\n", mode, mode.About())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
