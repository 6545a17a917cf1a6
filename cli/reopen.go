package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"counterfoil/intent"
)

// reopen lets an act be asked for again.
func (s *shell) reopen() *cobra.Command {
	var f personFlags
	cmd := s.verb("reopen", "Lift a decline or a remembered refusal", &f, func(d deciding) error {
		row, err := d.engine.Reopen(d.asked, d.key, d.person)
		switch {
		case err != nil:
			return d.ratherRepeat(err, row)
		case f.asJSON:
			return printJSON(s.Out, entryOf(row))
		}
		fmt.Fprintf(s.Out, "Noted. %s may be asked for again: the same call is decided anew. Until then nothing is sent.\n", row.Key)
		return nil
	})
	cmd.Long = "Lets an act that was declined, or refused for good, be asked for again."
	return cmd
}

// ratherRepeat names the verb that was meant, where an act cannot be re-opened
// because it had an effect, if only one that came to nothing.
func (w *works) ratherRepeat(err error, row intent.Row) error {
	var notNow *intent.NotNowError
	if !errors.As(err, &notNow) || row.EffectID == "" || !row.Final || !w.irreversible(row.Tool) {
		return err
	}
	return &exit{exitNo, fmt.Errorf("%w; this one was accepted as %s, status %s: counterfoil allow-repeat %s allows one repeat of it",
		notNow, row.EffectID, row.Status, row.Key)}
}
