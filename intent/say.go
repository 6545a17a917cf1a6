package intent

import (
	"context"
	"errors"
	"slices"
	"time"
)

// spoken is what an answer says beyond the row that it is rebuilt from.
type spoken struct {
	outcome    Outcome  // where it is not the one that a later caller would read
	reason     Reason   // likewise
	evidence   Evidence // what this answer rests on
	told       *Escalation
	unrecorded bool
	unseen     bool // the effect could not be looked at, and may have been undone since
}

// outcomeOf is the outcome that a row reads as to a caller who did not send.
func outcomeOf(row Row) Outcome {
	switch row.State {
	case StatePerformed:
		return AlreadyPerformed
	case StateNotPerformed, StateAwaiting, StateReady:
		return NotPerformed
	case StateInFlight, StateUnknown, StateQueued:
	}
	return Unknown
}

// ReasonOf is the reason that goes with the outcome of a row.
func ReasonOf(row Row) Reason {
	switch row.State {
	case StatePerformed:
		return ""
	case StateInFlight:
		return ReasonInFlight
	case StateReady:
		if row.Reason != "" { // of the try before the next one
			return row.Reason
		}
		return ReasonApproval
	case StateAwaiting:
		return ReasonApproval
	case StateQueued:
		return ReasonQueued
	case StateUnknown, StateNotPerformed:
	}
	return row.Reason
}

// say answers from a row, reading what is kept of its act.
func (c *call) say(ctx context.Context, row Row, s spoken) *Result {
	reads, cancel := recording(ctx)
	defer cancel()
	act, err := c.e.o.Ledger.Act(reads, row.Key)
	if err != nil { // the row is what counts; it is named in general terms then
		c.e.fault("act", err)
	}
	return c.sayWith(ctx, row, act, s)
}

// sayWith answers from a row and its act, with how far a person has been told.
func (c *call) sayWith(ctx context.Context, row Row, act Act, s spoken) *Result {
	if s.told == nil {
		reads, cancel := recording(ctx)
		defer cancel()
		s.told = c.e.escalationOf(reads, row)
	}
	answer := c.e.sayRow(row, act, c.op, s)
	if c.e.o.Told != nil && answer.Outcome == AlreadyPerformed {
		answer.Told = slices.DeleteFunc(c.e.o.Told(ctx, row.Ticket, row.EffectAt), func(t Told) bool {
			return t.MessageID == row.EffectID // the effect itself
		})
	}
	return &answer
}

// sayRow rebuilds an answer from a row. It is pure but for the clock.
func (e *Engine) sayRow(row Row, act Act, op Operation, s spoken) Result {
	r := Result{
		Outcome: outcomeOf(row), Reason: ReasonOf(row), IntentKey: row.Key.String(),
		Attempts: row.Sends, Evidence: s.evidence, Environment: e.o.Environment,
		Status: row.Status, At: Timestamp(row.EffectAt),
	}
	if s.outcome != "" {
		r.Outcome = s.outcome
	}
	if s.reason != "" {
		r.Reason = s.reason
	}
	if row.EffectID != "" {
		r.SetEffect(op.Field(), row.EffectID)
		if r.Reason != ReasonMismatch { // that effect is of other figures
			r.Cents, r.Currency = row.Cents, row.Currency
		}
		r.ConfirmedAt = Timestamp(row.ConfirmedAt)
	}
	if s.told != nil {
		r.Escalation = e.escalationResult(*s.told)
	}
	if s.unrecorded {
		no := false
		r.Recorded = &no
	}
	r.Retry, r.RetryAfterSeconds = e.retryOf(row, r)
	r.DoNotRetry = r.Retry == RetryNever || r.Retry == RetryNotNeeded
	d := op.Describe(act)
	phrase(&r, row, d, op.Class(), act.Figures)
	if s.unseen && r.Outcome == AlreadyPerformed {
		phraseUnseen(&r, d)
	}
	return r
}

// retryOf is what the caller may do next.
func (e *Engine) retryOf(row Row, r Result) (Retry, int) {
	switch r.Outcome {
	case Performed, AlreadyPerformed:
		return RetryNotNeeded, 0
	case NotPerformed:
		if row.Retry == RetryWait && (row.State == StateNotPerformed || row.State == StateReady) {
			return RetryWait, seconds(row.RetryAt.Sub(e.clock.now()))
		}
		if row.Reopened && row.State == StateNotPerformed {
			return RetryWait, 1
		}
	case Unknown:
	}
	return RetryNever, 0
}

// refuse answers a call that claimed nothing. Verdict, note and the word for the
// customer default to the reason's own.
func (e *Engine) refuse(f Refusal) Result {
	words := refusalWords(f.Reason)
	r := Result{
		Verdict: words.verdict, Note: words.note, TellCustomer: words.customer,
		Outcome: NotPerformed, Reason: f.Reason, Retry: words.retry,
		Related: f.Related, Environment: e.o.Environment,
	}
	if f.Retry != "" {
		r.Retry = f.Retry
	}
	if f.Verdict != "" {
		r.Verdict = f.Verdict
	}
	if f.Note != "" {
		r.Note = f.Note
	}
	if f.TellCustomer != "" {
		r.TellCustomer = f.TellCustomer
	}
	if r.Retry == RetryWait {
		r.RetryAfterSeconds = seconds(retryAfterAbsence)
	}
	r.DoNotRetry = r.Retry == RetryNever
	return r
}

// withdrawn answers a call that was cancelled, or met a departing engine,
// before it claimed anything. What an earlier one did is told all the same.
func (c *call) withdrawn(ctx context.Context) *Result {
	reads, cancel := recording(ctx)
	defer cancel()
	row, ok, err := c.e.o.Ledger.Recognise(reads, c.loc.Ticket, c.fp)
	if err == nil && ok && row.State == StatePerformed {
		return c.remembered(reads, row)
	}
	answer := c.e.refuse(Refusal{Reason: ReasonCancelled})
	return &answer
}

// interrupted answers a call whose context ended before it claimed anything:
// withdrawn by its caller, or out of the time that the reads took.
func (c *call) interrupted(ctx context.Context) *Result {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		answer := c.e.refuse(Refusal{Reason: ReasonUnreachable})
		return &answer
	}
	return c.withdrawn(ctx)
}

// ledgerDown answers where the ledger cannot be read or written: nothing was
// sent by this call, and nothing is said of earlier ones.
func (c *call) ledgerDown(ctx context.Context, where string, err error) *Result {
	if ctx.Err() != nil && c.claimed == nil {
		return c.interrupted(ctx)
	}
	c.e.fault(where, err)
	answer := c.e.refuse(Refusal{Reason: ReasonLedger})
	return &answer
}

// afterPanic answers for a call of ours that broke: before its claim nothing
// happened, after it the row decides.
func (c *call) afterPanic(ctx context.Context) (result Result) {
	if c.claimed == nil {
		return c.e.refuse(Refusal{Reason: ReasonInternal})
	}
	row := *c.claimed
	c.land()
	defer func() {
		if p := recover(); p != nil {
			c.e.fault("panic while settling a panic", caught(p))
			result = Result{
				Verdict: "Unknown: this call broke off after it may have sent. Do not ask again.", Outcome: Unknown,
				DoNotRetry: true, Retry: RetryNever, Reason: ReasonInFlight, IntentKey: row.Key.String(),
				Note: "list_effects with this intent_key shows how it ends.", Attempts: row.Sends, Environment: c.e.o.Environment,
			}
		}
	}()
	ctx, cancel := c.e.detach(ctx, c.due.Add(time.Second))
	defer cancel()
	current, ok, err := c.e.o.Ledger.Find(ctx, row.Key)
	if err != nil || !ok {
		current = row
	}
	if current.State == StateInFlight {
		return *c.lookAgain(ctx, current)
	}
	return *c.remembered(ctx, current)
}

// RepeatGets is what the same call would get now: one of the outcomes, joined
// (it waits for the act under way) or new_attempt.
func RepeatGets(row Row) string {
	switch row.State {
	case StatePerformed:
		return string(AlreadyPerformed)
	case StateInFlight:
		return "joined"
	case StateUnknown, StateQueued:
		return string(Unknown)
	case StateAwaiting:
		return string(NotPerformed)
	case StateReady:
		return "new_attempt"
	case StateNotPerformed:
	}
	if row.Retry == RetryNever && !row.Reopened {
		return string(NotPerformed)
	}
	return "new_attempt"
}
