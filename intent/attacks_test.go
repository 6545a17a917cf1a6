package intent_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// What an attack with nothing but the command line found, each mended.

func sofaFor(cents int) map[string]any {
	return map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": cents}
}

// While an attempt may still land, a tightened policy does not make it "nothing
// was sent".
func TestAttackPolicyTightensOverAnOpenAttempt(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.policy.Store(&policyWide)
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		first := p.do(sofaFor(42000))
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.policy.Store(&policyNarrow)
		second := p.do(sofaFor(42000))
		want(t, second, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if second.RetryAfterSeconds < 5 {
			t.Errorf("retry after %d s, want what is left of the watch", second.RetryAfterSeconds)
		}
		if _, err := p.Decline(r.ctx, r.key(first), intent.Person{Name: "lead"}); err == nil {
			t.Error("an act that was sent, and does not wait for a person, was declined")
		}
		r.later(time.Duration(second.RetryAfterSeconds) * time.Second)
		want(t, p.do(sofaFor(42000)), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// A pickup that was cancelled from another ticket of the same order.
func TestAttackCancelledFromAnotherTicket(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		booked := p.call("book_pickup", book)
		want(t, p.call("cancel_pickup", map[string]any{"ticket_id": "T-4201", "booking_id": booked.BookingID}), intent.Performed, "", intent.RetryNotNeeded)
		again := p.call("book_pickup", book)
		if again.Status != "cancelled" {
			t.Errorf("status %q: %s", again.Status, again.Verdict)
		}
	})
}

// … and one whose cancellation lands late.
func TestAttackCancellationLandsLate(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		booked := p.call("book_pickup", book)
		r.fault("pickups.cancel", "land_late", 2, 15*time.Second)
		p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": booked.BookingID})
		p.call("book_pickup", book)
		r.later(20 * time.Second)
		again := p.call("book_pickup", book)
		if again.Status != "cancelled" {
			t.Errorf("status %q: %s", again.Status, again.Verdict)
		}
	})
}

// A person's mistyped effect is refused where the provider shows another, and
// can be corrected where it could not be asked.
func TestAttackMistypedResolve(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		lead := intent.Person{Name: "lead"}
		r.faultOnce("refunds.create", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		unknown := p.do(nil)
		want(t, unknown, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		if _, err := p.Resolve(r.ctx, r.key(unknown), lead, "re_typo"); err != nil {
			t.Fatal(err) // the provider cannot be asked: a person's word is taken
		}
		r.clearFaults()
		made := r.effects("refund")[0].ID
		var contradicted *intent.ContradictedError
		if _, err := p.Resolve(r.ctx, r.key(unknown), lead, ""); !errors.As(err, &contradicted) || contradicted.EffectID != made {
			t.Errorf("got %v, want that the provider has %s", err, made)
		}
		if _, err := p.Resolve(r.ctx, r.key(unknown), lead, made); err != nil {
			t.Errorf("a mistake could not be corrected: %v", err)
		}
		if got := p.do(nil); got.RefundID != made {
			t.Errorf("reads %s, want %s", got.RefundID, made)
		}
	})
}

// A second unknown of one act is told again, once a person decided the first.
func TestAttackUnknownTwice(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		down := func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		for n := 1; n <= 2; n++ {
			r.faultOnce("refunds.create", "timeout_before_accept")
			p.at = down
			unknown := p.do(nil)
			want(t, unknown, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
			p.at = nil
			r.clearFaults()
			r.wantEffects("escalation", n)
			if _, err := p.Resolve(r.ctx, r.key(unknown), intent.Person{Name: "lead"}, ""); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A person approves what they saw, not what the model has asked since.
func TestAttackFiguresRewrittenUnseen(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		lead := intent.Person{Name: "lead"}
		first := p.do(sofaFor(20000))
		r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
		want(t, p.do(sofaFor(20000)), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		answer, err := p.Approve(r.ctx, r.key(first), lead)
		if err != nil {
			t.Fatal(err)
		}
		want(t, answer, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		r.wantEffects("refund", 1)
	})
}

// A desk that deduplicates and whose lookup lags is told once.
func TestAttackHandoffBehindALaggingLookup(t *testing.T) {
	bubbleWith(t, map[string]string{"escalations.lookup": "delayed:30s"}, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("escalations.create", "accept_then_500")
		p.handoff("safety")
		p.handoff("safety")
		r.later(time.Minute)
		r.sweep(p)
		r.wantEffects("escalation", 1)
	})
}

// What a person resolves is as the provider shows it: an effect that is pending
// is looked at further, and one that came to nothing is no performed act.
func TestAttackResolveBeforeTheEnd(t *testing.T) {
	s := &scripted{caps: strong, answers: []intent.Answer{lost}, found: []intent.Finding{intent.Absent{}, intent.LookupFailed{}}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
		lead := intent.Person{Name: "lead"}
		act := func() intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		unknown := act()
		want(t, unknown, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		key, err := intent.ParseKey(unknown.IntentKey)
		if err != nil {
			t.Fatal(err)
		}
		failed := intent.Effect{ID: "RE-1", Status: "failed", Final: true, Undone: true, At: time.Now()}
		s.found = []intent.Finding{intent.Found{Effect: failed}}
		var contradicted *intent.ContradictedError
		if _, err := e.Resolve(t.Context(), key, lead, "RE-1"); !errors.As(err, &contradicted) || contradicted.Status != "failed" {
			t.Errorf("got %v, want that it came to nothing", err)
		}
		s.found = []intent.Finding{intent.Found{Effect: intent.Effect{ID: "RE-1", Status: "pending", At: time.Now()}}}
		row, err := e.Resolve(t.Context(), key, lead, "RE-1")
		if err != nil || row.State != intent.StatePerformed || row.Status != "pending" || row.Final || row.Evidence != intent.EvidencePerson {
			t.Errorf("got %+v, %v", row, err)
		}
		s.found = []intent.Finding{intent.Found{Effect: failed}}
		<-time.After(time.Hour)
		want(t, act(), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
	}, s)
}

// A person says too early that nothing happened, and the provider does not
// deduplicate: nothing is sent while the first attempt may still land.
func TestAttackNotPerformedTooEarly(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.dedupe": "none"}, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 25*time.Second)
		unknown := p.do(nil)
		want(t, unknown, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		told := r.ledger.Escalations()
		if len(told) != 1 || !strings.Contains(told[0].Summary, "may still arrive until") {
			t.Errorf("told %+v, want until when it may arrive", told)
		}
		if _, err := p.Resolve(r.ctx, r.key(unknown), intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		early := p.do(nil)
		want(t, early, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if early.RetryAfterSeconds <= 5 {
			t.Errorf("to be asked again in %d s, want when nothing can land any more", early.RetryAfterSeconds)
		}
		r.later(time.Duration(early.RetryAfterSeconds) * time.Second)
		want(t, p.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// The desk has closed a handoff and does not say so: the next one is not taken
// for one that it has already.
func TestAttackHandoffWhileTheDeskIsSilent(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		handoff := func(summary string) intent.Result {
			return p.call("escalate_to_human", map[string]any{"ticket_id": "T-4127", "reason": "safety", "summary": summary})
		}
		first := handoff("It fell on somebody.")
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		r.post("/v1/escalations/"+first.HandoffID+"/close", nil, new(struct{}))
		r.fault("escalations.list", "down", 0, 0)
		second := handoff("The seller threatens the buyer.")
		if second.HandoffID == first.HandoffID {
			t.Errorf("%s: %s", second.Verdict, second.Note)
		}
		again := handoff("The seller threatens the buyer.")
		if again.HandoffID != second.HandoffID {
			t.Errorf("%s and then %s, within a minute", second.HandoffID, again.HandoffID)
		}
		r.wantEffects("escalation", 2)
	})
}

// A courier that was sent away by hand is not promised from memory while nobody
// can look.
func TestAttackOldYesWhileNobodyCanLook(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		booked := p.call("book_pickup", book)
		r.later(16 * time.Minute)
		r.fault("pickups.list", "down", 0, 0)
		again := p.call("book_pickup", book)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.TellCustomer == booked.TellCustomer || !strings.Contains(again.Verdict, "could not be looked up") {
			t.Errorf("%s\n%s", again.Verdict, again.TellCustomer)
		}
	})
}
