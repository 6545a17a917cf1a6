package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// reopen lets an act be asked for again.
func (s *shell) reopen() *cobra.Command {
	var f personFlags
	cmd := s.verb("reopen", "Lift a decline or a remembered refusal", &f, func(d deciding) error {
		row, err := d.engine.Reopen(d.asked, d.key, d.person)
		switch {
		case err != nil:
			return err
		case f.asJSON:
			return printJSON(s.Out, entryOf(row))
		}
		fmt.Fprintf(s.Out, "Noted. %s may be asked for again: the same call is decided anew. Until then nothing is sent.\n", row.Key)
		return nil
	})
	cmd.Long = "Lets an act that was declined, or refused for good, be asked for again."
	return cmd
}
