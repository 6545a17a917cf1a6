package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/store"
)

func (s *shell) ledger() *cobra.Command {
	return group("ledger", "Look at what was done and tried", s.ledgerList(), s.ledgerShow(), s.ledgerBackup(), s.ledgerErase())
}

// reading runs a command on the ledger as it is, without the authority. The
// ledger is nil where none was begun yet.
func (s *shell) reading(do func(ctx context.Context, ledger *store.Ledger, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := s.configure(cmd)
		if err != nil {
			return err
		}
		w, err := s.worksOf(cfg)
		if err != nil {
			return err
		}
		defer w.Close()
		ledger, err := w.readLedger(context.Background())
		if err != nil {
			return err
		}
		return do(context.Background(), ledger, args)
	}
}

// entry is an intent as the command line shows it. Times are UTC, amounts minor
// units.
type entry struct {
	IntentKey string       `json:"intent_key"`
	Tool      string       `json:"tool"`
	TicketID  string       `json:"ticket_id"`
	Scope     string       `json:"scope"`
	State     intent.State `json:"state"`
	Attempts  int          `json:"attempts"` // sends that may have reached the authority
	EffectID  string       `json:"effect_id"`
	Cents     int64        `json:"cents"`
	Currency  string       `json:"currency"`
	CreatedAt string       `json:"created_at"`
	UpdatedAt string       `json:"updated_at"`
}

func entryOf(row intent.Row) entry {
	return entry{
		IntentKey: row.Key.String(), Tool: row.Tool, TicketID: row.Ticket, Scope: row.Scope, State: row.State,
		Attempts: row.Sends, EffectID: row.EffectID, Cents: row.Cents, Currency: row.Currency,
		CreatedAt: intent.Timestamp(row.CreatedAt), UpdatedAt: intent.Timestamp(row.UpdatedAt),
	}
}

func (s *shell) ledgerList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List all acts: the open ones first, then the newest", Args: takes(0, ""),
		RunE: s.reading(func(ctx context.Context, ledger *store.Ledger, _ []string) error {
			entries := []entry{}
			if ledger != nil {
				rows, err := ledger.List(ctx, math.MaxInt32)
				if err != nil {
					return err
				}
				for _, row := range rows {
					entries = append(entries, entryOf(row))
				}
			}
			return s.printEntries(entries, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *shell) printEntries(entries []entry, asJSON bool) error {
	if asJSON {
		return printJSON(s.Out, map[string][]entry{"intents": entries})
	}
	if len(entries) == 0 {
		fmt.Fprintln(s.Out, "Nothing has been done or tried yet.")
		return nil
	}
	rows := [][]string{{"STATE", "TOOL", "TICKET", "AMOUNT", "EFFECT", "SENT", "UPDATED", "KEY"}}
	for _, e := range entries {
		rows = append(rows, []string{
			string(e.State), e.Tool, orDash(e.TicketID), amount(e.Cents, e.Currency), orDash(e.EffectID),
			fmt.Sprint(e.Attempts), e.UpdatedAt, e.IntentKey,
		})
	}
	return table(s.Out, rows)
}

func amount(cents int64, currency string) string {
	if currency == "" {
		return "-"
	}
	return intent.Money(cents, currency)
}
