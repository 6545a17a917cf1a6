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
	Performed int `json:"performed"` // approved intents and later steps that were done
	Delivered int `json:"delivered"` // escalations that reached the desk
	Notified  int `json:"notified"`  // those of which a person was notified past the desk
}

// Sweep runs one bounded round: what dead processes left in flight, what is due
// for another look, what a person has approved, and the outbox.
func (e *Engine) Sweep(ctx context.Context) (Swept, error) {
	exit := e.leave.enter()
	defer exit()
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
	if e.o.Desk == nil && e.o.Notify == nil {
		return s, nil
	}
	outbox, err := e.o.Ledger.Outbox(ctx, e.clock.now(), sweepLimit)
	if err != nil {
		return s, err
	}
	for _, esc := range outbox {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		e.sweepEscalation(ctx, esc, &s)
	}
	return s, nil
}

// sweepEscalation tells a person of one entry of the outbox, if nobody else has
// since it was read. A fault in it is reported and leaves the entry to the next
// round.
func (e *Engine) sweepEscalation(ctx context.Context, listed Escalation, s *Swept) {
	defer func() {
		if p := recover(); p != nil {
			e.fault("sweep an escalation", caught(p))
		}
	}()
	esc, ok, err := e.o.Ledger.Escalation(ctx, listed.Key)
	if err != nil || !ok || !esc.DeliveredAt.IsZero() || !esc.DueAt.Equal(listed.DueAt) {
		e.fault("read an escalation", err)
		return
	}
	if !e.mySweep(ctx, esc) {
		return
	}
	told := e.notifyOfDelay(ctx, e.deliver(ctx, esc))
	if !told.DeliveredAt.IsZero() {
		s.Delivered++
	}
	if esc.NotifiedAt.IsZero() && !told.NotifiedAt.IsZero() {
		s.Notified++
	}
}

// mySweep reports whether the sweeper may tell of an entry: of a handoff only
// while no call is at the desk with it.
func (e *Engine) mySweep(ctx context.Context, esc Escalation) bool {
	if esc.Cause != CauseHandoff || e.o.Desk == nil {
		return true
	}
	row, ok, err := e.o.Ledger.Find(ctx, esc.Subject)
	if err != nil || !ok {
		return false
	}
	had, err := e.takeTurn(ctx, row, e.reserve()/2)
	e.fault("take a turn", err)
	return had
}

// Run sweeps at once and then on an interval until ctx ends.
func (e *Engine) Run(ctx context.Context, every time.Duration) {
	for {
		if _, err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
			e.fault("sweep", err)
		}
		if !pause(ctx, every/2+e.o.Jitter(every/2)) {
			return
		}
	}
}

// sweepRow settles one row by one lookup, or performs one that is ready. A
// fault in it is reported and leaves the row to the next round.
func (e *Engine) sweepRow(ctx context.Context, row Row, s *Swept) {
	defer func() {
		if p := recover(); p != nil {
			e.fault("sweep a row", caught(p))
		}
	}()
	current, ok, err := e.o.Ledger.Find(ctx, row.Key)
	if err != nil || !ok || current.Version != row.Version {
		return
	}
	op, known := e.operations[row.Tool]
	switch {
	case !known: // a tool of another version of this program
		e.postpone(ctx, row)
	case row.State == StateReady && row.OnWatch() && !e.clock.now().Before(row.WatchUntil):
		e.sweepOpen(ctx, op, row, s) // whether an earlier try has landed comes first
	case row.State == StateReady, row.Step > 0 && row.State == StateNotPerformed && row.Retry == RetryWait:
		e.sweepReady(ctx, row, s)
	default:
		e.sweepOpen(ctx, op, row, s)
	}
}

// sweepReady performs what was approved, and the later steps of an act.
func (e *Engine) sweepReady(ctx context.Context, row Row, s *Swept) {
	if _, err := e.perform(ctx, row); err != nil {
		e.fault("perform", err)
		return
	}
	after, ok, err := e.o.Ledger.Find(ctx, row.Key)
	switch {
	case err != nil || !ok:
	case after.State == StatePerformed:
		s.Performed++
	case after.State == row.State:
		e.postpone(ctx, after)
	case after.State == StateAwaiting: // whoever approved it is not there to read that it waits again
		e.tellOfFigures(ctx, after)
	}
}

func (e *Engine) tellOfFigures(ctx context.Context, row Row) {
	act, err := e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		e.fault("act", err)
		return
	}
	e.raise(ctx, e.operations[row.Tool], row, act, CauseFigures)
}

// sweepOpen looks one open row up and records what that says.
func (e *Engine) sweepOpen(ctx context.Context, op Operation, row Row, s *Swept) {
	if row.State == StateInFlight && !e.senderGone(row) && !e.expired(row) {
		return // due by a clock that was set forward: its sender is at work
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
		e.stillUnknown(ctx, op, settled, act)
		e.postpone(ctx, settled)
	}
}

// stillUnknown tells a person once more of an unknown that has kept its scope
// closed for hours, so that a customer is not muted in silence.
func (e *Engine) stillUnknown(ctx context.Context, op Operation, row Row, act Act) {
	if row.State == StateUnknown && row.Blocks() && !e.clock.now().Before(row.stillUnknownAt()) {
		e.raise(ctx, op, row, act, CauseStillUnknown)
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
