package store

import "counterfoil/intent"

// counted is what a row adds to the sums of the resources that it touches. An
// effect that stands is spent; an open intent is spent, and while no effect of
// it is known it is open as well.
func counted(r *intent.Row) (t intent.Total) {
	performed := r.State == intent.StatePerformed
	if r.Open() && !performed && r.EffectID == "" {
		t.Open = r.Cents
	}
	if r.Open() || performed {
		t.Spent = r.Cents
	}
	return t
}

// countedSQL is counted, of a row of table intents.
func countedSQL(table string) (open, spent string) {
	t := table + "."
	return "iif(" + t + "open = 1 AND " + t + "state <> 'performed' AND " + t + "effect_id = '', " + t + "cents, 0)",
		"iif(" + t + "open = 1 OR " + t + "state = 'performed', " + t + "cents, 0)"
}

// sum marks what a row touches as changed, and carries the difference between
// the row before and after into the sums there. Reading them then costs the
// same however much a seller has sold.
func (tx *transaction) sum(before, after *loaded) error {
	was, is := before.counted, after.counted
	had, more := after.resources[:len(before.resources)], after.resources[len(before.resources):]
	difference := intent.Total{Open: is.Open - was.Open, Spent: is.Spent - was.Spent}
	if before.id != 0 && before.currency != after.currency {
		if err := tx.mark(had, &before.currency, intent.Total{Open: -was.Open, Spent: -was.Spent}, 0); err != nil {
			return err
		}
		difference = is
	}
	if err := tx.mark(had, &after.currency, difference, 0); err != nil {
		return err
	}
	return tx.mark(more, &after.currency, is, after.id)
}
