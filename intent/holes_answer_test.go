package intent_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// Interleavings that a review of the engine found: what is answered, and what is kept.

// K: the sleeper provably sent nothing, and reads performed.
func TestHoleK_SleeperReadsPerformed(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(2 * time.Minute)
		p2.do(nil)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		close(wake)
		got := <-answer
		want(t, got, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if got.Attempts != 1 {
			t.Errorf("attempts %d, want 1: only one send may have reached the provider", got.Attempts)
		}
	})
}

// L: a panic after the send: the effect is of this very call.
func TestHoleL_PanicReadsAlready(t *testing.T) {
	for _, at := range []intent.Point{intent.PointSent, intent.PointRecorded} {
		t.Run(string(at), func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				p.at = func(point intent.Point) {
					if point == at {
						p.at = nil
						panic("ours")
					}
				}
				want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
			})
		})
	}
}

// M: a handoff that the desk has and the ledger could not record.
func TestHoleM_HandoffUnrecorded(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointTold {
				r.ledger.FailCommits(1, errors.Join(intent.ErrReadOnly, errors.New("disk full")))
			}
		}
		got := p.handoff("safety")
		r.wantEffects("escalation", 1)
		if got.Outcome != intent.Performed || got.Recorded == nil {
			t.Errorf("%s %s, escalation %+v, recorded %v: %s", got.Outcome, got.Reason, got.Escalation, got.Recorded, got.Note)
		}
	})
}

// M2: a handoff whose send may have arrived counts as no attempt.
func TestHoleM2_HandoffAttempts(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("escalations.create", "accept_then_timeout", 1, 0)
		r.fault("escalations.list", "down", 0, 0)
		got := p.handoff("safety")
		t.Logf("%s %s attempts %d: %s", got.Outcome, got.Reason, got.Attempts, got.Note)
		if got.Attempts != 1 {
			t.Errorf("attempts %d, want 1", got.Attempts)
		}
	})
}

// N: the ledger is lost after a deliberate repeat was performed.
func TestHoleN_LostLedgerAgainAfter(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-04-01"}
		first := p.call("book_pickup", book)
		want(t, p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": first.BookingID}), intent.Performed, "", intent.RetryNotNeeded)
		book["again_after"] = first.BookingID
		second := p.call("book_pickup", book)
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		r.loseLedger()
		want(t, r.process("P2").call("book_pickup", book), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
	})
}

// Q: a later step that was not sent is never sent again, and nobody is told.
func TestHoleQ_StepIsForgotten(t *testing.T) {
	first := &scripted{caps: strong, answers: []intent.Answer{intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.Absent{}}}
	second := &scripted{caps: strong, found: []intent.Finding{intent.Absent{}}, answers: []intent.Answer{
		intent.AnsweredNotSent{}, intent.AnsweredPerformed{Effect: intent.Effect{ID: "TR-1", Status: "done", Final: true}},
	}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, l *ledgertest.Memory) {
		e.Do(t.Context(), "act", intent.Arguments(`{}`))
		for range 20 {
			if _, err := e.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
		}
		rows, _ := l.List(t.Context(), 10)
		for _, row := range rows {
			if row.Step == 1 && row.State != intent.StatePerformed && len(l.Escalations()) == 0 {
				t.Errorf("step 2 is %s/%s/%s after 20 minutes and nobody was told", row.State, row.Reason, row.Retry)
			}
		}
	}, first, second)
}

// S: two calls adopt the same effect at once.
func TestHoleS_AdoptedTwice(t *testing.T) {
	bubble(t, func(r *rig) {
		r.process("P1").do(nil)
		r.loseLedger()
		p2 := r.process("P2")
		var mu sync.Mutex
		n, both := 0, make(chan struct{})
		p2.at = func(point intent.Point) {
			if point != intent.PointLookedUp {
				return
			}
			mu.Lock()
			n++
			if n == 2 {
				close(both)
			}
			mu.Unlock()
			<-both
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got := p2.do(nil); got.Recorded != nil {
					t.Errorf("recorded false, though it is recorded: %s", got.Note)
				}
			})
		}
		wg.Wait()
	})
}

// V: our key with another amount: the cents beside the other effect's id.
func TestHoleV_MismatchShowsOurCents(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		id := r.refundUnder(r.keyOf(p, nil), "SU-88421", "SHELF-OAK-4", 1180)
		got := p.do(map[string]any{"expected_refunded_cents": 1180})
		if got.RefundID != id || got.Cents != 0 {
			t.Errorf("refund_id %s with cents %d, want %s without the cents that were asked for", got.RefundID, got.Cents, id)
		}
	})
}

// W: two effects of one intent are known to the engine, and nobody is told.
func TestHoleW_TwoEffectsAreNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		goOn, answer := r.stopAt(p1, intent.PointSettled)
		r.later(time.Minute)
		r.fault("refunds.list", "down", 0, 0)
		if _, err := p2.Resolve(r.ctx, r.rows()[0].Key, intent.Person{Name: "lead"}, "re_by_hand"); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		close(goOn)
		got := <-answer
		t.Logf("%s %s", got.RefundID, got.Verdict)
		r.wantEffects("escalation", 1)
	})
}

// Y: late landing tells a person what was said to the buyer since.
func TestHoleY_LateLandingTellsWhatWasSaid(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 15*time.Second)
		p.do(nil)
		p.call("reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "No refund could be made."})
		r.later(20 * time.Second)
		r.sweep(p)
		for _, e := range r.ledger.Escalations() {
			if e.Cause == intent.CauseLateLanding && !strings.Contains(e.Summary, "No refund could be made") {
				t.Errorf("summary: %s", e.Summary)
			}
		}
	})
}

// Z: one commit does not fit; the provider has no lookup. The repeat contradicts what was said.
func TestHoleZ_SpilledThenUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{}
		ledger, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		b.script = append(b.script, func(o intent.Order) (time.Duration, bool, intent.Answer) {
			ledger.FailCommits(-1, errors.New("other writers hold the ledger"))
			return okNow(o)
		})
		first := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		ledger.FailCommits(0, nil)
		if first.Recorded == nil || *first.Recorded {
			t.Errorf("recorded %v, want false", first.Recorded)
		}
		b.effects = map[string]time.Time{} // the lookup shows nothing, ever
		b.caps.Lookup = intent.LookupNone
		second := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		if second.Outcome != intent.AlreadyPerformed {
			t.Errorf("the repeat reads %s %s: %s", second.Outcome, second.Reason, second.Verdict)
		}
	})
}
