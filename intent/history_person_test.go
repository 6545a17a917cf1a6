package intent_test

import (
	"runtime"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/policy"
)

// Each test is a row of the histories that must not go wrong: what people do, and
// are told. P1 and P2 are processes, the model calls do, H is a person.

// 3: a person refunds in the provider's dashboard.
func TestHistoryRefundByAPerson(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		id := r.refundByHand("SU-88421", "SHELF-OAK-4", 3000)
		answer := p.do(map[string]any{"amount_cents": 8800})
		want(t, answer, intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		if len(answer.Related) != 1 || answer.Related[0].EffectID != id {
			t.Errorf("related %+v, want %s", answer.Related, id)
		}
		want(t, p.do(map[string]any{"amount_cents": 8800, "expected_refunded_cents": 2999}), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		want(t, p.do(map[string]any{"amount_cents": 8801, "expected_refunded_cents": 3000}), intent.NotPerformed, intent.ReasonExceedsPaid, intent.RetryFix)
		want(t, p.do(map[string]any{"amount_cents": 8800, "expected_refunded_cents": 3000}), intent.Performed, "", intent.RetryNotNeeded)
	})
}

// 15: what was refused is decided anew when the world has changed.
func TestHistoryRefusalsAreNotRemembered(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.policy.Store(&policy.Policy{Ceilings: map[string]policy.Ceiling{"USD": {PerRefundCents: 50000, PerTicketCents: 50000}}})
		want(t, p.do(sofa), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 17: an old absence is about to overwrite a person's word.
func TestHistoryOldAbsenceGivesWay(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		r.fault("refunds.create", "timeout_before_accept", 1, 0)
		r.fault("refunds.list", "slow", 0, 0)
		goOn, answer := r.stopAt(p1, intent.PointSettled)
		r.later(time.Minute)
		id := r.refundByHand("SU-88421", "SHELF-OAK-4", 11800)
		if _, err := p2.Resolve(r.ctx, r.rows()[0].Key, intent.Person{Name: "lead"}, id); err != nil {
			t.Fatal(err)
		}
		close(goOn)
		got := <-answer
		if got.Outcome != intent.Performed && got.Outcome != intent.AlreadyPerformed || got.RefundID != id {
			t.Errorf("got %s %s, want the refund that the person named", got.Outcome, got.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}

// 18: an approval is escalated; later the same intent is unknown.
func TestHistoryTwoCausesTwoEscalations(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		first := p.do(sofa)
		want(t, first, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("escalation", 1)
		r.faultOnce("refunds.create", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		answer, err := p.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		r.wantEffects("escalation", 2)
		r.clearFaults()
		want(t, p.do(sofa), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 28: the desk is down; two handoffs wait.
func TestHistoryHandoffsQueue(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("escalations.create", "down", 0, 0)
		first := p.handoff("safety")
		want(t, first, intent.Unknown, intent.ReasonQueued, intent.RetryNever)
		want(t, p.handoff("buyer_request"), intent.Unknown, intent.ReasonQueued, intent.RetryNever)
		r.wantEffects("escalation", 0)
		r.clearFaults()
		r.later(time.Minute)
		r.sweep(p)
		r.wantEffects("escalation", 2)
		want(t, p.handoff("safety"), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("escalation", 2)
	})
}

// 30: two amounts for one item wait for approval: one at a time.
func TestHistoryOneApprovalPerScope(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := func(cents int) map[string]any {
			return map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": cents}
		}
		want(t, p.do(sofa(20000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		second := p.do(sofa(19999))
		want(t, second, intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
		if second.Escalation == nil {
			t.Error("no escalation, want the one of the waiting approval")
		}
	})
}

// 31: a person approves and the process dies before the claim.
func TestHistoryApprovedThenCrashed(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		first := p1.do(sofa)
		p1.at = func(point intent.Point) {
			if point == intent.PointBeforeClaim {
				runtime.Goexit()
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = p1.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"})
		}()
		<-done
		r.ledger.Kill("P1")
		p2 := r.process("P2")
		r.sweep(p2)
		r.sweep(p2)
		r.wantEffects("refund", 1)
		want(t, p2.do(sofa), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
	})
}

// The figures that a person approved have changed: nothing is sent.
func TestHistoryApprovedOnOtherFigures(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 20000}
		first := p.do(sofa)
		r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
		answer, err := p.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 1)
		answer, err = p.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 2)
	})
}

// 36: a currency without a ceiling needs a person.
func TestHistoryCurrencyWithoutCeiling(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		order := r.orderIn("JPY")
		answer := p.do(map[string]any{
			"ticket_id": order.TicketIDs[0], "order_id": order.OrderID, "item_id": order.Items[0].ItemID,
			"units": []int{1}, "amount_cents": 1,
		})
		want(t, answer, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
	})
}
