package intent

import (
	"context"
	"errors"
	"time"
)

// mostWait is how long the engine waits by itself for a caller that came back
// before its retry_after_seconds.
const mostWait = 5 * time.Second

// plan is what may be claimed: all checks have passed as of mark.
type plan struct {
	key     Key
	row     Row // as it is; its Version is 0 where there is none
	reading Readable
	act     Act
	mark    int64
	seen    sighting // the lookup before the claim
	around  []Row    // around the anchor, where the siblings were looked for
}

// readAndCheck reads the authority and the ledger and decides whether the act
// may be claimed. It returns a plan, or an answer, or neither where it has to
// be run again.
func (c *call) readAndCheck(ctx context.Context) (*plan, *Result) {
	mark, err := c.e.o.Ledger.Mark(ctx)
	if err != nil {
		return nil, c.ledgerDown(ctx, "mark", err)
	}
	reading, answer := c.read(ctx)
	if answer != nil {
		return nil, answer
	}
	c.e.at(PointRead)
	p := &plan{reading: reading, mark: mark}
	p.key = DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), again(reading.Facts, c.loc.Again))
	row, exists, err := c.e.o.Ledger.Find(ctx, p.key)
	if err != nil {
		return nil, c.ledgerDown(ctx, "find", err)
	}
	if exists {
		if answer := c.fromRow(ctx, row); answer != nil {
			return nil, answer
		}
		if waited, answer := c.waitFor(ctx, row); waited {
			return nil, answer
		}
		p.row = row
	}
	if answer := c.prepareAct(ctx, p, exists); answer != nil {
		return nil, answer
	}
	return c.check(ctx, p, exists)
}

// read asks the authority what the arguments name. Where it cannot be had, a
// row that these arguments led to before is the answer.
func (c *call) read(ctx context.Context) (Readable, *Result) {
	switch r := c.readRepeatedly(ctx).(type) {
	case Readable:
		return r, nil
	case RefusedByRead:
		answer := c.e.refuse(Refusal{Reason: r.Reason, Verdict: r.Verdict, Note: r.Note})
		return Readable{}, &answer
	case Unreadable:
		if ctx.Err() != nil {
			return Readable{}, c.interrupted(ctx)
		}
		return Readable{}, c.unread(ctx)
	}
	return Readable{}, c.unread(ctx)
}

// readRepeatedly reads with the repeats of the read class.
func (c *call) readRepeatedly(ctx context.Context) Reading {
	var reading Reading = Unreadable{Detail: "not read"}
	c.e.RepeatRead(ctx, func(ctx context.Context) bool {
		reading = c.readOnce(ctx)
		_, down := reading.(Unreadable)
		return !down
	})
	return reading
}

// readOnce reads, and takes a fault of ours in it for an authority that cannot
// be reached.
func (c *call) readOnce(ctx context.Context) (reading Reading) {
	defer func() {
		if p := recover(); p != nil {
			c.e.fault("read for "+c.op.Tool(), caught(p))
			reading = Unreadable{Detail: "a fault of ours"}
		}
	}()
	return c.op.Read(ctx, c.args)
}

// unread answers where the authority could not be read.
func (c *call) unread(ctx context.Context) *Result {
	row, ok, err := c.e.o.Ledger.Recognise(ctx, c.loc.Ticket, c.fp)
	if err != nil {
		return c.ledgerDown(ctx, "recognise", err)
	}
	if ok && row.State != StateReady { // an approved act that has not been sent has no answer yet
		return c.asItIs(ctx, row)
	}
	answer := c.e.refuse(Refusal{Reason: ReasonUnreachable})
	return &answer
}

// waitFor waits out the rest of a row's retry time, up to five seconds; a
// longer rest is the answer.
func (c *call) waitFor(ctx context.Context, row Row) (bool, *Result) {
	now := c.e.clock.now()
	rest := row.RetryAt.Sub(now)
	if fellBack(row, now) {
		rest = 0
	}
	rest = max(rest, c.e.held(row, now))
	switch {
	case rest <= 0:
		return false, nil
	case rest > mostWait:
		return true, c.remembered(ctx, row)
	case !pause(ctx, rest):
		return true, c.interrupted(ctx)
	}
	return true, nil
}

// prepareAct takes what is kept of the act, or makes it from the reading. The
// bytes of a request are made once: every later send bears the same.
func (c *call) prepareAct(ctx context.Context, p *plan, exists bool) *Result {
	if exists {
		act, err := c.e.o.Ledger.Act(ctx, p.key)
		if err != nil {
			return c.ledgerDown(ctx, "act", err)
		}
		p.act = act
		if p.row.Sends == 0 { // nothing has been sent of it yet
			p.act.Arguments = c.args
		}
	} else {
		p.act = Act{Arguments: c.args, Payload: p.reading.Payload}
		p.row = c.newRow(ctx, p.key, p.reading)
	}
	if c.e.o.PolicyVersion != nil {
		p.act.Policy = c.e.o.PolicyVersion()
	}
	if len(p.act.Request) > 0 {
		return nil
	}
	request, err := c.op.Steps()[0].Request(p.key, p.act.Payload)
	if err != nil {
		c.e.fault("build the request of "+c.op.Tool(), err)
		answer := c.e.refuse(Refusal{Reason: ReasonInternal})
		return &answer
	}
	p.act.Request = request
	return nil
}

// newRow is the row of an intent that the ledger does not know.
func (c *call) newRow(ctx context.Context, key Key, r Readable) Row {
	now := c.e.clock.now()
	return askedBy(ctx, Row{
		Key: key, Tool: c.op.Tool(), Scope: r.Scope, Ticket: r.Ticket,
		Cents: r.Cents, Currency: r.Currency, CreatedAt: now, UpdatedAt: now,
	})
}

// check looks for the intent at the authority, then for siblings, then asks the
// operation's own judgement.
func (c *call) check(ctx context.Context, p *plan, exists bool) (*plan, *Result) {
	p.seen = c.e.lookUp(ctx, c.op.Steps()[0], p.row, p.act)
	c.e.at(PointLookedUp)
	switch f := p.seen.finding.(type) {
	case Found, FoundOther:
		return nil, c.adopt(ctx, p)
	case Absent, LookupUnsupported, LookupFailed:
		if answer, again := c.siblings(ctx, p); answer != nil || again {
			return nil, answer
		}
		if _, down := f.(LookupFailed); down {
			if ctx.Err() != nil {
				return nil, c.interrupted(ctx)
			}
			return nil, c.unread(ctx)
		}
	}
	if answer := c.leaveToRepeat(ctx, p, exists); answer != nil {
		return nil, answer
	}
	return c.judge(ctx, p)
}

// adopt records an effect that was found before anything was claimed: it is of
// an earlier call, whatever the ledger knows of it, or has come to know meanwhile.
// Nil: read again.
func (c *call) adopt(ctx context.Context, p *plan) *Result {
	if p.row.Version == 0 {
		p = c.lastRepeat(ctx, p)
	}
	if p.row.Version != 0 {
		settled, told, err := c.e.settle(ctx, c.op, p.row, p.act, p.seen)
		return c.sayWith(ctx, settled, p.act, spoken{evidence: EvidenceLookup, told: told, unrecorded: err != nil})
	}
	p.row.State, p.row.SenderDone = StateUnknown, true
	r := rule(p.row, c.op.Class(), c.op.Steps()[0].Capabilities(), p.seen)
	ch := c.e.change(ctx, c.op, p.row, r, p.act)
	ch.Act, ch.Resources, ch.Fingerprints = &p.act, p.reading.Resources, c.fingerprints(p.reading)
	row, err := c.e.commit(ctx, ch)
	var stale *StaleError
	switch {
	case errors.As(err, &stale) && stale.Current.Version != 0: // another call has just written it
		p.row = stale.Current
		return c.adopt(ctx, p)
	case moved(err):
		return nil
	}
	if err != nil {
		c.e.fault("record an effect that was found", err)
		row = *ch.Row
	}
	told := c.e.tellFirst(ctx, ch.Escalate)
	return c.sayWith(ctx, row, p.act, spoken{evidence: EvidenceLookup, told: told, unrecorded: err != nil})
}

// fingerprints are those by which this call, and one in the authority's own
// spelling, will be recognised.
func (c *call) fingerprints(r Readable) []Fingerprint {
	own := DeriveFingerprint(c.e.o.Ledger.Account(), c.op.Tool(), again(r.Spelled, c.loc.Again))
	if own == c.fp {
		return []Fingerprint{c.fp}
	}
	return []Fingerprint{c.fp, own}
}
