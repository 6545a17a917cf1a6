package intent

import (
	"context"
	"time"
)

// sighting is what a lookup saw, and when it was begun.
type sighting struct {
	finding Finding
	asked   time.Time
	elapsed time.Duration // since the row's last claim, by the clock that says less
}

// afterLanding reports whether a sighting was begun after everything that the
// row's last claim sent has landed and shows, if it lands at all.
func (s sighting) afterLanding(row Row, caps Capabilities) bool {
	landed := caps.landedBy(row.SendBy)
	return !landed.IsZero() && !s.asked.Before(landed) && s.elapsed >= landed.Sub(row.ClaimedAt)
}

// absenceCounts reports whether "not found" is evidence about what the row's
// last claim sent: a delayed lookup shows it only some time after, by each clock.
func (s sighting) absenceCounts(row Row, caps Capabilities) bool {
	shows := row.SendBy.Add(caps.LookupDelay)
	switch caps.Lookup {
	case LookupReadAfterWrite:
		return true
	case LookupDelayed:
		return !s.asked.Before(shows) && s.elapsed >= shows.Sub(row.ClaimedAt)
	case LookupNone, LookupWebhook:
	}
	return false
}

// leavesOpen reports whether an effect that a lookup shows may stand beside one
// that the row's last claim has sent: it is older, of a ledger that was lost, and
// what was sent has not landed yet if it lands. A provider that deduplicates for
// long enough makes one effect of all that is sent under one key.
func (s sighting) leavesOpen(row Row, caps Capabilities, effect Effect) bool {
	switch row.State {
	case StateInFlight, StateUnknown, StatePerformed:
	case StateNotPerformed, StateAwaiting, StateReady, StateQueued:
		return false
	}
	since := row.ClaimedAt
	if caps.dedupesUntilLanded() {
		since = row.OrdinalAt
	}
	return row.Ambiguous > 0 && effect.At.Before(since) && !s.afterLanding(row, caps)
}

// learnt reports whether the authority said anything.
func learnt(s sighting) bool {
	switch s.finding.(type) {
	case Found, FoundOther, Absent:
		return true
	case LookupFailed, LookupUnsupported:
	}
	return false
}

// lookUp looks for an intent's effect, with the repeats of a read.
func (e *Engine) lookUp(ctx context.Context, step Step, row Row, act Act) sighting {
	subject := Subject{Intent: row.Key, Payload: act.Payload, EffectID: row.EffectID}
	s := sighting{finding: LookupFailed{Detail: "not asked"}, asked: e.clock.now()}
	e.RepeatRead(ctx, func(ctx context.Context) bool {
		now := e.clock.now()
		s = sighting{asked: now, elapsed: e.elapsed(row, now), finding: seenBy(step.Capabilities(), step.Lookup(ctx, subject))}
		_, down := s.finding.(LookupFailed)
		return !down
	})
	return s
}

// seenBy is what a finding is worth: "not there", of a provider that cannot be
// asked, says nothing.
func seenBy(caps Capabilities, f Finding) Finding {
	if _, absent := f.(Absent); absent && caps.blind() {
		return LookupUnsupported{}
	}
	return f
}

// lookUpUntil looks for an effect until something that settles the row is seen,
// or as long as ctx lasts.
func (e *Engine) lookUpUntil(ctx context.Context, step Step, row Row, act Act) sighting {
	for n := 1; ; n++ {
		s := e.lookUp(ctx, step, row, act)
		if settles(s, row, step.Capabilities()) || ctx.Err() != nil {
			return s
		}
		wait := e.backoff(n + 2)
		if !fits(ctx, wait) || !pause(ctx, wait) {
			return s
		}
	}
}

// settles reports whether looking again within this call could not say more.
func settles(s sighting, row Row, caps Capabilities) bool {
	switch s.finding.(type) {
	case Found, FoundOther, LookupUnsupported:
		return true
	case Absent:
		return s.absenceCounts(row, caps)
	case LookupFailed:
	}
	return false
}
