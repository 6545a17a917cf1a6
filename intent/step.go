package intent

import "context"

// performStep runs a later step of an act: looked for first, then claimed and
// sent like any other. It has no reading and no judgement of its own: the step
// before it, which the customer has seen, is what allows it.
func (e *Engine) performStep(ctx context.Context, op Operation, row Row, act Act) Result {
	exit := e.leave.enter()
	defer exit()
	c := e.newCall(op, act.Arguments)
	defer func() { c.land() }()
	ctx, cancel := context.WithTimeout(ctx, e.o.AnswerWithin)
	defer cancel()
	step := op.Steps()[row.Step]
	p := &plan{key: row.Key, row: row, act: act, seen: e.lookUp(ctx, step, row, act)}
	switch p.seen.finding.(type) {
	case Found, FoundOther:
		if answer := c.adopt(ctx, p); answer != nil {
			return *answer
		}
		return e.sayRow(row, act, op, spoken{})
	case LookupFailed:
		return e.sayRow(row, act, op, spoken{})
	case Absent, LookupUnsupported:
	}
	if len(act.Request) == 0 {
		request, err := step.Request(row.Key, act.Payload)
		if err != nil {
			e.fault("build the request of a step", err)
			return e.refuse(Refusal{Reason: ReasonInternal})
		}
		p.act.Request = request
	}
	claimed, answer := c.claim(ctx, p)
	switch {
	case answer != nil:
		return *answer
	case claimed == nil:
		return e.sayRow(row, act, op, spoken{})
	}
	return c.act(ctx, *claimed, p.act)
}

// followers are the rows of the step after a performed one, ready for the
// sweeper.
func (e *Engine) followers(op Operation, row Row, act Act) []Follower {
	next := row.Step + 1
	if row.State != StatePerformed || next >= len(op.Steps()) {
		return nil
	}
	parent := row.Parent
	if row.Step == 0 {
		parent = row.Key
	}
	now := e.clock.now()
	return []Follower{{
		Row: Row{
			Key: StepKey(parent, next), Tool: row.Tool, Step: next, Parent: parent, State: StateReady,
			Ticket: row.Ticket, Principal: row.Principal, CreatedAt: now, UpdatedAt: now, DueAt: now,
		},
		Act:       Act{Arguments: act.Arguments, Payload: act.Payload},
		Resources: []Resource{op.Locate(act.Arguments).Ticket},
	}}
}
