package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"counterfoil/intent"
)

// allowRepeat lets one effect be repeated, once.
func (s *shell) allowRepeat() *cobra.Command {
	var f personFlags
	cmd := s.verb("allow-repeat", "Allow one deliberate repeat of an effect", &f, func(d deciding) error {
		before, _, err := d.ledger.Find(d.asked, d.key)
		if err != nil {
			return err
		}
		row, err := d.engine.AllowRepeat(d.asked, d.key, d.person)
		switch {
		case err != nil:
			return err
		case f.asJSON:
			return s.printDecided(row, true)
		}
		return s.printAllowed(d, row, before.RepeatAllowed)
	})
	cmd.Long = "Allows one deliberate repeat of an effect: the same call with again_after and the\neffect's id."
	return cmd
}

// printAllowed says what comes of a leave to repeat: one repeat, and no second
// one, however often it is given.
func (s *shell) printAllowed(d deciding, row intent.Row, already bool) error {
	if !d.irreversible(row.Tool) {
		fmt.Fprintf(s.Out, "Noted. %s is %s. Whether a %s may be repeated is the provider's to show, with or without a person's leave.\n", row.Key, stands(row), row.Tool)
		return nil
	}
	repeat, made, err := d.repeatOf(row)
	switch {
	case err != nil:
		return err
	case made:
		fmt.Fprintf(s.Out, "Noted, but the one repeat of %s has been asked for already: %s is %s. For one more, allow a repeat of that one.\n", row.EffectID, repeat.Key, stands(repeat))
	case already:
		fmt.Fprintf(s.Out, "Noted. It was allowed already, and no use of it is known: one repeat of %s, the same call with again_after %s.\n", row.EffectID, row.EffectID)
	default:
		fmt.Fprintf(s.Out, "Noted. One repeat of %s is allowed, and only one: the same call with again_after %s.\n", row.EffectID, row.EffectID)
	}
	return nil
}

// operation is the one of a tool; nil where there is none.
func (w *works) operation(tool string) intent.Operation {
	for _, op := range w.operations {
		if op.Tool() == tool {
			return op
		}
	}
	return nil
}

func (w *works) irreversible(tool string) bool {
	op := w.operation(tool)
	return op != nil && op.Class() == intent.ClassIrreversible
}

// repeatOf is the act that has used the leave to repeat an effect, as far as the
// texts of the ticket tell.
func (d deciding) repeatOf(row intent.Row) (repeat intent.Row, made bool, err error) {
	rows, err := d.ledger.Around(d.asked, intent.Resource{Kind: "ticket", ID: row.Ticket}, math.MaxInt32)
	if err != nil {
		return intent.Row{}, false, err
	}
	op := d.operation(row.Tool)
	for _, other := range rows {
		if other.Tool != row.Tool || other.Key == row.Key {
			continue
		}
		act, err := d.ledger.Act(d.asked, other.Key)
		if err != nil {
			return intent.Row{}, false, err
		}
		erased := len(act.Arguments) == 0
		if !erased && op.Locate(act.Arguments).Again == row.EffectID {
			return other, true, nil
		}
	}
	return intent.Row{}, false, nil
}
