package intent_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
)

// Nine identical calls at once in one process: one sends, eight join it.
func TestNineParallelCalls(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "slow", 1, 2*time.Second)
		outcomes := r.atOnce(9, func(int) *process { return p })
		if outcomes[intent.Performed] != 1 || outcomes[intent.AlreadyPerformed] != 8 {
			t.Errorf("outcomes %v, want 1 performed and 8 already_performed", outcomes)
		}
		r.wantEffects("refund", 1)
	})
}

// Two processes, the same key, the same moment.
func TestTwoProcessesSameMoment(t *testing.T) {
	bubble(t, func(r *rig) {
		ps := []*process{r.process("P1"), r.process("P2")}
		r.fault("refunds.create", "slow", 1, 2*time.Second)
		outcomes := r.atOnce(8, func(i int) *process { return ps[i%2] })
		if outcomes[intent.Performed] != 1 || outcomes[intent.AlreadyPerformed] != 7 {
			t.Errorf("outcomes %v, want 1 performed and 7 already_performed", outcomes)
		}
		if posts := r.wire.posts.Load(); posts != 1 {
			t.Errorf("%d writes on the wire, want 1", posts)
		}
	})
}

// Many different refunds of one seller at once: each happens, none is lost in
// the readings that the others make stale.
func TestContendedSeller(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		calls := []map[string]any{
			nil,
			{"item_id": "HOOK-OAK-2", "amount_cents": 2600},
			{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "LAMP-BRASS-1", "amount_cents": 4900},
			{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "RUG-JUTE-2", "amount_cents": 4000, "units": []int{2}},
		}
		var wg sync.WaitGroup
		for i, changes := range calls {
			wg.Go(func() { want(t, []*process{p1, p2}[i%2].do(changes), intent.Performed, "", intent.RetryNotNeeded) })
		}
		wg.Wait()
		r.wantEffects("refund", 4)
	})
}

// A joiner whose budget ends first reads unknown, in_flight, and tells nobody.
func TestJoinerRunsOutOfBudget(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		joined := p2.do(nil)
		want(t, joined, intent.Unknown, intent.ReasonInFlight, intent.RetryNever)
		if joined.Escalation != nil {
			t.Errorf("escalation %+v, want none", joined.Escalation)
		}
		close(wake)
		<-answer
		r.wantEffects("escalation", 0)
	})
}

// Cancelled before the claim: nothing happens. Cancelled after it: nothing
// stops.
func TestCancellation(t *testing.T) {
	tests := []struct {
		point   intent.Point
		effects int
	}{
		{intent.PointRecognised, 0},
		{intent.PointRead, 0},
		{intent.PointLookedUp, 0},
		{intent.PointBeforeClaim, 0},
		{intent.PointClaimed, 1},
		{intent.PointSent, 1},
		{intent.PointSettled, 1},
	}
	for _, tt := range tests {
		t.Run(string(tt.point), func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				ctx, cancel := context.WithCancel(r.ctx)
				p.at = func(point intent.Point) {
					if point == tt.point {
						cancel()
					}
				}
				answer := p.Do(ctx, "issue_refund", refund(nil))
				checkAnswer(t, answer)
				r.wantEffects("refund", tt.effects)
				if tt.effects == 0 {
					want(t, answer, intent.NotPerformed, intent.ReasonCancelled, intent.RetryWait)
					return
				}
				want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
			})
		})
	}
}

// A panic before the claim is not_performed; after it the row decides.
func TestPanic(t *testing.T) {
	for _, point := range intent.Points() {
		t.Run(string(point), func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				once := true
				p.at = func(at intent.Point) {
					if at == point && once {
						once = false
						panic("a fault of ours")
					}
				}
				answer := p.do(nil)
				r.checkTruth(answer)
				last := r.obey(p, nil)
				if last.Outcome != intent.Performed && last.Outcome != intent.AlreadyPerformed {
					t.Errorf("the next calls end in %s (%s)", last.Outcome, last.Verdict)
				}
				r.wantEffects("refund", 1)
			})
		})
	}
}

// A departing engine finishes what it claimed, and cuts off what hangs.
func TestLeaving(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		r.fault("refunds.create", "accept_then_timeout", 1, 0)
		answer := make(chan intent.Result)
		go func() { answer <- p1.Do(r.ctx, "issue_refund", refund(nil)) }()
		synctest.Wait()
		began := time.Now()
		p1.Leave(0, 3*time.Second)
		got := <-answer
		if took := time.Since(began); took > 3500*time.Millisecond {
			t.Errorf("left after %v, want within 3.5 s", took)
		}
		want(t, got, intent.Unknown, intent.ReasonInFlight, intent.RetryNever)
		r.wantEffects("escalation", 0)
		r.ledger.Kill("P1")
		want(t, r.process("P2").do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// atOnce makes n identical calls at once and counts the outcomes.
func (r *rig) atOnce(n int, by func(int) *process) map[intent.Outcome]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	outcomes := map[intent.Outcome]int{}
	for i := range n {
		wg.Go(func() {
			answer := by(i).do(nil)
			mu.Lock()
			defer mu.Unlock()
			outcomes[answer.Outcome]++
		})
	}
	wg.Wait()
	return outcomes
}
