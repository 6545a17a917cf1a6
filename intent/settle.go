package intent

import (
	"context"
	"errors"
	"time"
)

// settle rules on a row by what a lookup saw, records the ruling, and tells a
// person where that is due. It returns the row as it now is and the escalation
// that speaks of it. Where somebody else was quicker, it rules again on what
// they wrote. An error means that the ruling could not be recorded.
func (e *Engine) settle(ctx context.Context, op Operation, row Row, act Act, s sighting) (Row, *Escalation, error) {
	for {
		r := rule(e.abandoned(row), op.Class(), op.Steps()[row.Step].Capabilities(), s)
		c := e.change(ctx, op, row, r, act)
		if c.Attempt == nil && len(c.Escalate) == 0 && sameButForSweep(row, *c.Row) {
			return row, nil, nil
		}
		written, err := e.commit(ctx, c)
		if err == nil {
			return written, e.tellFirst(ctx, c.Escalate), nil
		}
		current, moved := e.writtenSince(ctx, c, err)
		if !moved {
			e.spill(ctx, op, c, act)
			return *c.Row, e.tellFirst(ctx, c.Escalate), err
		}
		if row = current; !e.saysOf(s, row) {
			return row, nil, nil
		}
	}
}

// writtenSince is the row of a change that was not made, as it has been written
// since the change was decided on, if it has: a ledger that cannot be written can
// often enough be read.
func (e *Engine) writtenSince(ctx context.Context, c Change, err error) (current Row, moved bool) {
	var stale *StaleError
	if errors.As(err, &stale) {
		return stale.Current, true
	}
	ctx, cancel := recording(ctx)
	defer cancel()
	current, ok, err := e.o.Ledger.Find(ctx, c.Row.Key)
	return current, err == nil && ok && current.Version != c.Seen
}

// saysOf reports whether a sighting says anything of a row that somebody else
// has written since: the effect always does; one of other facts unless somebody
// is at work on the row, who will see it as well; an absence only where no later
// claim was made besides.
func (e *Engine) saysOf(s sighting, row Row) bool {
	atWork := row.State == StateInFlight && !e.senderGone(row) && !e.expired(row)
	switch s.finding.(type) {
	case Found:
		return true
	case FoundOther:
		return !atWork
	case Absent, LookupFailed, LookupUnsupported:
	}
	return !atWork && !s.asked.Before(row.ClaimedAt)
}

// abandoned is a row as its last send left it: one in flight whose sender is
// gone or out of time counts as one more ambiguous send.
func (e *Engine) abandoned(row Row) Row {
	if !row.SenderDone {
		row.SenderDone = e.senderGone(row)
	}
	if row.State == StateInFlight {
		row.Ambiguous++
	}
	return row
}

// senderGone reports whether nobody can act on the row's last claim any more.
func (e *Engine) senderGone(row Row) bool {
	if row.Owner == e.o.Ledger.Owner() {
		return e.flights.under(row.Key) == nil
	}
	return !e.o.Ledger.Alive(row.Owner)
}

// expired reports whether a claim has outlived its owner's whole budget, which it
// names itself, by each clock: a wall clock that was set forward ends nobody's turn.
func (e *Engine) expired(row Row) bool {
	now := e.clock.now()
	return !row.DueAt.IsZero() && !now.Before(row.DueAt) && e.elapsed(row, now) >= row.DueAt.Sub(row.ClaimedAt)
}

// claimLasts is after how long a claim without a record is looked up although
// its owner lives.
func (e *Engine) claimLasts() time.Duration { return 2 * e.o.AnswerWithin }

// change makes one commit of a ruling: the row, its next look, the attempt that
// it ends, and whom to tell.
func (e *Engine) change(ctx context.Context, op Operation, row Row, r ruling, act Act) Change {
	next := r.row
	now := e.clock.now()
	if e.toBeDone(ctx, row, next, act) {
		next.State = StateReady
	}
	next.UpdatedAt = now
	next.DueAt = nextLook(next, op.Steps()[next.Step].Capabilities(), now)
	c := Change{Row: &next, Seen: row.Version}
	if row.State == StateAwaiting && next.State != StateAwaiting {
		act = withoutUnapproved(row, act)
		c.Act = &act
	}
	if row.State != StatePerformed {
		c.Followers = e.followers(op, next, act)
	}
	if row.State == StateInFlight {
		c.Attempt = e.ended(op, row, next, "none", "its sender ended without a record")
	}
	for _, cause := range r.causes {
		if esc, due := e.escalation(ctx, op, next, act, cause); due {
			c.Escalate = append(c.Escalate, esc)
		}
	}
	return c
}

// toBeDone reports whether nothing came of a send that a person approved, and it
// may be made again: nobody was told to ask for it, so the sweeper does it.
func (e *Engine) toBeDone(ctx context.Context, row, next Row, act Act) bool {
	sent := row.State == StateInFlight || row.State == StateUnknown
	again := next.State == StateNotPerformed && next.Retry == RetryWait && next.Step == 0
	return sent && again && act.Figures != "" && e.approved(ctx, row.Key)
}

// ended is the record of a row's last send.
func (e *Engine) ended(op Operation, claim, next Row, answer, detail string) *Attempt {
	settled := string(next.State)
	if next.Reason != "" {
		settled += " " + string(next.Reason)
	}
	return &Attempt{
		Step: claim.Step, Ordinal: claim.Ordinal, Owner: claim.Owner, Principal: claim.Principal,
		ProviderKey: e.providerKey(op.Steps()[claim.Step], claim),
		StartedAt:   claim.ClaimedAt, EndedAt: e.clock.now(),
		Answer: answer, Detail: detail, Settled: settled, Evidence: next.Evidence, EffectID: next.EffectID,
	}
}

// nextLook is when the sweeper is to look at a row again; zero: never.
func nextLook(row Row, caps Capabilities, now time.Time) time.Time {
	later := now.Add(sweepAfter(row.Sweeps))
	switch row.State {
	case StateUnknown:
		if caps.blind() || row.Reason == ReasonMismatch {
			return row.stillUnknownAt()
		}
		return later
	case StatePerformed:
		if row.Final || caps.blind() {
			return time.Time{}
		}
		return later
	case StateNotPerformed:
		if row.Step > 0 && row.Retry == RetryWait {
			return latest(row.RetryAt, now) // a later step is asked for by nobody else
		}
		switch {
		case !row.OnWatch():
			return time.Time{}
		case caps.blind():
			return latest(row.WatchUntil, now)
		}
		if row.WatchUntil.After(now) && row.WatchUntil.Before(later) {
			return row.WatchUntil
		}
		return later
	case StateReady:
		return latest(row.RetryAt, now)
	case StateAwaiting:
		if row.OnWatch() && !caps.blind() {
			return later
		}
	case StateInFlight:
		return row.DueAt
	case StateQueued:
	}
	return time.Time{}
}

// sameButForSweep reports whether nothing that an answer could show has changed.
func sameButForSweep(a, b Row) bool {
	b.DueAt, b.Sweeps, b.UpdatedAt, b.RetryAt, b.Version = a.DueAt, a.Sweeps, a.UpdatedAt, a.RetryAt, a.Version
	return a == b
}

// commit writes one change under its own bound.
func (e *Engine) commit(ctx context.Context, c Change) (Row, error) {
	ctx, cancel := recording(ctx)
	defer cancel()
	return e.o.Ledger.Commit(ctx, c)
}

// commitFirmly writes a change that is worth more than the time it takes: where
// the ledger cannot take it, again, a few times and within the bound of one
// commit.
func (e *Engine) commitFirmly(ctx context.Context, c Change) (Row, error) {
	ctx, cancel := recording(ctx)
	defer cancel()
	for n := 1; ; n++ {
		row, err := e.o.Ledger.Commit(ctx, c)
		if err == nil || moved(err) || n == recordTries || !pause(ctx, e.backoff(n)) {
			return row, err
		}
	}
}

// spill keeps a change that the ledger could not take, with what a person is to
// be told if somebody settles the row otherwise before it is read.
func (e *Engine) spill(ctx context.Context, op Operation, c Change, act Act) {
	if c.Row.State == StatePerformed {
		for _, cause := range []Cause{CauseLateLanding, CauseSecondEffect} {
			if esc, due := e.escalation(ctx, op, *c.Row, act, cause); due {
				c.Late = append(c.Late, esc)
			}
		}
	}
	e.fault("spill", e.o.Ledger.Spill(c))
}
