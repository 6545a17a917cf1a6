package intent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"counterfoil/intent"
)

// pager is a person who can be notified, or cannot.
type pager struct {
	down  bool
	hangs bool
	tries int
	got   []intent.Escalation
}

func (p *pager) notify(ctx context.Context, e intent.Escalation) error {
	p.tries++
	switch {
	case p.hangs:
		<-ctx.Done()
		return ctx.Err()
	case p.down:
		return errors.New("nobody answers")
	}
	p.got = append(p.got, e)
	return nil
}

// paged gives the processes of a rig a pager, and takes their desk away.
func (r *rig) paged(p *pager, desk bool) {
	r.alter = func(o *intent.Options) {
		o.Notify, o.NotifyBy = p.notify, "webhook"
		if !desk {
			o.Desk = nil
		}
	}
}

func (r *rig) escalations() []intent.Escalation { return r.ledger.Escalations() }

// note checks that an answer's note says this.
func note(t *testing.T, got intent.Result, says string) {
	t.Helper()
	if !strings.Contains(got.Note, says) {
		t.Errorf("note %q, want %q in it", got.Note, says)
	}
}

const (
	notifiedNote = "A person has been notified (by webhook), the handoff itself is kept on this machine."
	nobodyNote   = "queued on this machine, nobody has been notified."
	unsureNote   = "queued on this machine; nothing shows yet that it has reached anybody."
)

// sofa is a refund over the ceiling, which waits for a person.
var sofa = map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}

func TestWithoutDeskAndNotifier(t *testing.T) {
	bubble(t, func(r *rig) {
		r.alter = func(o *intent.Options) { o.Desk = nil }
		p := r.process("P1")
		asked := p.handoff("safety")
		want(t, asked, intent.Unknown, intent.ReasonQueued, intent.RetryNever)
		note(t, asked, nobodyNote)
		waits := p.do(sofa)
		want(t, waits, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		note(t, waits, nobodyNote)
		r.later(time.Hour)
		r.sweep(p)
		note(t, p.handoff("safety"), nobodyNote)
		r.wantEffects("escalation", 0)
	})
}

// Without a desk a person is notified before the answer, once.
func TestNotifiedInsteadOfTheDesk(t *testing.T) {
	bubble(t, func(r *rig) {
		var person pager
		r.paged(&person, false)
		p := r.process("P1")
		for range 2 {
			for _, answer := range []intent.Result{p.handoff("safety"), p.do(sofa)} {
				note(t, answer, notifiedNote)
				if esc := answer.Escalation; esc == nil || esc.State != "queued" || !strings.HasPrefix(esc.ID, "cf1_") {
					t.Errorf("escalation %+v, want one that is queued, under its own key", esc)
				}
			}
		}
		before := r.ledger.Commits()
		for range 30 {
			r.later(5 * time.Hour)
			r.sweep(p)
		}
		if n := r.ledger.Commits() - before; n > 2*7 {
			t.Errorf("%d commits in a week for two things that nothing is to be done about, want one a day", n)
		}
		if person.tries != 2 {
			t.Errorf("notified %d times of two things", person.tries)
		}
		for i, got := range person.got {
			if kept := r.escalations()[i]; got.Key != kept.Key || got.Summary != kept.Summary || kept.NotifiedAt.IsZero() || kept.Tries != 0 {
				t.Errorf("notified of %+v, kept is %+v", got, kept)
			}
		}
	})
}

// A notification that does not arrive is tried again, more and more rarely, and
// no answer says that somebody knows, or that nobody does.
func TestNotificationIsRepeatedUntilItArrives(t *testing.T) {
	bubble(t, func(r *rig) {
		person := pager{down: true}
		r.paged(&person, false)
		p := r.process("P1")
		note(t, p.handoff("safety"), unsureNote)
		for range 60 * 12 { // for an hour, every 5 s
			r.later(5 * time.Second)
			r.sweep(p)
		}
		if person.tries < 8 || person.tries > 16 {
			t.Errorf("%d tries in an hour, want them to become rare", person.tries)
		}
		note(t, p.handoff("safety"), unsureNote)
		person.down = false
		r.later(10 * time.Minute)
		swept, err := p.Sweep(r.ctx)
		if err != nil || swept.Notified != 1 || swept.Delivered != 0 {
			t.Errorf("swept %+v, %v; want one notified", swept, err)
		}
		note(t, p.handoff("safety"), notifiedNote)
	})
}

// A notifier that hangs costs an answer no more than a desk that does.
func TestNotifierThatHangs(t *testing.T) {
	bubble(t, func(r *rig) {
		person := pager{hangs: true}
		r.paged(&person, false)
		p := r.process("P1")
		began := time.Now()
		note(t, p.do(sofa), unsureNote)
		if took := time.Since(began); took > providerTimeout/2 {
			t.Errorf("the answer took %v, want no more than what is reserved for telling a person", took)
		}
		note(t, p.call("escalate_to_human", map[string]any{"ticket_id": "T-4127", "reason": "safety", "summary": "Sharp edges."}), unsureNote)
	})
}

// The desk is down: after five minutes a person is notified, once; the desk gets
// the handoff all the same.
func TestNotifiedOfADelay(t *testing.T) {
	bubble(t, func(r *rig) {
		var person pager
		r.paged(&person, true)
		p := r.process("P1")
		r.fault("escalations.create", "down", 0, 0)
		began := time.Now()
		note(t, p.handoff("safety"), unsureNote)
		for person.tries == 0 && time.Since(began) < time.Hour {
			r.later(time.Second)
			r.sweep(p)
		}
		if took := time.Since(began); took < 5*time.Minute || took > 5*time.Minute+5*time.Second {
			t.Errorf("notified after %v, want it after 5 minutes", took)
		}
		note(t, p.handoff("safety"), notifiedNote)
		r.later(time.Hour)
		r.sweep(p)
		r.clearFaults()
		r.later(time.Hour)
		r.sweep(p)
		want(t, p.handoff("safety"), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("escalation", 1)
		if esc := r.escalations()[0]; person.tries != 1 || esc.NotifiedAt.IsZero() || esc.DeliveredAt.IsZero() {
			t.Errorf("notified %d times; %+v", person.tries, esc)
		}
	})
}

// A desk that takes an escalation at once leaves the notifier alone.
func TestNotNotifiedWhereTheDeskHasIt(t *testing.T) {
	bubble(t, func(r *rig) {
		var person pager
		r.paged(&person, true)
		p := r.process("P1")
		want(t, p.handoff("safety"), intent.Performed, "", intent.RetryNotNeeded)
		note(t, p.do(sofa), "A person has been told (")
		r.later(time.Hour)
		r.sweep(p)
		if person.tries != 0 {
			t.Errorf("notified %d times, want none", person.tries)
		}
	})
}

// The record of a notification is lost: it is sent again under the same key.
func TestNotifiedAtLeastOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		var person pager
		r.paged(&person, false)
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointTold {
				r.ledger.FailCommits(1, intent.ErrReadOnly)
			}
		}
		p.handoff("safety")
		p.at = nil
		r.sweep(p)
		if len(person.got) != 2 || person.got[0].Key != person.got[1].Key {
			t.Errorf("notified of %+v, want the same twice", person.got)
		}
		note(t, p.handoff("safety"), notifiedNote)
	})
}

// Two processes sweep at once: what one has told, the other does not tell again.
func TestNotifiedByOneProcess(t *testing.T) {
	bubble(t, func(r *rig) {
		person := pager{down: true}
		r.paged(&person, false)
		p1, p2 := r.process("P1"), r.process("P2")
		p1.handoff("safety")
		p1.handoff("buyer_request")
		person.down = false
		r.later(time.Minute)
		p1.at = func(point intent.Point) {
			if p1.at = nil; point == intent.PointBeforeTell {
				r.sweep(p2)
			}
		}
		r.sweep(p1)
		if len(person.got) != 3 {
			t.Errorf("notified %d times, want both once and the one that was under way again", len(person.got))
		}
	})
}

// A notifier that breaks takes nothing else with it.
func TestNotifierThatPanics(t *testing.T) {
	bubble(t, func(r *rig) {
		r.alter = func(o *intent.Options) {
			o.Desk, o.Notify = nil, func(context.Context, intent.Escalation) error { panic("broken") }
		}
		p := r.process("P1")
		asked := p.handoff("safety")
		want(t, asked, intent.Unknown, intent.ReasonQueued, intent.RetryNever)
		note(t, asked, unsureNote)
		r.later(time.Hour)
		r.sweep(p)
		note(t, p.handoff("safety"), unsureNote)
	})
}
