package cli

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"counterfoil/intent"
)

// resolve takes a person's word on what became of an act.
func (s *shell) resolve() *cobra.Command {
	var f personFlags
	var performed, notPerformed bool
	var ref string
	cmd := s.verb("resolve", "Say what became of an act that is unknown", &f, func(d deciding) error {
		row, err := d.engine.Resolve(d.asked, d.key, d.person, ref)
		if err != nil {
			return err
		}
		if !f.asJSON {
			s.printResolved(row)
		}
		return s.printDecided(row, f.asJSON)
	})
	cmd.Long = "Records what a person found out in the provider's own books. Evidence that comes\nlater from the provider itself still counts for more."
	cmd.Flags().BoolVar(&performed, "performed", false, "it happened")
	cmd.Flags().StringVar(&ref, "ref", "", "the effect's id at the provider, with --performed")
	cmd.Flags().BoolVar(&notPerformed, "not-performed", false, "it did not happen")
	decide := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case performed == notPerformed:
			return misused("resolve: say either --performed or --not-performed")
		case performed && strings.TrimSpace(ref) == "":
			return misused("resolve: --performed needs --ref, the effect's id at the provider")
		case strings.ContainsFunc(ref, unicode.IsControl) || ref != strings.TrimSpace(ref):
			return misused("resolve: --ref is the effect's id at the provider, without spaces or line breaks around it")
		case notPerformed && ref != "":
			return misused("resolve: what did not happen has no --ref")
		}
		return decide(cmd, args)
	}
	return cmd
}

// printResolved says what a person's word rests on, and what it does not end.
func (s *shell) printResolved(row intent.Row) {
	switch {
	case row.State == intent.StatePerformed && row.ConfirmedAt.IsZero():
		fmt.Fprintf(s.Out, "The provider has not confirmed %s under this key: your word is taken. If it is another id, resolve it again.\n", row.EffectID)
	case row.OnWatch():
		fmt.Fprintf(s.Out, "What was sent may still arrive until %s. If it does, you are told.\n", intent.Timestamp(row.WatchUntil))
	}
}

func (s *shell) release() *cobra.Command {
	return s.decision("release", "Let other acts on the same thing go on",
		"Lets other acts on the same thing go on, without deciding what became of this one.",
		func(d deciding) (intent.Row, error) { return d.engine.Release(d.asked, d.key, d.person) })
}
