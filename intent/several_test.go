package intent_test

import (
	"strings"
	"testing"
	"time"

	"counterfoil/intent"
)

// Several effects that bear the key of one intent.

// byHand makes an effect with the key of one of ours.
func (r *rig) byHand(path, key string, body map[string]any) string {
	r.t.Helper()
	body["ticket_id"], body["intent"] = "T-4127", key
	var answer struct{ ID string }
	r.post(path, body, &answer)
	return answer.ID
}

// A refund has come to nothing, and another one under its key stands: that one is
// the answer, and a person is told of both.
func TestFailedBesideOneThatStands(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "pending_then_failed", 1, time.Minute)
		first := p.do(nil)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		stands := r.byHand("/v1/refunds", first.IntentKey, map[string]any{
			"order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800, "currency": "USD",
		})
		pending := p.do(nil)
		if pending.RefundID != first.RefundID {
			t.Errorf("while both may stand the answer is %s, want %s", pending.RefundID, first.RefundID)
		}
		r.later(2 * time.Minute)
		r.sweep(p)
		again := p.do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != stands || again.Status != "succeeded" {
			t.Errorf("got %s (%s), want %s", again.RefundID, again.Status, stands)
		}
		if told := r.ledger.Escalations(); len(told) != 1 || told[0].Cause != intent.CauseSecondEffect {
			t.Errorf("told %+v, want of the second effect", told)
		}
	})
}

// A booking has been cancelled, and another one under its key stands: nobody is
// asked to book again.
func TestCancelledBesideOneThatStands(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-03-20"}
		first := p.call("book_pickup", book)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		stands := r.byHand("/v1/pickups", first.IntentKey, map[string]any{"order_id": "SU-88421", "date": "2026-03-20"})
		want(t, p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": first.BookingID}), intent.Performed, "", intent.RetryNotNeeded)
		again := p.call("book_pickup", book)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.BookingID != stands || again.Status != "booked" {
			t.Errorf("got %s (%s), want %s", again.BookingID, again.Status, stands)
		}
	})
}

// An effect that this ledger only found has come to nothing, which was answered;
// then another one turns up. Whoever heard the answer is told.
func TestAnotherThanTheOneThatCameToNothing(t *testing.T) {
	t.Parallel()
	row := intent.Row{State: intent.StateNotPerformed, EffectID: "RE-1"}
	for id, want := range map[string]intent.Cause{"RE-2": intent.CauseLateLanding, "RE-1": ""} {
		if got := row.Belies(id); got != want {
			t.Errorf("%s tells of %q, want %q", id, got, want)
		}
	}
}

// A refund that came to nothing names the repeat, before a person allows it and
// after, however often it is asked for.
func TestWhatCameToNothingNamesItsRepeat(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "pending_then_failed", 1, time.Second)
		p.do(nil)
		r.later(2 * time.Second)
		first, second := p.do(nil), p.do(nil)
		repeat := "ask with again_after " + first.RefundID
		for _, answer := range []intent.Result{first, second} {
			want(t, answer, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
			if !strings.Contains(answer.Note, "Once a person has allowed a repeat, "+repeat) {
				t.Errorf("the note does not name the repeat: %s", answer.Note)
			}
		}
		if _, err := p.AllowRepeat(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		if allowed := p.do(nil); !strings.Contains(allowed.Note, "A person has allowed one repeat: "+repeat) {
			t.Errorf("the note does not name the repeat that is allowed: %s", allowed.Note)
		}
		want(t, p.do(map[string]any{"again_after": first.RefundID}), intent.Performed, "", intent.RetryNotNeeded)
	})
}
