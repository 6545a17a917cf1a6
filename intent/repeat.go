package intent

import "context"

// leaveToRepeat checks a deliberate repeat: the same facts and again_after. An
// irreversible act may be repeated only where a person allowed it for that
// effect; a reversible one only where the authority, asked now, says that the
// effect is undone. Nil: there is nothing to check, or there is leave.
func (c *call) leaveToRepeat(ctx context.Context, p *plan, exists bool) *Result {
	if c.loc.Again == "" || exists {
		return nil
	}
	earlier, found, err := c.e.o.Ledger.ByEffect(ctx, c.loc.Ticket, c.op.Tool(), c.loc.Again)
	if err != nil {
		return c.ledgerDown(ctx, "effect to repeat", err)
	}
	if !found {
		return c.noLeave(ctx, nil, Act{})
	}
	act, err := c.e.o.Ledger.Act(ctx, earlier.Key)
	if err != nil {
		return c.ledgerDown(ctx, "act to repeat", err)
	}
	if c.sameFacts(p, earlier, act) && c.mayFollow(ctx, earlier, act) {
		return nil
	}
	return c.noLeave(ctx, &earlier, act)
}

// sameFacts reports whether the earlier intent is this one but for the effect
// that it followed itself.
func (c *call) sameFacts(p *plan, earlier Row, act Act) bool {
	followed := followedBy(c.op, act)
	return DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), again(p.reading.Facts, followed)) == earlier.Key
}

// followedBy is the effect that an act was to repeat; empty where it names none,
// or its texts have been erased.
func followedBy(op Operation, act Act) string {
	if len(act.Arguments) == 0 {
		return ""
	}
	return op.Locate(act.Arguments).Again
}

func (c *call) mayFollow(ctx context.Context, earlier Row, act Act) bool {
	if c.op.Class() != ClassReversible {
		return earlier.RepeatAllowed
	}
	seen := c.e.lookUp(ctx, c.op.Steps()[0], earlier, act)
	return undone(seen)
}

// noLeave refuses a deliberate repeat and tells a person that it was asked for.
// Nobody is told of one that names no effect: there is nothing to allow, and
// nothing to promise a customer.
func (c *call) noLeave(ctx context.Context, earlier *Row, act Act) *Result {
	r := Refusal{Reason: ReasonRepeatNotAllowed, Retry: RetryNever}
	if earlier == nil {
		r.Verdict = "Nothing was sent: again_after names no effect of this tool that is known on this ticket."
		r.Note = "Check again_after: list_effects with this ticket_id shows the ids. Leave it out where no repeat is meant."
		answer := c.e.refuse(r)
		return &answer
	}
	r.Related, r.TellCustomer = []Related{Relate(*earlier)}, working
	answer := c.e.refuse(r)
	answer.Escalation = c.e.raise(ctx, c.op, *earlier, act, CauseRepeat)
	return &answer
}
