package intent_test

import (
	"testing"
	"time"

	"counterfoil/intent"
)

// What TestSim found and a history of its own now holds.

// A refusal for now proves nothing of what was sent under the same key before a
// ledger was lost: the key has to stay.
func TestSimFoundRefusalForNowKeepsTheKey(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fault("refunds.create", "land_late", 1, 25*time.Second)
		want(t, r.process("P1").do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.loseLedger()
		p := r.process("P2")
		r.faultOnce("refunds.create", "reject_transient")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryWait)
		r.obey(p, nil)
		r.later(time.Minute)
		r.wantEffects("refund", 1)
	})
}

// A released scope lets another refund of the item go on; what may still come
// of the first counts as spent all the same.
func TestSimFoundReleasedUnknownCountsAsSpent(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.lookup": "webhook"}, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, time.Hour)
		first := p.do(map[string]any{"amount_cents": 6000})
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		more := p.do(map[string]any{"amount_cents": 5999})
		if more.Outcome == intent.Performed {
			t.Errorf("%s: 6000 that may be on its way and 5999 are more than was paid", more.Verdict)
		}
	})
}

// The repeat within a call is a claim like any other: where a person has
// released the scope meanwhile, and another act went on in it, it is not made.
func TestSimFoundRepeatMeetsASibling(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		pickup := func(day string) map[string]any {
			return map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": day}
		}
		stopped, goOn, answer := make(chan struct{}), make(chan struct{}), make(chan intent.Result)
		p.at = func(point intent.Point) {
			if point == intent.PointRecorded {
				p.at = nil
				close(stopped)
				<-goOn
			}
		}
		r.faultOnce("pickups.create", "timeout_before_accept")
		go func() { answer <- p.call("book_pickup", pickup("2026-03-20")) }()
		<-stopped
		q := r.process("P2")
		if _, err := q.Release(r.ctx, r.rows()[0].Key, intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		r.fault("pickups.create", "timeout_before_accept", 2, 0)
		want(t, q.call("book_pickup", pickup("2026-03-21")), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.wantEffects("pickup", 0)
	})
}
