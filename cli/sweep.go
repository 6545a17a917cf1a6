package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"counterfoil/intent"
)

func (s *shell) sweep() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "sweep", Short: "Look up once what was left open", Args: takes(0, ""),
		Long: "Runs one bounded round of what serve does in the background: looks up what dead\nprocesses left, performs what a person has approved, and tells people what they\nhave to know.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withEngine(cmd, (*works).open, func(asked context.Context, w *works) error {
				if w.broken != nil {
					return w.broken
				}
				return s.sweepOnce(asked, w, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *shell) sweepOnce(asked context.Context, w *works, asJSON bool) error {
	var swept intent.Swept
	var err error
	if !attend(asked, w.engine, func(ctx context.Context) { swept, err = w.engine.Sweep(ctx) }) {
		return errors.New("left before the round was over; the next one takes up where it ended")
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(s.Out, swept)
	}
	fmt.Fprintf(s.Out, "looked up %d, settled %d, performed %d, people told %d, notified %d\n",
		swept.Looked, swept.Settled, swept.Performed, swept.Delivered, swept.Notified)
	return s.printUntold(asked, w)
}

// printUntold says what is queued for people and waits for its next try: after
// an outage that may be minutes away, and a round passes it over until then.
func (s *shell) printUntold(ctx context.Context, w *works) error {
	ever := w.now().AddDate(100, 0, 0)
	queued, err := w.ledger.Outbox(ctx, ever, math.MaxInt32)
	switch {
	case err != nil:
		return err
	case len(queued) == 0:
		return nil
	}
	waits := "waits"
	if len(queued) > 1 {
		waits = "wait"
	}
	next := "the next try is due now"
	if at := queued[0].DueAt; at.After(w.now()) {
		next = "the next try is due at " + intent.Timestamp(at)
	}
	fmt.Fprintf(s.Out, "%s to people %s in the outbox; %s\n", counted(len(queued), "message"), waits, next)
	return nil
}

// withEngine opens the works as open does and runs do, until a signal asks to
// leave.
func (s *shell) withEngine(cmd *cobra.Command, open func(*works, context.Context) error, do func(asked context.Context, w *works) error) error {
	cfg, err := s.configure(cmd)
	if err != nil {
		return err
	}
	w, err := s.worksOf(cfg)
	if err != nil {
		return err
	}
	defer w.Close()
	asked, _, stop := s.signalled()
	defer stop()
	if err := open(w, asked); err != nil {
		return err
	}
	return do(asked, w)
}
