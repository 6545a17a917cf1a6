package intent_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// What a person approved, and what they did not.

// A decline takes back an approval that was given before: who re-opens the
// intent lets it be asked for again, and no more.
func TestMutantDeclineTakesBackAnApproval(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		key := r.key(p.do(sofaFor(42000)))
		r.fault("orders.get", "down", 0, 0) // approved, and not sent yet
		if _, err := p.Approve(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		if _, err := p.Decline(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofaFor(42000)), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		if _, err := p.Reopen(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofaFor(42000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// What was approved, and cannot be read just now, has sent nothing and may be
// asked for again.
func TestMutantApprovedAndNotReadable(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		key := r.key(p.do(sofaFor(42000)))
		r.fault("orders.get", "down", 0, 0)
		answer, err := p.Approve(r.ctx, key, intent.Person{Name: "lead"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
		want(t, p.do(sofaFor(42000)), intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
		r.clearFaults()
		want(t, p.do(sofaFor(42000)), intent.Performed, "", intent.RetryNotNeeded)
	})
}

// An act that waits a second time, on other figures, is not done because it was
// approved on the first.
func TestMutantAskedAgainWhileItWaits(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		first := p.do(sofaFor(20000))
		r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
		answer, err := p.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		want(t, p.do(sofaFor(20000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 1) // the one by hand
	})
}

// approvedThenShown is an act that a person approved on some figures, of which
// nothing was sent, and that waits for them again on others.
func (r *rig) approvedThenShown(p *process) intent.Key {
	r.t.Helper()
	key := r.key(p.do(sofaFor(20000)))
	r.downAtTheClaim(p)
	answer, err := p.Approve(r.ctx, key, intent.Person{Name: "lead"})
	if err != nil {
		r.t.Fatal(err)
	}
	want(r.t, answer, intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
	r.up(p)
	r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
	want(r.t, p.do(sofaFor(20000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
	return key
}

// downAtTheClaim has nothing reach the authority that p claims from now on.
func (r *rig) downAtTheClaim(p *process) {
	p.at = func(point intent.Point) {
		if point == intent.PointClaimed {
			r.wire.down.Store(true)
		}
	}
}

func (r *rig) up(p *process) {
	p.at = nil
	r.wire.down.Store(false)
}

// Figures that a person was shown and did not approve are not approved by what
// they said of others: here the ceiling is lifted for a while, and the act goes
// on without them.
func TestMutantFiguresThatNobodyApproved(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.approvedThenShown(p)
		r.policy.Store(&policyWide)
		r.downAtTheClaim(p)
		want(t, p.do(sofaFor(20000)), intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
		r.up(p)
		r.policy.Store(&policyNarrow)
		want(t, p.do(sofaFor(20000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 1) // the one by hand
	})
}

// … and here what the provider had under its key is gone, as a person says.
func TestMutantFiguresOfAMismatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{
			caps: strong, answers: []intent.Answer{intent.AnsweredNotSent{}, intent.AnsweredPerformed{Effect: made}},
			found: []intent.Finding{intent.Absent{}, intent.Absent{}, intent.Absent{}, intent.FoundOther{Effect: made}, intent.Absent{}},
		}
		figures := "one"
		e := engineOf(t, judged{act{class: intent.ClassIrreversible, steps: []intent.Step{s}}, func() intent.Judgement {
			return intent.NeedsPerson{Rule: "rule", Figures: figures}
		}})
		lead, do := intent.Person{Name: "lead"}, func() intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		key, err := intent.ParseKey(do().IntentKey)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := e.Approve(t.Context(), key, lead)
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
		figures = "two"
		want(t, do(), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		want(t, do(), intent.Unknown, intent.ReasonMismatch, intent.RetryNever)
		if _, err := e.Resolve(t.Context(), key, lead, ""); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if _, err := e.Sweep(t.Context()); err != nil { // nothing can land any more
			t.Fatal(err)
		}
		want(t, do(), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		if len(s.sends) != 1 {
			t.Errorf("%d sends, want the one that was approved", len(s.sends))
		}
	})
}

// judged is an act on which a test decides.
type judged struct {
	act

	judge func() intent.Judgement
}

func (j judged) Judge(intent.Readable, intent.View) intent.Judgement { return j.judge() }

// engineOf is an engine on one operation and a ledger of its own.
func engineOf(t *testing.T, op intent.Operation) *intent.Engine {
	t.Helper()
	return engineOn(t, ledgertest.NewMemory("test").Process("P1"), op, nil)
}

// What a person approved is tried until the provider takes it: the model was told
// not to ask again.
func TestAttackApprovedAndRefusedForNow(t *testing.T) {
	for _, mode := range []string{"reject_transient", "down", "timeout_before_accept"} {
		t.Run(mode, func(t *testing.T) {
			bubble(t, func(r *rig) {
				p, lead := r.process("P1"), intent.Person{Name: "lead"}
				key := r.key(p.do(sofaFor(42000)))
				r.faultOnce("refunds.create", mode)
				answer, err := p.Approve(r.ctx, key, lead)
				if err != nil || answer.Outcome != intent.NotPerformed || answer.Retry != intent.RetryWait {
					t.Errorf("%v: got %s, %s, %s; want that it may be tried again", err, answer.Outcome, answer.Reason, answer.Retry)
				}
				var notNow *intent.NotNowError
				if _, err := p.Approve(r.ctx, key, lead); !errors.As(err, &notNow) || notNow.State != intent.StateReady {
					t.Errorf("approved twice: %v", err)
				}
				for range 3 {
					r.later(time.Minute)
					r.sweep(p)
				}
				r.wantEffects("refund", 1)
				want(t, p.do(sofaFor(42000)), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
			})
		})
	}
}

// … and it can still be withdrawn.
func TestAttackApprovedAndWithdrawn(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		key := r.key(p.do(sofaFor(42000)))
		r.faultOnce("refunds.create", "reject_transient")
		if _, err := p.Approve(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Decline(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		r.later(time.Minute)
		r.sweep(p)
		want(t, p.do(sofaFor(42000)), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}
