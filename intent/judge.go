package intent

import (
	"bytes"
	"context"
	"errors"
)

// judge asks the operation whether the act may be done, with the ledger's view.
// Every refusal is decided anew on every call.
func (c *call) judge(ctx context.Context, p *plan) (*plan, *Result) {
	view, err := c.view(ctx, p)
	if err != nil {
		return nil, c.ledgerDown(ctx, "view", err)
	}
	judgement := c.op.Judge(p.reading, view)
	if _, allowed := judgement.(Allowed); !allowed {
		if same, answer := c.stillAsRead(ctx, p); !same {
			return nil, answer
		}
		if p.row.OnWatch() {
			return nil, c.stillOnWatch(ctx, p)
		}
	}
	switch j := judgement.(type) {
	case Allowed:
		return p, nil
	case Refusal:
		answer := c.e.refuse(j)
		answer.IntentKey = p.key.String()
		return nil, c.showAgain(ctx, p, &answer, p.act.Figures)
	case NeedsPerson:
		if c.allowedByPerson(ctx, p, j) {
			return p, nil
		}
		return c.queueApproval(ctx, p, j)
	}
	c.e.fault("judge "+c.op.Tool(), errors.New("no judgement"))
	answer := c.e.refuse(Refusal{Reason: ReasonInternal})
	return nil, &answer
}

// stillAsRead reports whether nobody has acted on the intent since it was read:
// an answer that nothing happened must not rest on what has gone. A claim finds
// that out by itself.
func (c *call) stillAsRead(ctx context.Context, p *plan) (bool, *Result) {
	now, _, err := c.e.o.Ledger.Find(ctx, p.key)
	if err != nil {
		return false, c.ledgerDown(ctx, "find", err)
	}
	return now.Version == p.row.Version, nil
}

// stillOnWatch answers for an act that may not be sent again now, while an
// earlier attempt of it may still land: nothing else would be true of it.
func (c *call) stillOnWatch(ctx context.Context, p *plan) *Result {
	answer := c.sayWith(ctx, p.row, p.act, spoken{evidence: p.row.Evidence})
	if answer.Retry == RetryWait {
		answer.RetryAfterSeconds = seconds(max(p.row.WatchUntil.Sub(c.e.clock.now()), retryAfterAbsence))
	}
	return answer
}

func (c *call) view(ctx context.Context, p *plan) (View, error) {
	var view View
	around := p.around
	asked := p.reading.Scope != "" && c.loc.Again == "" // just now, for the siblings
	if !asked && p.reading.Anchor != (Resource{}) {
		var err error
		if around, err = c.e.o.Ledger.Around(ctx, p.reading.Anchor, mostAround); err != nil {
			return View{}, err
		}
	}
	for _, row := range around {
		if row.Key != p.key {
			view.Around = append(view.Around, row)
		}
	}
	totals, err := c.e.o.Ledger.Totals(ctx, p.reading.Resources, p.reading.Currency, p.key)
	view.Totals = totals
	return view, err
}

// allowedByPerson reports whether a person approved this intent on the figures
// that hold now.
func (c *call) allowedByPerson(ctx context.Context, p *plan, j NeedsPerson) bool {
	if p.row.Version == 0 || p.row.State == StateAwaiting || p.act.Figures != j.Figures {
		return false
	}
	return c.e.approved(ctx, p.key)
}

// approved reports whether a person's last word on an intent that waited was yes.
func (e *Engine) approved(ctx context.Context, key Key) bool {
	ctx, cancel := recording(ctx)
	defer cancel()
	decisions, err := e.o.Ledger.Decisions(ctx, key)
	if err != nil {
		e.fault("decisions", err)
		return false
	}
	allowed := false
	for _, d := range decisions {
		switch d.Verb {
		case VerbApprove:
			allowed = true
		case VerbDecline:
			allowed = false
		}
	}
	return allowed
}

// withoutUnapproved is an act whose row goes on from waiting without a person's
// word: the figures that it waits on are forgotten, so that an approval of
// others is never taken for one of these.
func withoutUnapproved(row Row, act Act) Act {
	if row.State == StateAwaiting {
		act.Figures = ""
	}
	return act
}

// queueApproval writes the intent as one that waits for a person, tells one,
// and says so.
func (c *call) queueApproval(ctx context.Context, p *plan, j NeedsPerson) (*plan, *Result) {
	if p.row.State == StateAwaiting {
		return c.stillAwaiting(ctx, p)
	}
	waiting := askedBy(ctx, p.row)
	waiting.State, waiting.Reason, waiting.Retry = StateAwaiting, ReasonApproval, RetryNever
	waiting.Reopened, waiting.Released = false, false // a release was of an attempt that has settled since
	waiting.DueAt = nextLook(waiting, c.op.Steps()[0].Capabilities(), c.e.clock.now())
	p.act.Figures = j.Figures
	waiting.UpdatedAt = c.e.clock.now()
	ch := Change{Row: &waiting, Seen: p.row.Version, Act: &p.act, Exclusive: true}
	if ch.Seen == 0 {
		ch.Resources = p.reading.Resources
	}
	ch.Fingerprints = c.fingerprints(p.reading)
	if esc, due := c.e.escalation(ctx, c.op, waiting, p.act, CauseApproval); due {
		ch.Escalate = []Escalation{esc}
	}
	row, err := c.e.commit(ctx, ch)
	if moved(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.ledgerDown(ctx, "queue an approval", err)
	}
	return nil, c.sayWith(ctx, row, p.act, spoken{told: c.e.tellFirst(ctx, ch.Escalate)})
}

// stillAwaiting answers for an intent that waits already. What the person was
// shown stays, whatever the figures are now: they decide on what they saw, and
// approving compares. Newer arguments are kept, so that what they acknowledge
// holds when the act is done.
func (c *call) stillAwaiting(ctx context.Context, p *plan) (*plan, *Result) {
	kept, err := c.e.o.Ledger.Act(ctx, p.key)
	if err != nil {
		return nil, c.ledgerDown(ctx, "act", err)
	}
	if !bytes.Equal(kept.Arguments, p.act.Arguments) {
		kept.Arguments = p.act.Arguments
		same := p.row
		_, err := c.e.commit(ctx, Change{Row: &same, Seen: p.row.Version, Act: &kept, Fingerprints: c.fingerprints(p.reading)})
		if moved(err) {
			return nil, nil
		}
		c.e.fault("keep newer arguments", err)
	}
	return nil, c.sayWith(ctx, p.row, kept, spoken{})
}

// showAgain puts an approved intent that can no longer be done as approved back
// before a person. The answer stays what it is.
func (c *call) showAgain(ctx context.Context, p *plan, answer *Result, figures string) *Result {
	if p.row.State != StateReady {
		return answer
	}
	waiting := p.row
	waiting.State, waiting.Reason, waiting.Retry = StateAwaiting, ReasonApproval, RetryNever
	waiting.Reopened = false
	waiting.UpdatedAt = c.e.clock.now()
	waiting.DueAt = nextLook(waiting, c.op.Steps()[0].Capabilities(), waiting.UpdatedAt)
	p.act.Figures = figures
	if _, err := c.e.commit(ctx, Change{Row: &waiting, Seen: p.row.Version, Act: &p.act}); err != nil && !moved(err) {
		c.e.fault("show an approval again", err)
	}
	return answer
}

// moved reports whether a commit was refused because the world has moved, so
// that everything is to be read again.
func moved(err error) bool {
	var stale *StaleError
	var blocked *BlockedError
	return errors.Is(err, ErrMoved) || errors.As(err, &stale) || errors.As(err, &blocked)
}
