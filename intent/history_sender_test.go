package intent_test

import (
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/policy"
)

// A sender that lives and sleeps has not been proved to be done: the next send
// bears the same provider key, so that the two can never be two effects.
func TestHistoryKeyStaysWhileTheSenderLives(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(2 * time.Minute)
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		second := p2.do(nil)
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		attempts := r.attempts(second.IntentKey)
		if len(attempts) != 2 || attempts[0].ProviderKey != attempts[1].ProviderKey {
			t.Errorf("attempts %+v, want two under one provider key", attempts)
		}
		close(wake)
		if got := <-answer; got.Outcome == intent.NotPerformed {
			t.Errorf("the sleeper reads %s (%s), and the refund exists", got.Outcome, got.Verdict)
		}
		r.wantEffects("refund", 1)
	})
}

// … and once that key is too old to be deduplicated, nothing is sent at all.
func TestHistoryOldKeyOfALivingSender(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(25 * time.Hour)
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		unsure := p2.do(nil)
		want(t, unsure, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		if unsure.Escalation == nil || len(r.attempts(unsure.IntentKey)) != 1 {
			t.Errorf("escalation %+v, want a person told and nothing sent", unsure.Escalation)
		}
		close(wake)
		<-answer
		r.wantEffects("refund", 0)
	})
}

// A sender that has ended, and whose key is old: proved absent, a new key.
func TestHistoryOldKeyOfADeadSender(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.ledger.Kill("P1")
		r.later(25 * time.Hour)
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		close(wake)
		<-answer
		r.wantEffects("refund", 1)
	})
}

// Nobody approved it, though the figures are the ones that were shown once.
func TestHistoryFiguresAloneAreNoApproval(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.policy.Store(&policy.Policy{Ceilings: map[string]policy.Ceiling{"USD": {PerRefundCents: 50000, PerTicketCents: 50000}}})
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(40 * time.Second)
		r.sweep(p) // the first attempt is ruled out
		r.policy.Store(ptr(policy.Default()))
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// Declined stays declined until a person re-opens it, and then it waits again.
func TestHistoryDeclined(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		lead := intent.Person{Name: "lead"}
		first := p.do(sofa)
		if _, err := p.Decline(r.ctx, r.key(first), lead); err != nil {
			t.Fatal(err)
		}
		declined := p.do(sofa)
		want(t, declined, intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		if declined.Evidence != intent.EvidencePerson {
			t.Errorf("evidence %s, want person", declined.Evidence)
		}
		if _, err := p.Approve(r.ctx, r.key(first), lead); err == nil {
			t.Error("a declined intent was approved")
		}
		if _, err := p.Reopen(r.ctx, r.key(first), lead); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		answer, err := p.Approve(r.ctx, r.key(first), lead)
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 32: how long a claim lasts is for the process that made it to say: one that has
// more time sees it run out.
func TestHistoryClaimOfAHastierProcess(t *testing.T) {
	bubble(t, func(r *rig) {
		r.alter = func(o *intent.Options) { o.AnswerWithin = 4 * time.Second; o.ProviderTimeout = time.Second }
		hasty := r.process("P1")
		r.alter = nil
		goOn, answer := r.stopAt(hasty, intent.PointSent)
		patient := r.process("P2").do(nil)
		want(t, patient, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		close(goOn)
		if got := <-answer; got.RefundID != patient.RefundID {
			t.Errorf("%s and %s", got.RefundID, patient.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}
