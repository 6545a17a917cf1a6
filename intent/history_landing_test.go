package intent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
)

// Each test is a row of the histories that must not go wrong: what lands late, fails
// late, or shows late. P1 and P2 are processes, the model calls do, H is a person.

// 1: a refund lands late; meanwhile a cent is shaved off.
func TestHistoryShavedCentWaitsForLateLanding(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 15*time.Second)
		first := p.do(nil)
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		shaved := p.do(map[string]any{"amount_cents": 11799})
		want(t, shaved, intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryWait)
		if len(shaved.Related) != 1 || shaved.Related[0].IntentKey != first.IntentKey {
			t.Errorf("related %+v, want the open refund", shaved.Related)
		}
		r.later(15 * time.Second)
		synctest.Wait()
		r.sweep(p)
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 1)
		want(t, p.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		want(t, p.do(map[string]any{"amount_cents": 11799}), intent.NotPerformed, intent.ReasonExceedsPaid, intent.RetryFix)
		r.wantEffects("refund", 1)
	})
}

// 6 and 14: the provider stored a 500; only a proven absence opens a new key.
func TestHistoryStoredErrorThenNewOrdinal(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "stored_500")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		second := p.do(map[string]any{"reason": "now with another reason"})
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		if second.Attempts != 2 {
			t.Errorf("%d attempts, want 2", second.Attempts)
		}
		attempts := r.attempts(second.IntentKey)
		if len(attempts) != 2 || attempts[0].ProviderKey == attempts[1].ProviderKey {
			t.Errorf("attempts %+v, want two under two provider keys", attempts)
		}
		r.wantEffects("refund", 1)
	})
}

// 6: attempt 1 lands late, attempt 2 under the same key and bytes meets it.
func TestHistorySecondAttemptMeetsTheFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		second := p.do(map[string]any{"reason": "the reason has changed"})
		want(t, second, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		attempts := r.attempts(second.IntentKey)
		if len(attempts) != 2 || attempts[0].ProviderKey != attempts[1].ProviderKey {
			t.Errorf("attempts %+v, want two under one provider key", attempts)
		}
		r.later(30 * time.Second)
		r.wantEffects("refund", 1)
	})
}

// 7: the lookup lags by hours although the provider deduplicates.
func TestHistoryLaggingLookupStaysUnknown(t *testing.T) {
	declare := map[string]string{"refunds.lookup": "delayed:2h"}
	bubbleWith(t, declare, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		first := p.do(nil)
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		want(t, p.do(nil), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.later(3 * time.Hour)
		r.sweep(p)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 1)
	})
}

// 8: two ambiguous sends, each absent; then the first lands.
func TestHistoryTwoAmbiguousSends(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "timeout_before_accept", 2, 0)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		second := p.do(nil)
		want(t, second, intent.Unknown, intent.ReasonExhausted, intent.RetryNever)
		if second.Escalation == nil || second.Escalation.State != "delivered" || second.Attempts != 2 {
			t.Errorf("escalation %+v after %d attempts, want a delivered one after 2", second.Escalation, second.Attempts)
		}
		want(t, p.do(nil), intent.Unknown, intent.ReasonExhausted, intent.RetryNever)
		r.wantEffects("escalation", 1)
		r.later(time.Minute)
		r.sweep(p)
		settled := p.do(nil)
		want(t, settled, intent.NotPerformed, intent.ReasonAbsent, intent.RetryNever)
		r.wantEffects("refund", 0)
		if _, err := p.Reopen(r.ctx, r.key(settled), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 8, other world: the first of two ambiguous sends lands after all.
func TestHistoryLateLandingOfTheFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 28*time.Second)
		r.faultOnce("refunds.create", "down")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		want(t, p.do(nil), intent.Unknown, intent.ReasonExhausted, intent.RetryNever)
		r.later(30 * time.Second)
		r.sweep(p)
		want(t, p.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 29: nobody can look, the scope is closed, and hours later a person is told
// once more; the released scope is open to another message.
func TestHistoryUnknownIsToldAgain(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.lookup": "webhook"}, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "timeout_before_accept", 1, 0)
		first := p.do(map[string]any{"amount_cents": 6000})
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.wantEffects("escalation", 1)
		want(t, p.do(map[string]any{"amount_cents": 5000}), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
		r.later(4*time.Hour - time.Minute)
		r.sweep(p)
		r.wantEffects("escalation", 1)
		r.later(2 * time.Minute)
		r.sweep(p)
		r.wantEffects("escalation", 2)
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		if other := p.do(map[string]any{"amount_cents": 5000}); other.Reason == intent.ReasonBlockedByOpen {
			t.Errorf("a released scope is closed: %s", other.Verdict)
		}
	})
}

// 13 and a late failure: pending, then failed; a repeat needs a person.
func TestHistoryPendingThenFailed(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "pending_then_failed", 1, time.Minute)
		first := p.do(nil)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		if first.Status != "pending" {
			t.Errorf("status %s, want pending", first.Status)
		}
		second := p.do(nil)
		want(t, second, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.later(2 * time.Minute)
		r.sweep(p)
		r.wantEffects("escalation", 1)
		third := p.do(nil)
		want(t, third, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		if third.RefundID != first.RefundID || third.Escalation == nil {
			t.Errorf("refund %s, escalation %+v; want %s and one", third.RefundID, third.Escalation, first.RefundID)
		}
		again := map[string]any{"again_after": first.RefundID}
		asked := p.do(again)
		want(t, asked, intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
		if asked.Escalation == nil || asked.TellCustomer == "" {
			t.Errorf("a person is told of it, and the customer may know: %+v", asked)
		}
		if _, err := p.AllowRepeat(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(again), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(again), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 2)
	})
}

// Pending, then succeeded: never reads as refunded before it is.
func TestHistoryPendingThenSucceeded(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "pending_then_succeeded", 1, time.Minute)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.later(2 * time.Minute)
		again := p.do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.Status != "succeeded" || again.Evidence != intent.EvidenceLookup {
			t.Errorf("status %s by %s, want succeeded by provider_lookup", again.Status, again.Evidence)
		}
	})
}

// 16: P1's late answer meets a row that P2 has settled.
func TestHistoryLateAnswerWinsAndIsTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		goOn, answer := r.stopAt(p1, intent.PointSettled)
		key := r.rows()[0].Key
		r.later(time.Minute)                  // P1's claim has outlived its budget
		r.fault("refunds.list", "down", 0, 0) // or the person's word would be refused
		if _, err := p2.Resolve(r.ctx, key, intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		close(goOn)
		want(t, <-answer, intent.Performed, "", intent.RetryNotNeeded)
		want(t, p2.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 1)
	})
}

// 25: our key at the provider with another amount.
func TestHistoryOurKeyOtherFacts(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		key := r.keyOf(p, nil)
		id := r.refundUnder(key, "SU-88421", "SHELF-OAK-4", 1180)
		answer := p.do(map[string]any{"expected_refunded_cents": 1180})
		want(t, answer, intent.Unknown, intent.ReasonMismatch, intent.RetryNever)
		if answer.RefundID != id || answer.Escalation == nil {
			t.Errorf("refund %s, escalation %+v; want %s and one", answer.RefundID, answer.Escalation, id)
		}
		r.wantEffects("refund", 1)
	})
}

// A provider key past its retention is never sent again by itself.
func TestHistoryOldKeyIsLookedUpFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(25 * time.Hour)
		answer := p.do(nil)
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		attempts := r.attempts(answer.IntentKey)
		if attempts[0].ProviderKey == attempts[1].ProviderKey {
			t.Error("the expired provider key was sent again")
		}
		r.wantEffects("refund", 1)
	})
}

// The same intent 25 h after it was performed sends nothing.
func TestHistoryRepeatADayLater(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		first := p.do(nil)
		r.later(25 * time.Hour)
		again := p.do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID || again.Evidence != intent.EvidenceLookup {
			t.Errorf("%s by %s, want %s by provider_lookup", again.RefundID, again.Evidence, first.RefundID)
		}
		if posts := r.wire.posts.Load(); posts != 1 {
			t.Errorf("%d writes on the wire, want 1", posts)
		}
	})
}

// Lag with the ledger: a shaved cent is held back until the order shows it.
func TestHistoryLagHidesMoney(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "lag", 1, time.Minute)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(map[string]any{"amount_cents": 11799}), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryWait)
		r.later(2 * time.Minute)
		want(t, p.do(map[string]any{"amount_cents": 11799}), intent.NotPerformed, intent.ReasonExceedsPaid, intent.RetryFix)
		r.wantEffects("refund", 1)
	})
}
