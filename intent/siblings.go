package intent

import (
	"context"
	"math"
	"time"
)

// mostAround bounds how many intents around an anchor a decision looks at.
const mostAround = 200

// siblings turns the call away while another intent in its scope is open. One
// whose sender is gone or whose watch is over is looked up first; again is true
// where that changed it.
func (c *call) siblings(ctx context.Context, p *plan) (answer *Result, again bool) {
	if p.reading.Scope == "" {
		return nil, false
	}
	around, err := c.e.o.Ledger.Around(ctx, p.reading.Anchor, mostAround)
	if err != nil {
		return c.ledgerDown(ctx, "around", err), false
	}
	p.around = around
	for _, row := range around {
		if row.Key == p.key || row.Scope != p.reading.Scope || !row.Blocks() {
			continue
		}
		settled := c.e.settleStale(ctx, row)
		if !settled.Blocks() {
			return nil, true
		}
		return c.blocked(ctx, p.key, settled), false
	}
	return nil, false
}

// settleStale looks a row up that nobody is at work on any more: in flight and
// ownerless, or on watch beyond its time. Any other is returned as it is.
func (e *Engine) settleStale(ctx context.Context, row Row) Row {
	now := e.clock.now()
	gone := row.State == StateInFlight && (e.senderGone(row) || e.expired(row))
	over := row.State == StateNotPerformed && row.OnWatch() && !now.Before(row.WatchUntil)
	op, known := e.operations[row.Tool]
	if !known || !gone && !over {
		return row
	}
	act, err := e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		e.fault("act of a sibling", err)
		return row
	}
	settled, _, err := e.settle(ctx, op, row, act, e.lookUp(ctx, op.Steps()[row.Step], row, act))
	if err != nil {
		e.fault("settle a sibling", err)
		return row
	}
	return settled
}

// blocked names the open sibling. While that one is at work or on watch the
// caller may come back; while it waits for a person it may not.
func (c *call) blocked(ctx context.Context, key Key, by Row) *Result {
	r := Refusal{Reason: ReasonBlockedByOpen, Retry: RetryNever, Related: []Related{Relate(by)}}
	r.Verdict, r.Note = blockedWords(by)
	after := time.Duration(0)
	switch {
	case by.State == StateInFlight || by.State == StateReady:
		r.Retry, after = RetryWait, retryAfterAbsence
	case by.State == StateNotPerformed:
		r.Retry, after = RetryWait, by.WatchUntil.Sub(c.e.clock.now())
	}
	answer := c.e.refuse(r)
	answer.IntentKey = key.String()
	if r.Retry == RetryWait {
		answer.RetryAfterSeconds = seconds(after)
		return &answer
	}
	if esc := c.e.escalationOf(ctx, by); esc != nil {
		answer.Escalation = c.e.escalationResult(*esc)
	}
	return &answer
}

// seconds rounds a pause up to whole seconds, at least 1.
func seconds(d time.Duration) int {
	return max(1, int(math.Ceil(d.Seconds())))
}

// Relate names a row in another answer.
func Relate(row Row) Related {
	at := row.EffectAt
	if at.IsZero() {
		at = row.CreatedAt
	}
	outcome := outcomeOf(row)
	if outcome == AlreadyPerformed {
		outcome = Performed // of the act itself, not of a call that repeats it
	}
	return Related{
		IntentKey: row.Key.String(), Tool: row.Tool, Outcome: outcome,
		EffectID: row.EffectID, Cents: row.Cents, At: Timestamp(at),
	}
}
