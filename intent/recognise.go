package intent

import (
	"context"
	"time"
)

// How long an effect that was seen at the authority is believed without asking
// again.
const (
	confirmedFor           = 24 * time.Hour
	confirmedForReversible = 15 * time.Minute
)

// recognise answers an exact repeat from the ledger, without a read and
// without a durable write, where the ledger's answer cannot have changed. Nil:
// go on.
func (c *call) recognise(ctx context.Context) *Result {
	if ctx.Err() != nil {
		return c.interrupted(ctx)
	}
	row, ok, err := c.e.o.Ledger.Recognise(ctx, c.loc.Ticket, c.fp)
	if err != nil {
		return c.ledgerDown(ctx, "recognise", err)
	}
	if !ok {
		return nil
	}
	return c.fromRow(ctx, row)
}

// fromRow answers from a row of this very intent, settling it where it is open.
// Nil: the row does not hold the answer; it is decided anew.
func (c *call) fromRow(ctx context.Context, row Row) *Result {
	switch row.State {
	case StatePerformed:
		if c.believed(ctx, row) {
			return c.remembered(ctx, row)
		}
		return c.lookAgain(ctx, row)
	case StateInFlight:
		return c.join(ctx, row)
	case StateUnknown:
		return c.lookAgain(ctx, row)
	case StateNotPerformed:
		if row.Retry == RetryNever && !row.Reopened {
			return c.remembered(ctx, row)
		}
		return nil
	case StateAwaiting, StateReady, StateQueued:
	}
	return nil
}

// believed reports whether a performed row needs no lookup. What can be undone
// is not believed while something in its scope is open, or newer.
func (c *call) believed(ctx context.Context, row Row) bool {
	if !row.Final {
		return false
	}
	age := c.e.clock.now().Sub(row.ConfirmedAt)
	if c.op.Class() != ClassReversible {
		return age < confirmedFor
	}
	return age < confirmedForReversible && len(c.newerInScope(ctx, row)) == 0
}

// newerInScope are the other rows of a row's scope that were written after it, or
// after its effect was last seen, or are still open; newest first.
func (c *call) newerInScope(ctx context.Context, row Row) []Row {
	anchor := c.loc.Anchor
	if anchor == (Resource{}) {
		anchor = c.loc.Ticket
	}
	around, err := c.e.o.Ledger.Around(ctx, anchor, mostAround)
	if err != nil {
		c.e.fault("around", err)
		return nil
	}
	var newer []Row
	for _, other := range around {
		after := other.Version > row.Version || !other.UpdatedAt.Before(row.ConfirmedAt) // a person may have written the row since
		if other.Scope == row.Scope && other.Key != row.Key && (after || other.Open()) {
			newer = append(newer, other)
		}
	}
	return newer
}

// asItIs answers from a row, settling it where it is open, and sends nothing.
func (c *call) asItIs(ctx context.Context, row Row) *Result {
	if answer := c.fromRow(ctx, row); answer != nil {
		return answer
	}
	return c.remembered(ctx, row)
}

// remembered answers from the ledger alone.
func (c *call) remembered(ctx context.Context, row Row) *Result {
	c.e.o.Ledger.CountRepeat(row.Key)
	return c.say(ctx, row, spoken{outcome: c.ownOutcome(row), evidence: rowEvidence(row)})
}

// rowEvidence is what an answer from the ledger alone rests on: a person's word
// stays a person's word.
func rowEvidence(row Row) Evidence {
	if row.Evidence == EvidencePerson {
		return EvidencePerson
	}
	return EvidenceLedger
}

// lookAgain looks an open or no longer believed intent up once, records what it
// learns, and answers.
func (c *call) lookAgain(ctx context.Context, row Row) *Result {
	act, err := c.e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		return c.ledgerDown(ctx, "act", err)
	}
	seen := c.e.lookUp(ctx, c.op.Steps()[row.Step], row, act)
	if undone(seen) {
		if next, ok := c.successor(ctx, row); ok {
			return c.fromRow(ctx, next)
		}
	}
	settled, told, err := c.e.settle(ctx, c.op, row, act, seen)
	if err != nil {
		c.e.fault("record what a lookup found", err)
	}
	evidence := rowEvidence(settled)
	found, there := seen.finding.(Found)
	if there && found.Effect.ID == settled.EffectID || learnt(seen) && settled.State != StatePerformed {
		evidence = EvidenceLookup
	}
	return c.sayWith(ctx, settled, act, spoken{
		outcome: c.ownOutcome(settled), evidence: evidence, told: told, unrecorded: err != nil,
		unseen: c.op.Class() == ClassReversible && settled.State == StatePerformed && !learnt(seen),
	})
}

// ownOutcome is performed where this call's own send brought the effect, which
// a later caller would read as already performed; empty otherwise.
func (c *call) ownOutcome(row Row) Outcome {
	if c.claimed == nil || row.State != StatePerformed || row.EffectAt.Before(c.claimed.ClaimedAt) {
		return ""
	}
	return Performed
}
