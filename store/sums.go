package store

import (
	"context"

	"counterfoil/intent"
)

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

// sum carries the difference between a row before and after into the sums.
// Reading them then costs the same however much a seller has sold.
func (tx *transaction) sum(ctx context.Context, before, after loaded) error {
	was, is := counted(&before.row), counted(&after.row)
	if before.row.Currency == after.row.Currency && before.resources == after.resources {
		return tx.add(ctx, after, intent.Total{Open: is.Open - was.Open, Spent: is.Spent - was.Spent})
	}
	if err := tx.add(ctx, before, intent.Total{Open: -was.Open, Spent: -was.Spent}); err != nil {
		return err
	}
	return tx.add(ctx, after, is)
}

const queryAdd = `INSERT INTO sums (resource, currency, open, spent)
	SELECT value, ?, ?, ? FROM json_each(?) WHERE true
	ON CONFLICT (resource, currency) DO UPDATE SET open = open + excluded.open, spent = spent + excluded.spent`

func (tx *transaction) add(ctx context.Context, l loaded, t intent.Total) error {
	if t == (intent.Total{}) {
		return nil
	}
	return tx.exec(ctx, queryAdd, l.row.Currency, t.Open, t.Spent, l.resources)
}
