package intent

import (
	"context"
	"encoding/json"
)

// handoff tells a person because the model asked for one. It has no siblings,
// limits or switches; it is written to the outbox first and repeated until it
// is delivered, under one key.
func (c *call) handoff(ctx context.Context) Result {
	reading, answer := c.readForHandoff(ctx)
	if answer != nil {
		return *answer
	}
	c.e.at(PointRead)
	key, row, exists, err := c.handoffRow(ctx, reading)
	if err != nil {
		return *c.ledgerDown(ctx, "find", err)
	}
	if exists && row.State == StatePerformed {
		return *c.remembered(ctx, row)
	}
	act := Act{Arguments: c.args, Payload: reading.Payload}
	if !exists {
		if answer := c.queueHandoff(ctx, key, reading, act); answer != nil {
			return *answer
		}
	}
	return c.deliverHandoff(ctx, key, act, exists)
}

// deliverHandoff tries the outbox entry of a handoff once, and answers by what
// the desk has.
func (c *call) deliverHandoff(ctx context.Context, key Key, act Act, earlier bool) Result {
	if c.e.o.Desk != nil {
		if answer := c.turn(ctx, key); answer != nil {
			return *answer
		}
	}
	esc, ok, err := c.e.o.Ledger.Escalation(ctx, key)
	if err != nil || !ok {
		return *c.ledgerDown(ctx, "outbox", err)
	}
	t := c.e.deliverWithin(ctx, esc, c.e.o.ProviderTimeout)
	esc = t.esc
	reads, cancel := recording(ctx)
	defer cancel()
	row, ok, err := c.e.o.Ledger.Find(reads, key)
	if err != nil || !ok {
		return *c.ledgerDown(ctx, "find", err)
	}
	s := spoken{told: &esc, evidence: row.Evidence}
	if !esc.DeliveredAt.IsZero() {
		if row.State != StatePerformed { // the desk has it, and that could not be written
			s.unrecorded, s.evidence = true, t.evidence
		}
		row.State, row.EffectID = StatePerformed, esc.HandoffID
		s.outcome = Performed
		if earlier && row.Evidence == EvidenceLookup {
			s.outcome = AlreadyPerformed // an earlier call's send had arrived
		}
	}
	return *c.sayWith(ctx, row, act, s)
}

// turn waits until this call may send a handoff. A call that meets another one
// at the desk joins it, and answers with what that comes to.
func (c *call) turn(ctx context.Context, key Key) *Result {
	joined := false
	for n := 0; ; n++ {
		row, ok, err := c.e.o.Ledger.Find(ctx, key)
		if err != nil || !ok {
			return c.ledgerDown(ctx, "find", err)
		}
		if row.State == StatePerformed || joined && !c.e.atTheDesk(row) {
			return c.remembered(ctx, row)
		}
		had, err := c.e.takeTurn(ctx, row, c.e.o.ProviderTimeout)
		switch {
		case err != nil:
			return c.ledgerDown(ctx, "take a turn", err)
		case had:
			return nil
		}
		joined = true
		if !c.awaitChange(ctx, key, n) {
			return c.say(ctx, row, spoken{})
		}
	}
}

// readForHandoff reads the ticket. A person must be reachable even while
// nothing can be read: then the ticket is taken as it was spelled.
func (c *call) readForHandoff(ctx context.Context) (Readable, *Result) {
	if ctx.Err() != nil || !c.e.leave.mayClaim(c.e.clock.now()) {
		return Readable{}, c.withdrawn(ctx)
	}
	switch r := c.readRepeatedly(ctx).(type) {
	case Readable:
		return r, nil
	case RefusedByRead:
		answer := c.e.refuse(Refusal{Reason: r.Reason, Verdict: r.Verdict, Note: r.Note})
		return Readable{}, &answer
	case Unreadable:
	}
	return Readable{
		Facts: c.loc.Given, Spelled: c.loc.Given, Ticket: c.loc.Ticket.ID,
		Resources: []Resource{c.loc.Ticket}, Payload: c.args,
	}, nil
}

// handoffRow finds the intent of a handoff. One that the desk reports closed is
// followed by a new one, which names it; so is one of which the desk does not say
// how it stands, since what a person does not hear of is worse than what they hear
// twice. While the desk stays silent, one that is younger than a quarter of an hour
// counts as open all the same.
func (c *call) handoffRow(ctx context.Context, r Readable) (Key, Row, bool, error) {
	after := c.loc.Again
	for silent := false; ; {
		key := DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), again(r.Facts, after))
		row, exists, err := c.e.o.Ledger.Find(ctx, key)
		if err != nil || !exists || row.State != StatePerformed || c.e.o.Desk == nil {
			return key, row, exists, err
		}
		open := true
		switch seen := c.e.o.Desk.Lookup(ctx, Subject{Intent: key, Payload: r.Payload, EffectID: row.EffectID}).(type) {
		case Found:
			open = seen.Effect.Status != "closed"
		case LookupFailed:
			open = silent && c.e.clock.now().Sub(row.EffectAt) < confirmedForReversible
			silent = true
		case FoundOther, Absent, LookupUnsupported:
		}
		if open {
			return key, row, true, nil
		}
		after = row.EffectID
	}
}

// queueHandoff writes the intent and its outbox entry in one commit.
func (c *call) queueHandoff(ctx context.Context, key Key, r Readable, act Act) *Result {
	row := c.newRow(ctx, key, r)
	row.State, row.Reason, row.SenderDone = StateQueued, ReasonQueued, true
	var h Handoff
	if err := json.Unmarshal(r.Payload, &h); err != nil {
		c.e.fault("read a handoff", err)
		answer := c.e.refuse(Refusal{Reason: ReasonInternal})
		return &answer
	}
	_, err := c.e.commit(ctx, Change{
		Row: &row, Act: &act, Resources: r.Resources, Fingerprints: c.fingerprints(r),
		Escalate: []Escalation{{
			Key: key, Subject: key, Cause: CauseHandoff, Ticket: r.Ticket, Reason: h.Reason, Summary: h.Summary,
			CreatedAt: row.CreatedAt, DueAt: row.CreatedAt,
		}},
	})
	if err != nil && !moved(err) { // moved: another call has just queued it
		return c.ledgerDown(ctx, "queue a handoff", err)
	}
	return nil
}
