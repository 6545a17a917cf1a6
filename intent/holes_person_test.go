package intent_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// Interleavings that a review of the engine found: what a person says, and is told.

// watchedThenAwaiting is a refund that may have been sent once, has not landed, and
// waits for a person now.
func (r *rig) watchedThenAwaiting(p *process, sofa map[string]any) intent.Result {
	r.policy.Store(&policyWide)
	r.faultOnce("refunds.create", "timeout_before_accept")
	want(r.t, p.do(sofa), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
	r.later(40 * time.Second)
	r.sweep(p) // the first attempt is ruled out
	r.policy.Store(&policyNarrow)
	waits := p.do(sofa)
	want(r.t, waits, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
	return waits
}

// E: a decline of an intent that is still on watch is undone by the sweeper.
func TestHoleE_DeclineLostBySweep(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		waits := r.watchedThenAwaiting(p, sofa)
		if _, err := p.Decline(r.ctx, r.key(waits), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.later(6 * time.Second)
		r.sweep(p)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.policy.Store(&policyWide)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// F: declined, re-opened, declined again.
func TestHoleF_SecondDeclineDoesNotStick(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		r.policy.Store(&policyNarrow)
		key := r.key(p.do(sofa))
		for _, f := range []func(context.Context, intent.Key, intent.Person) (intent.Row, error){p.Decline, p.Reopen} {
			if _, err := f(r.ctx, key, lead); err != nil {
				t.Fatal(err)
			}
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		if _, err := p.Decline(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.policy.Store(&policyWide)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// G: a release outlives the send that it was given for.
func TestHoleG_ReleaseOutlivesItsSend(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		half := map[string]any{"amount_cents": 5000}
		r.fault("refunds.create", "timeout_before_accept", 1, 0)
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		first := p.do(half)
		want(t, first, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		p.at = nil
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		r.later(time.Minute)
		r.sweep(p) // settled: absent, nothing can land any more
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		second := p.do(half)
		t.Log(second.Outcome, second.Reason)
		shaved := p.do(map[string]any{"amount_cents": 4999})
		want(t, shaved, intent.NotPerformed, intent.ReasonBlockedByOpen, shaved.Retry)
		r.later(time.Minute)
		r.wantEffects("refund", 1)
	})
}

// H: no deduplication, no lookup: a person's "not performed" opens nothing.
func TestHoleH_PersonsWordOpensNothing(t *testing.T) {
	s := &scripted{caps: intent.Capabilities{}, answers: []intent.Answer{lost, intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.LookupUnsupported{}}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, l *ledgertest.Memory) {
		first := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		key, _ := intent.ParseKey(first.IntentKey)
		if _, err := e.Resolve(t.Context(), key, intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		row, _, _ := l.Find(t.Context(), key)
		t.Logf("row %s %s, repeat gets %s", row.State, row.Retry, intent.RepeatGets(row))
		if got.Outcome != intent.Performed {
			t.Errorf("got %s %s by %q, escalation %+v: %s", got.Outcome, got.Reason, got.Evidence, got.Escalation, got.Note)
		}
	}, s)
}

// H2: no lookup: a transient refusal, then the repeat that it invites.
func TestHoleH2_TransientRefusalWithoutLookup(t *testing.T) {
	s := &scripted{caps: intent.Capabilities{}, answers: []intent.Answer{intent.AnsweredRefused{}, intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.LookupUnsupported{}}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
		t.Log(e.Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		if got.Outcome != intent.Performed {
			t.Errorf("got %s %s by %q, escalation %+v: %s", got.Outcome, got.Reason, got.Evidence, got.Escalation, got.Verdict)
		}
	}, s)
}

// J: a scope released while the send is under way; its definite answer is lost.
func TestHoleJ_ReleaseInFlightLosesRefusal(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "reject")
		p.at = func(point intent.Point) {
			if point == intent.PointSettled {
				if _, err := p.Release(r.ctx, r.rows()[0].Key, intent.Person{Name: "lead"}); err != nil {
					t.Error(err)
				}
			}
		}
		got := p.do(nil)
		p.at = nil
		want(t, got, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// O: unknown, resolved, asked again, unknown again: nobody hears of the second.
func TestHoleO_SecondUnknownIsNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		for i := range 2 {
			r.faultOnce("refunds.create", "timeout_before_accept")
			p.at = func(point intent.Point) {
				if point == intent.PointClaimed {
					r.fault("refunds.list", "down", 0, 0)
				}
			}
			got := p.do(nil)
			p.at = nil
			want(t, got, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
			t.Log(got.Note)
			r.clearFaults()
			if i == 0 {
				if _, err := p.Resolve(r.ctx, r.key(got), intent.Person{Name: "lead"}, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.wantEffects("escalation", 2)
	})
}

// P: approved; the sweeper finds other figures; nobody hears that it waits again.
func TestHoleP_ShownAgainIsNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 20000}
		first := p1.do(sofa)
		p1.at = func(point intent.Point) {
			if point == intent.PointRecognised {
				runtime.Goexit()
			}
		}
		done := make(chan struct{})
		go func() { defer close(done); _, _ = p1.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"}) }()
		<-done
		r.ledger.Kill("P1")
		r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
		r.sweep(r.process("P2"))
		if row := r.rows()[0]; row.State != intent.StateAwaiting {
			t.Errorf("state %s", row.State)
		}
		r.wantEffects("escalation", 2)
	})
}

// X: a person's "not performed" ends the watch; what lands then is never seen.
func TestHoleX_ResolveEndsTheWatch(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		first := p.do(map[string]any{"amount_cents": 5000})
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if _, err := p.Resolve(r.ctx, r.key(first), intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			r.later(time.Minute)
			r.sweep(p)
		}
		r.wantEffects("refund", 1)
		if row := r.rows()[0]; row.State != intent.StatePerformed || len(r.ledger.Escalations()) == 0 {
			t.Errorf("the row reads %s after 20 minutes, %d told; the refund exists", row.State, len(r.ledger.Escalations()))
		}
	})
}
