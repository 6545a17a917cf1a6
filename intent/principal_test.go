package intent_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
)

// doBy calls issue_refund on somebody's behalf.
func (p *process) doBy(principal string, changes map[string]any) intent.Result {
	p.r.t.Helper()
	answer := p.Do(intent.WithPrincipal(p.r.ctx, principal), "issue_refund", refund(changes))
	checkAnswer(p.r.t, answer)
	return answer
}

// wantAskedBy checks whose the attempts of an intent are, oldest first.
func (r *rig) wantAskedBy(key string, want ...string) {
	r.t.Helper()
	var got []string
	for _, a := range r.attempts(key) {
		got = append(got, a.Principal)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Error(diff)
	}
}

func TestPrincipalOfEachCall(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		first := p.doBy("day-agent", nil)
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		second := p.doBy("night-agent", nil)
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		if first.IntentKey != second.IntentKey {
			t.Error("who asks is part of the key")
		}
		r.wantAskedBy(first.IntentKey, "day-agent", "night-agent")
	})
}

func TestPrincipalOfADeadSender(t *testing.T) {
	bubble(t, func(r *rig) {
		r.faultOnce("refunds.create", "timeout_before_accept")
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointSent {
				runtime.Goexit()
			}
		}
		ended := make(chan struct{})
		go func() { defer close(ended); p.doBy("day-agent", nil) }()
		<-ended
		r.ledger.Kill(p.owner)
		r.later(answerWithin)
		next := r.process("P2")
		next.do(nil) // looks the dead one's send up
		answer := next.do(nil)
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		r.wantAskedBy(answer.IntentKey, "day-agent", "") // the second by whoever runs the process
	})
}

func TestPrincipalOfAnApprovedSend(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		first := p.doBy("day-agent", sofa)
		want(t, first, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		if _, err := p.Approve(r.ctx, r.key(first), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		r.wantEffects("refund", 1)
		r.wantAskedBy(first.IntentKey, "day-agent")
	})
}
