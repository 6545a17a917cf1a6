package intent

import (
	"context"
	"time"
)

// sweepLimit bounds the rows of each kind that one round looks at.
const sweepLimit = 50

// patience is how long the sweeper looks for an orphan's effect before it calls
// it unknown and tells a person, where the lookup cannot be had.
const patience = time.Minute

// Swept counts what one round did.
type Swept struct {
	Looked    int `json:"looked"`    // rows looked up at the authority
	Settled   int `json:"settled"`   // rows whose state that changed
	Performed int `json:"performed"` // approved intents and later steps that were sent
	Delivered int `json:"delivered"` // escalations that reached the desk
}

// Sweep runs one bounded round: what dead processes left in flight, what is due
// for another look, what a person has approved, and the outbox.
func (e *Engine) Sweep(ctx context.Context) (Swept, error) {
	defer e.leave.enter()()
	var s Swept
	orphans, err := e.o.Ledger.Orphans(ctx, sweepLimit)
	if err != nil {
		return s, err
	}
	due, err := e.o.Ledger.Due(ctx, e.clock.now(), sweepLimit)
	if err != nil {
		return s, err
	}
	for _, row := range append(orphans, due...) {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		e.sweepRow(ctx, row, &s)
	}
	outbox, err := e.o.Ledger.Outbox(ctx, e.clock.now(), sweepLimit)
	if err != nil {
		return s, err
	}
	for _, esc := range outbox {
		if e.o.Desk != nil && ctx.Err() == nil && !e.deliver(ctx, esc).DeliveredAt.IsZero() {
			s.Delivered++
		}
	}
	return s, nil
}

// Run sweeps at once and then on an interval until ctx ends.
func (e *Engine) Run(ctx context.Context, every time.Duration) {
	for {
		if _, err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
			e.fault("sweep", err)
		}
		if !pause(ctx, every/2+backoffJitter(every)) {
			return
		}
	}
}

// sweepRow settles one row by one lookup, or performs one that is ready. A
// fault in it is reported and leaves the row to the next round.
func (e *Engine) sweepRow(ctx context.Context, row Row, s *Swept) {
	defer func() {
		if p := recover(); p != nil {
			e.fault("sweep a row", panicked{p})
		}
	}()
	current, ok, err := e.o.Ledger.Find(ctx, row.Key)
	op, known := e.operations[row.Tool]
	if err != nil || !ok || !known || current.Version != row.Version {
		return
	}
	if row.State == StateReady {
		if _, err := e.perform(ctx, row); err != nil {
			e.fault("perform", err)
			return
		}
		s.Performed++
		e.postponeIfReady(ctx, row.Key)
		return
	}
	act, err := e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		e.fault("act", err)
		return
	}
	seen := e.lookUp(ctx, op.Steps()[row.Step], row, act)
	if ctx.Err() != nil {
		return // the sweeper is stopping: what it did not see says nothing
	}
	s.Looked++
	e.at(PointSweepSettled)
	if row.State == StateInFlight && !learnt(seen) && e.clock.now().Before(row.ClaimedAt.Add(patience)) {
		e.postpone(ctx, row)
		return
	}
	settled, _, err := e.settle(ctx, op, row, act, seen)
	switch {
	case err != nil:
		e.fault("record a sweep", err)
	case settled.State != row.State || settled.OnWatch() != row.OnWatch() || settled.Status != row.Status:
		s.Settled++
	default:
		e.postpone(ctx, settled)
	}
}

// postponeIfReady puts an act off that could not be sent after all.
func (e *Engine) postponeIfReady(ctx context.Context, key Key) {
	row, ok, err := e.o.Ledger.Find(ctx, key)
	if err == nil && ok && row.State == StateReady {
		e.postpone(ctx, row)
	}
}

// postpone puts a row's next look off, a little further each time.
func (e *Engine) postpone(ctx context.Context, row Row) {
	next := row
	next.Sweeps++
	now := e.clock.now()
	if row.DueAt.IsZero() {
		return
	}
	next.DueAt = now.Add(sweepAfter(next.Sweeps))
	if row.WatchUntil.After(now) && row.WatchUntil.Before(next.DueAt) {
		next.DueAt = row.WatchUntil
	}
	if _, err := e.commit(ctx, Change{Row: &next, Seen: row.Version}); err != nil && !moved(err) {
		e.fault("postpone a look", err)
	}
}
