package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"counterfoil/store"
)

const aboutDoctor = `Looks at everything that a call needs and says what is wrong with it, and how to
mend it. It changes nothing and may run beside a server.

Exit status: 1 when something is wrong, 0 otherwise, warnings included.`

// level is how bad a finding is.
type level string

const (
	levelOK    level = "ok"
	levelWarn  level = "warn"
	levelWrong level = "wrong"
)

// finding is one thing that was looked at.
type finding struct {
	Check string `json:"check"` // what was looked at
	Level level  `json:"level"`
	Says  string `json:"says"`
	Mend  string `json:"mend,omitempty"` // what to do; with warn and wrong
}

func fine(check, says string, args ...any) finding {
	return finding{Check: check, Level: levelOK, Says: fmt.Sprintf(says, args...)}
}

func warns(check, mend, says string, args ...any) finding {
	return finding{Check: check, Level: levelWarn, Says: fmt.Sprintf(says, args...), Mend: mend}
}

func wrong(check, mend, says string, args ...any) finding {
	return finding{Check: check, Level: levelWrong, Says: fmt.Sprintf(says, args...), Mend: mend}
}

func (s *shell) doctor() *cobra.Command {
	var full, asJSON bool
	cmd := &cobra.Command{Use: "doctor", Short: "Say what is wrong, and how to mend it", Long: aboutDoctor, Args: takes(0, "")}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := s.configure(cmd)
		if err != nil {
			return err
		}
		w, err := s.worksOf(cfg)
		if err != nil {
			return err
		}
		defer w.Close()
		ctx, _, stop := s.signalled()
		defer stop()
		found := append(s.configFindings(cmd, w), s.examine(ctx, w, full)...)
		if asJSON {
			err = printJSON(s.Out, map[string][]finding{"findings": found})
		} else {
			printFindings(s.Out, found)
		}
		if err == nil && worst(found) == levelWrong {
			return silently(exitNo)
		}
		return err
	}
	cmd.Flags().BoolVar(&full, "full", false, "also read the whole ledger for damage, and its sums and chains; it may take minutes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// examine looks at the authority, the ledger and what is around them.
func (s *shell) examine(ctx context.Context, w *works, full bool) []finding {
	found := authorityFindings(ctx, w)
	found = append(found, toolFindings(w)...)
	health := healthOf(ctx, w, full)
	found = append(found, ledgerFindings(health, w.market.Real)...)
	found = append(found, contentFindings(health, w.now())...)
	found = append(found, clockFindings(ctx, w, health)...)
	found = append(found, doorFindings(ctx, w)...)
	found = append(found, operatorFinding(w), filesFinding(w.cfg), s.sqliteFinding(ctx))
	return found
}

// healthOf is the health of the ledger that a call would use: of the account's
// own or, where the authority does not say which that is, of the one that was
// written to last.
func healthOf(ctx context.Context, w *works, full bool) store.Health {
	account := w.market.Account
	path := w.cfg.ledgerFile(account)
	if paths, err := w.cfg.ledgersIn(); account == "" && w.cfg.ledger == "" && err == nil && len(paths) > 0 {
		path = paths[0]
	}
	return store.Examine(ctx, store.Examination{Path: path, Account: account, Full: full})
}

func worst(found []finding) level {
	of := levelOK
	for _, f := range found {
		switch {
		case f.Level == levelWrong:
			return levelWrong
		case f.Level == levelWarn:
			of = levelWarn
		}
	}
	return of
}

func printFindings(out io.Writer, found []finding) {
	n := map[level]int{}
	for _, f := range found {
		n[f.Level]++
		fmt.Fprintf(out, "%-5s  %s: %s\n", f.Level, f.Check, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(out, "       -> %s\n", f.Mend)
		}
	}
	switch {
	case n[levelWrong] > 0:
		fmt.Fprintf(out, "\n%s wrong, %s.\n", countedAs(n[levelWrong], "thing is", "things are"), counted(n[levelWarn], "warning"))
	case n[levelWarn] > 0:
		fmt.Fprintf(out, "\nNothing is wrong; %s.\n", counted(n[levelWarn], "warning"))
	default:
		fmt.Fprintln(out, "\nNothing is wrong.")
	}
}

// lasting is a length of time as a person says it.
func lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// plainSize is a number of bytes as a person says it.
func plainSize(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.bytes)), ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
