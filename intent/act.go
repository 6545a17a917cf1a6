package intent

import (
	"context"
	"errors"
	"slices"
	"time"
)

// act sends what was claimed, settles what became of it, records that and
// answers. From here on the request's cancellation stops nothing.
func (c *call) act(ctx context.Context, row Row, act Act) Result {
	ctx, cancel := c.e.detach(ctx, c.due)
	defer cancel()
	c.before = row.Sends - 1
	began, sent := row.ClaimedAt, false
	for sends := 1; ; sends++ {
		answer := c.send(ctx, row, act)
		c.e.at(PointSent)
		end := c.conclude(ctx, row, act, answer)
		if end.left {
			return c.leftBehind(row, act)
		}
		end.earlier = c.before > 0 || sends == 1 && end.replayed
		end.began = began
		sent = sent || end.answer != answerNotSent
		end.sent = sent
		c.e.at(PointSettled)
		recorded, told, err := c.record(ctx, row, act, end)
		c.e.at(PointRecorded)
		if err == nil && sends < c.op.Class().engineSends() {
			next, again := c.sendAgain(ctx, recorded)
			switch {
			case again:
				row = next
				continue
			case next.Version != recorded.Version: // somebody else is at it, or has settled it
				return *c.asItIs(ctx, next)
			}
		}
		return c.answer(ctx, recorded, act, end, told, err)
	}
}

// send puts the claimed request on the wire, once, under its own deadline.
func (c *call) send(ctx context.Context, row Row, act Act) Answer {
	ctx, cancel := context.WithTimeout(ctx, row.SendBy.Sub(c.e.clock.now()))
	defer cancel()
	step := c.op.Steps()[row.Step]
	return step.Send(ctx, Order{
		Intent: row.Key, Key: c.e.providerKey(step, row),
		Request: act.Request, Payload: act.Payload, SendBy: row.SendBy,
	})
}

func (e *Engine) providerKey(step Step, row Row) string {
	return ProviderKey(e.o.Secret, row.Key, row.Ordinal, step.Provider(), e.o.Ledger.Account(), row.Step)
}

// answerNotSent is how an attempt reads of which provably no byte left.
const answerNotSent = "not_sent"

// conclusion is how one send ended.
type conclusion struct {
	ruling   ruling
	answer   string // for the attempt: performed, refused, not_sent, ambiguous
	detail   string
	replayed bool      // the authority had this key already
	earlier  bool      // an effect may be an earlier call's
	began    time.Time // when this call first claimed
	sent     bool      // a byte of this call's may have left, now or at its first send
	left     bool      // cut off by a departing engine before anything was learnt
}

// conclude classifies one answer. A refusal settles its own attempt only: while
// an earlier one may still land, the answer comes from a lookup.
func (c *call) conclude(ctx context.Context, row Row, act Act, answer Answer) conclusion {
	now := c.e.clock.now()
	ended := row
	ended.SenderDone, ended.SendBy = true, c.e.endedBy(row, now)
	switch a := answer.(type) {
	case AnsweredPerformed:
		return c.concludePerformed(ended, a, now)
	case AnsweredRefused:
		end := conclusion{answer: "refused", detail: a.Code}
		if row.OnWatch() {
			return c.concludeByLookup(ctx, ended, act, end)
		}
		end.ruling = refusedRuling(ended, a, now)
		return end
	case AnsweredNotSent:
		ended.Sends--
		if row.OnWatch() {
			return c.concludeByLookup(ctx, ended, act, conclusion{answer: answerNotSent, detail: a.Detail})
		}
		ended.State, ended.Reason, ended.Retry = StateNotPerformed, ReasonNotSent, RetryWait
		ended.RetryAt = now.Add(retryAfterAbsence)
		return conclusion{ruling: ruling{row: ended}, answer: answerNotSent, detail: a.Detail}
	case AnsweredAmbiguous:
		ended.Ambiguous++
		ended.Stored = a.Stored
		return c.concludeByLookup(ctx, ended, act, conclusion{answer: "ambiguous", detail: a.Detail})
	}
	ended.Ambiguous++
	return c.concludeByLookup(ctx, ended, act, conclusion{answer: "ambiguous", detail: "no answer of a known kind"})
}

func (c *call) concludePerformed(row Row, a AnsweredPerformed, now time.Time) conclusion {
	watched := row.OnWatch()
	next := withEffect(row, a.Effect)
	next.Evidence, next.ConfirmedAt = EvidenceResponse, now
	end := conclusion{answer: "performed", replayed: a.Replayed}
	if a.Effect.comeToNothing(c.op.Class()) {
		end.ruling = ruleUndone(row, next)
		return end
	}
	next.State, next.Reason, next.Retry = StatePerformed, "", ""
	end.ruling = ruling{row: next}
	if watched && a.Replayed && c.before > 0 { // an earlier call was told that it was absent
		end.ruling.causes = []Cause{CauseLateLanding}
	}
	return end
}

// refusedRuling: the authority said no to the only attempt that was open.
func refusedRuling(row Row, a AnsweredRefused, now time.Time) ruling {
	row.State, row.Reason, row.Evidence = StateNotPerformed, ReasonRefused, EvidenceResponse
	row.Stored = a.Permanent // a refusal for now is not kept under the key, which then stays
	if a.Permanent {
		row.Retry = RetryNever
		return ruling{row: row, causes: []Cause{CauseRefused}}
	}
	row.Retry = RetryWait
	row.RetryAt = now.Add(max(a.RetryAfter, time.Second))
	return ruling{row: row}
}

// concludeByLookup settles an attempt whose answer decides nothing, within what
// is left of the budget.
func (c *call) concludeByLookup(ctx context.Context, row Row, act Act, end conclusion) conclusion {
	if c.e.leave.wasCut() {
		return conclusion{left: true}
	}
	step := c.op.Steps()[row.Step]
	ctx, cancel := context.WithDeadline(ctx, c.due.Add(-c.e.reserve()))
	defer cancel()
	seen := c.e.lookUpUntil(ctx, step, row, act)
	if c.e.leave.wasCut() && !learnt(seen) {
		return conclusion{left: true}
	}
	end.ruling = rule(row, c.op.Class(), step.Capabilities(), seen)
	return end
}

// reserve is kept of the budget to record and to tell a person.
func (e *Engine) reserve() time.Duration { return e.o.ProviderTimeout / 2 }

// sendAgain claims the one repeat that a reversible act is granted within a
// call: nothing is there, and the provider deduplicates on the key. Where the
// claim is not made, the row is as it was, or as somebody else has written it.
func (c *call) sendAgain(ctx context.Context, row Row) (Row, bool) {
	caps := c.op.Steps()[row.Step].Capabilities()
	due := row.State == StateNotPerformed && row.Reason == ReasonAbsent && row.Retry == RetryWait
	if !due || caps.Dedupe == 0 || caps.Lookup != LookupReadAfterWrite || c.mayClaim(ctx) != nil {
		return row, false
	}
	next, sendable := c.e.nextOrdinal(row, caps)
	if !sendable {
		return row, false
	}
	next = c.e.inFlight(next)
	ch := Change{Row: &next, Seen: row.Version, Exclusive: true}
	claimed, err := c.e.commit(ctx, ch)
	if err != nil {
		if current, moved := c.e.writtenSince(ctx, ch, err); moved && madeBefore(ch, current) {
			claimed, err = current, nil // made, and answered with an error
		}
	}
	var blocked *BlockedError // a person released the scope meanwhile, and another one went on in it
	var stale *StaleError
	switch {
	case errors.As(err, &stale):
		return stale.Current, false
	case err != nil:
		if !errors.As(err, &blocked) {
			c.e.fault("claim a repeat", err)
		}
		return row, false
	}
	c.claimed = &claimed
	return claimed, true
}

// leftBehind answers for a claim that a departing engine leaves to the next
// process.
func (c *call) leftBehind(row Row, act Act) Result {
	return c.e.sayRow(row, act, c.op, spoken{})
}

// answer puts how this call's own send ended into words.
func (c *call) answer(ctx context.Context, row Row, act Act, end conclusion, told *Escalation, err error) Result {
	mine := end.ruling.row
	if mine.State == StatePerformed && row.State == StatePerformed { // what this call was told, whoever wrote first
		row.EffectID, row.Status, row.Final, row.EffectAt = mine.EffectID, mine.Status, mine.Final, mine.EffectAt
		row.Evidence = mine.Evidence
	}
	s := spoken{evidence: row.Evidence, told: told, unrecorded: err != nil}
	if row.State == StatePerformed {
		s.outcome = Performed
		older := !row.EffectAt.IsZero() && row.EffectAt.Before(end.began)
		if end.earlier && (end.replayed || older) || !end.sent {
			s.outcome = AlreadyPerformed
		}
	}
	return *c.sayWith(ctx, row, act, s)
}

// record makes what became of a send durable before the answer leaves. Evidence
// that the effect exists wins over whatever was written meanwhile; anything
// weaker gives way to it.
func (c *call) record(ctx context.Context, claim Row, act Act, end conclusion) (Row, *Escalation, error) {
	ch := c.e.change(ctx, c.op, claim, end.ruling, act)
	ch.Attempt.Answer, ch.Attempt.Detail = end.answer, end.detail
	for {
		row, err := c.e.commitFirmly(ctx, ch)
		if err == nil {
			return row, c.e.tellFirst(ctx, ch.Escalate), nil
		}
		current, moved := c.e.writtenSince(ctx, ch, err)
		switch {
		case moved && madeBefore(ch, current):
			return current, c.e.tellFirst(ctx, ch.Escalate), nil
		case moved:
			ch = c.reconcile(ctx, ch, current, act, end)
		default:
			c.e.fault("record", err)
			c.e.spill(ctx, c.op, ch, act)
			return *ch.Row, c.e.tellFirst(ctx, ch.Escalate), err
		}
	}
}

// madeBefore reports whether the row is as a change has made it already: a commit
// may be made and answered with an error.
func madeBefore(ch Change, current Row) bool {
	current.Version = ch.Row.Version
	return current == *ch.Row
}

// reconcile decides a record again on a row that somebody else has written.
// While the claim is still this call's own, what it learnt stands; after that
// only an effect does.
func (c *call) reconcile(ctx context.Context, ch Change, current Row, act Act, end conclusion) Change {
	mine := end.ruling.row
	r := ruling{row: current}
	switch {
	case current.Nonce == mine.Nonce && current.State == StateInFlight:
		r = end.ruling
		r.row.Released = current.Released
	case mine.State == StatePerformed:
		r = ruleFound(current, c.op.Class(), Effect{
			ID: mine.EffectID, Cents: mine.Cents, Currency: mine.Currency, Status: mine.Status, Final: mine.Final, At: mine.EffectAt,
		}, mine.ConfirmedAt)
		r.row.Evidence = mine.Evidence
		r.causes = append(r.causes, end.ruling.causes...)
	}
	if current.Nonce == mine.Nonce { // no later claim has been made
		r.row.SenderDone = true
	}
	kept := c.kept(ctx, ch)
	if end.answer == answerNotSent && r.row.Sends == current.Sends && !kept {
		r.row.Sends-- // whoever settled this claim had to count it
	}
	again := c.e.change(ctx, c.op, current, r, act)
	if again.Attempt = nil; !kept {
		again.Attempt = ch.Attempt
	}
	return again
}

// kept reports whether a record has been made already, and answered with an error:
// the attempt that it ends is in the ledger.
func (c *call) kept(ctx context.Context, ch Change) bool {
	ctx, cancel := recording(ctx)
	defer cancel()
	attempts, err := c.e.o.Ledger.Attempts(ctx, ch.Row.Key)
	if err != nil {
		c.e.fault("attempts", err)
	}
	return slices.ContainsFunc(attempts, func(a Attempt) bool {
		return a.Owner == ch.Attempt.Owner && a.StartedAt.Equal(ch.Attempt.StartedAt) && a.Answer == ch.Attempt.Answer
	})
}
