package intent

import (
	"context"
	"errors"
	"sync"
	"time"
)

// claim makes the "maybe sent" mark durable. It returns the claimed row, or an
// answer, or neither where the world has moved since it was read.
func (c *call) claim(ctx context.Context, p *plan) (*Row, *Result) {
	c.e.at(PointBeforeClaim)
	if answer := c.mayClaim(ctx); answer != nil {
		return nil, answer
	}
	row, answer := c.claimRow(p)
	if answer != nil {
		return nil, answer
	}
	if !c.takeOff(p.key) {
		return nil, c.awaitFlight(ctx, p.key)
	}
	ch := Change{Row: &row, Seen: p.row.Version, Act: &p.act, Since: p.mark, Exclusive: true}
	if ch.Seen == 0 {
		ch.Resources = p.reading.Resources
		ch.Fingerprints = c.fingerprints(p.reading)
	}
	claimed, err := c.e.commit(ctx, ch)
	if err != nil {
		c.land()
		if moved(err) {
			return nil, nil
		}
		return nil, c.ledgerDown(ctx, "claim", err)
	}
	c.claimed = &claimed
	c.e.at(PointClaimed)
	return &claimed, nil
}

// takeOff registers this call as the one that acts for key in this process.
func (c *call) takeOff(key Key) bool {
	done, ok := c.e.flights.take(key)
	if ok {
		c.land = sync.OnceFunc(func() { c.e.flights.land(key, done) })
	}
	return ok
}

// mayClaim answers a call that must not claim any more: withdrawn by its
// caller, met by a departing engine, or without the time to send and look up.
func (c *call) mayClaim(ctx context.Context) *Result {
	if ctx.Err() != nil {
		return c.interrupted(ctx)
	}
	if !c.e.leave.mayClaim(c.e.clock.now()) {
		return c.withdrawn()
	}
	if c.deadline.Sub(c.e.clock.now()) < c.e.o.ProviderTimeout+c.e.o.ProviderTimeout/2 {
		answer := c.e.refuse(Refusal{Reason: ReasonUnreachable})
		return &answer
	}
	return nil
}

// claimRow is the row as the claim makes it. The ordinal of the provider key
// advances only past a closed one; a key too old to be deduplicated, and not
// closed, is not sent again.
func (c *call) claimRow(p *plan) (Row, *Result) {
	now := c.e.clock.now()
	row, caps := p.row, c.op.Steps()[p.row.Step].Capabilities()
	if row.Sends > 0 {
		row.SenderDone = row.SenderDone || c.e.senderGone(row)
		row = closeBy(row, caps, p.seen)
	}
	switch {
	case row.Sends == 0 && row.OrdinalAt.IsZero():
		row.OrdinalAt = now
	case row.Closed:
		row.Ordinal, row.OrdinalAt, row.Closed, row.Stored = row.Ordinal+1, now, false, false
	case row.Sends > 0 && !now.Before(caps.keyUsableUntil(row.OrdinalAt)):
		answer := c.e.sayRow(row, p.act, c.op, spoken{
			outcome: Unknown, reason: ReasonLookupWeak, evidence: EvidenceLookup,
		})
		return Row{}, &answer
	}
	return c.e.inFlight(row), nil
}

// inFlight is a row as a claim makes it.
func (e *Engine) inFlight(row Row) Row {
	now := e.clock.now()
	row.State, row.Reason, row.Retry, row.Evidence = StateInFlight, "", "", ""
	row.Owner, row.Nonce, row.SenderDone = e.o.Ledger.Owner(), e.o.NewID(), false
	row.ClaimedAt, row.UpdatedAt = now, now
	row.SendBy = now.Add(e.o.ProviderTimeout)
	row.DueAt = now.Add(2 * e.o.AnswerWithin)
	row.RetryAt, row.Sweeps = time.Time{}, 0
	row.Sends++
	row.Reopened = false
	return row
}

// closeBy closes a row's ordinal where the lookup before this claim proves that
// it can bring nothing any more: nothing is there although the provider gave its
// last word under it, or although every send under it would have landed by now.
func closeBy(row Row, caps Capabilities, seen sighting) Row {
	if _, absent := seen.finding.(Absent); !absent {
		return row
	}
	if row.Stored && caps.Lookup == LookupReadAfterWrite {
		row.Closed = true
	}
	landed := caps.landedBy(row.SendBy)
	over := !landed.IsZero() && !seen.asked.Before(latest(landed, row.WatchUntil))
	if over && caps.absenceCounts(row.SendBy, seen.asked) && row.SenderDone {
		row.Closed, row.WatchUntil = true, time.Time{}
	}
	return row
}

// awaitFlight waits for the act that is under way in this process, and has
// everything read again: the ledger then knows it.
func (c *call) awaitFlight(ctx context.Context, key Key) *Result {
	row, ok, err := c.e.o.Ledger.Find(ctx, key)
	if err != nil {
		return c.ledgerDown(ctx, "find", err)
	}
	if ok && row.State == StateInFlight {
		return c.join(ctx, row)
	}
	done := c.e.flights.under(key)
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return c.interrupted(ctx)
	}
}

var errPanicked = errors.New("panic")

type panicked struct{ value any }

func (p panicked) Error() string { return errPanicked.Error() }
