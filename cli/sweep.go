package cli

import (
	"context"
	"errors"
	"fmt"

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
