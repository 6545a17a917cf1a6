package intent_test

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/policy"
)

// Each test is a row of the histories that must not go wrong. P1 and P2 are
// processes, the model calls do, H is a person.

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

// 2: another reason and another spelling while the authority is down.
func TestHistoryOtherSpellingWhileDown(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		first := p.do(nil)
		for _, op := range []string{"orders.get", "tickets.get", "refunds.list"} {
			r.fault(op, "down", 0, 0)
		}
		for _, changes := range []map[string]any{
			{"reason": "cracked"}, {"order_id": " #su-88421"}, {"ticket_id": "t-4127", "item_id": "shelf-oak-4"}, {"units": []int{1}},
		} {
			again := p.do(changes)
			want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
			if again.RefundID != first.RefundID {
				t.Errorf("refund %s, want %s", again.RefundID, first.RefundID)
			}
		}
		want(t, p.do(map[string]any{"item_id": "HOOK-OAK-2", "amount_cents": 2600}), intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
	})
}

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

// 4: P1 reads and pauses, P2 refunds, P1 claims on what it read.
func TestHistoryStaleReadingIsReadAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		paused, goOn := make(chan struct{}), make(chan struct{})
		once := true
		p1.at = func(point intent.Point) {
			if point == intent.PointBeforeClaim && once {
				once = false
				close(paused)
				<-goOn
			}
		}
		answer := make(chan intent.Result)
		go func() { answer <- p1.do(map[string]any{"amount_cents": 5000}) }()
		<-paused
		want(t, p2.do(map[string]any{"amount_cents": 4000}), intent.Performed, "", intent.RetryNotNeeded)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
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
		want(t, p.do(again), intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
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

// 19: a crash between recording unknown and telling the desk.
func TestHistoryOutboxSurvivesACrash(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		r.faultOnce("refunds.create", "accept_then_timeout")
		p1.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
			if point == intent.PointBeforeTell {
				runtime.Goexit()
			}
		}
		r.crash(p1, nil)
		r.wantEffects("escalation", 0)
		p2 := r.process("P2")
		r.sweep(p2)
		r.wantEffects("escalation", 1)
	})
}

// 20 and 39: the ledger is lost; the intent is looked for before every claim.
func TestHistoryLostLedger(t *testing.T) {
	bubble(t, func(r *rig) {
		first := r.process("P1").do(nil)
		r.loseLedger()
		again := r.process("P2").do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID || again.Evidence != intent.EvidenceLookup || again.Attempts != 0 {
			t.Errorf("got %+v, want %s by provider_lookup after 0 attempts", again, first.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}

// 39: the effect is there, and no list shows it yet; the key still meets it.
func TestHistoryLostLedgerWhileListsLag(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fault("refunds.create", "lag", 1, time.Hour)
		first := r.process("P1").do(nil)
		r.loseLedger()
		again := r.process("P2").do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID {
			t.Errorf("refund %s, want %s", again.RefundID, first.RefundID)
		}
		r.wantEffects("refund", 1)
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

// 22: two desktops, two ledgers, one account.
func TestHistoryTwoLedgersOneAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.process("A")
		r.fault("refunds.create", "land_late", 1, 10*time.Second)
		want(t, a.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.loseLedger()
		b := r.process("B")
		r.later(10 * time.Second)
		other := b.do(map[string]any{"ticket_id": "T-4201", "amount_cents": 5000})
		want(t, other, intent.NotPerformed, intent.ReasonExceedsPaid, intent.RetryFix)
		r.wantEffects("refund", 1)
	})
}

// 23: P1 claims, its machine sleeps over the weekend, P2 settles, P1 wakes.
func TestHistorySleepingSender(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(64 * time.Hour)
		r.sweep(p2)
		before := r.wire.posts.Load()
		close(wake)
		got := <-answer
		if sent := r.wire.posts.Load() - before; sent != 0 {
			t.Errorf("%d requests left after the sleep, want none", sent)
		}
		if got.Outcome == intent.Performed {
			t.Errorf("got %+v, want no claim of having acted", got)
		}
		r.wantEffects("refund", 0)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
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

// 26: a line of two units, both cracked.
func TestHistoryTwoUnitsOfOneLine(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		rug := func(more map[string]any) map[string]any {
			args := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "RUG-JUTE-2", "amount_cents": 4000}
			for k, v := range more {
				args[k] = v
			}
			return args
		}
		want(t, p.do(rug(nil)), intent.NotPerformed, intent.ReasonInvalidArguments, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{3}})), intent.NotPerformed, intent.ReasonInvalidArguments, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{1}})), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(rug(map[string]any{"units": []int{2}})), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{2}, "expected_refunded_cents": 4000})), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(rug(map[string]any{"units": []int{1}})), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 2)
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

// 32: P1 is killed in mid-send; the client starts P2 and asks again.
func TestHistoryDeadOwnerIsLookedUp(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		p1.at = func(point intent.Point) {
			if point == intent.PointSent {
				runtime.Goexit()
			}
		}
		r.crash(p1, nil)
		answer := r.process("P2").do(nil)
		want(t, answer, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if answer.Attempts != 1 {
			t.Errorf("%d attempts, want 1", answer.Attempts)
		}
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 0)
	})
}

// 33: a read ends just before the exit deadline: nothing is claimed any more.
func TestHistoryNothingIsClaimedWhileLeaving(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointLookedUp {
				p.Leave(0, 3*time.Second)
			}
		}
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonCancelled, intent.RetryWait)
		r.wantEffects("refund", 0)
		if rows := r.rows(); len(rows) != 0 {
			t.Errorf("rows %+v, want none", rows)
		}
		r.later(3 * time.Second)
	})
}

// 34: the provider said 200, the disk is full.
func TestHistoryRecordDoesNotFit(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointSettled {
				r.ledger.FailCommits(-1, errors.Join(intent.ErrReadOnly, errors.New("disk full")))
			}
		}
		answer := p.do(nil)
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		if answer.Recorded == nil || *answer.Recorded {
			t.Errorf("recorded %v, want false", answer.Recorded)
		}
		p.at = nil
		r.ledger.FailCommits(0, nil)
		want(t, p.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// The ledger cannot be written: refused before anything is sent.
func TestHistoryLedgerRefusesTheClaim(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.ledger.FailCommits(1, intent.ErrReadOnly)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonLedger, intent.RetryWait)
		r.wantEffects("refund", 0)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
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
