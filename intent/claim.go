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
	row, answer := c.claimRow(ctx, p)
	if answer != nil || row.Key.IsZero() {
		return nil, answer
	}
	if !c.takeOff(p.key) {
		return nil, c.awaitFlight(ctx, p.key)
	}
	p.act = withoutUnapproved(p.row, p.act)
	ch := Change{Row: &row, Seen: p.row.Version, Act: &p.act, Since: p.mark, Exclusive: true}
	if row.Step == 0 {
		ch.Fingerprints = c.fingerprints(p.reading)
	}
	if ch.Seen == 0 {
		ch.Resources = p.reading.Resources
	}
	claimed, err := c.e.commit(ctx, ch)
	if err != nil {
		c.land()
		return nil, c.notClaimed(ctx, p.key, err)
	}
	c.claimed = &claimed
	c.e.at(PointClaimed)
	return &claimed, nil
}

// notClaimed answers for a claim that the ledger refused. Nil: read again.
func (c *call) notClaimed(ctx context.Context, key Key, err error) *Result {
	var blocked *BlockedError
	switch {
	case errors.As(err, &blocked):
		if by := c.e.settleStale(ctx, blocked.By); by.Blocks() {
			return c.blocked(ctx, key, by)
		}
		return nil
	case moved(err):
		return nil
	}
	return c.ledgerDown(ctx, "claim", err)
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
		return c.withdrawn(ctx)
	}
	if c.e.clock.now().After(c.claimBy) {
		answer := c.e.refuse(Refusal{Reason: ReasonUnreachable})
		return &answer
	}
	return nil
}

// claimRow is the row as the claim makes it. What may not be sent again, and is
// not closed, is unknown from now on, and a person is told.
func (c *call) claimRow(ctx context.Context, p *plan) (Row, *Result) {
	row, caps := p.row, c.op.Steps()[p.row.Step].Capabilities()
	if row.Sends > 0 {
		row.SenderDone = row.SenderDone || c.e.senderGone(row)
		row = closeBy(row, caps, p.seen)
	}
	row, sendable := c.e.nextOrdinal(row, caps)
	if !sendable {
		return Row{}, c.notSendable(ctx, p)
	}
	return askedBy(ctx, c.e.inFlight(row)), nil
}

// nextOrdinal is the ordinal of the provider key under which a row may be sent.
// It stays while the provider would still deduplicate on it, so that not even a
// lost ledger or a sender that wakes up late can make two effects: it advances
// past a provider's last word, or, once the key is too old, past a proven
// absence. A key that is too old, and not closed, is not sent again.
func (e *Engine) nextOrdinal(row Row, caps Capabilities) (next Row, sendable bool) {
	now := e.clock.now()
	age := e.keyAge(row, now)
	tooOld := !row.OrdinalAt.Add(age).Before(caps.keyUsableUntil(row.OrdinalAt)) || fellBack(row, now) || age < -backwards
	switch {
	case row.Sends == 0:
		row.OrdinalAt = now
	case row.Closed && (row.Stored || tooOld):
		row.Ordinal, row.OrdinalAt, row.Stored = row.Ordinal+1, now, false
	case row.Ambiguous > 0 && tooOld:
		return row, false
	}
	row.Closed = false
	return row, true
}

// notSendable records that an intent can be neither sent again nor called
// absent, and tells a person.
func (c *call) notSendable(ctx context.Context, p *plan) *Result {
	unsure := p.row
	unsure.State, unsure.Reason, unsure.Retry = StateUnknown, ReasonLookupWeak, ""
	unsure.Evidence = ""
	if learnt(p.seen) {
		unsure.Evidence = EvidenceLookup
	}
	ch := c.e.change(ctx, c.op, p.row, ruling{row: unsure, causes: []Cause{CauseUnknown}}, p.act)
	row, err := c.e.commit(ctx, ch)
	if moved(err) {
		return nil
	}
	if err != nil {
		c.e.fault("record an unknown", err)
		row = *ch.Row
	}
	told := c.e.tellFirst(ctx, ch.Escalate)
	return c.sayWith(ctx, row, p.act, spoken{evidence: row.Evidence, told: told, unrecorded: err != nil})
}

// inFlight is a row as a claim makes it.
func (e *Engine) inFlight(row Row) Row {
	now := e.clock.now()
	row.State, row.Reason, row.Retry, row.Evidence = StateInFlight, "", "", ""
	row.Owner, row.Nonce, row.SenderDone = e.o.Ledger.Owner(), e.o.NewID(), false
	row.ClaimedAt, row.ClaimedUp, row.UpdatedAt = now, e.uptime(), now
	row.SendBy = now.Add(e.o.ProviderTimeout)
	row.DueAt = now.Add(e.claimLasts())
	row.RetryAt, row.Sweeps = time.Time{}, 0
	row.Sends++
	row.Reopened, row.Released = false, false
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
	over := seen.afterLanding(row, caps) && !seen.asked.Before(row.WatchUntil)
	if over && seen.absenceCounts(row, caps) && row.SenderDone {
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
