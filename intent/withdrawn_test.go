package intent_test

import (
	"context"
	"testing"

	"counterfoil/intent"
)

// A call that is taken back sends nothing; what was done before is told all the
// same.
func TestWithdrawnCallOfSomethingDone(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		gone, leave := context.WithCancel(r.ctx)
		leave()
		want(t, p.Do(gone, "issue_refund", refund(nil)), intent.NotPerformed, intent.ReasonCancelled, intent.RetryWait)
		first := p.do(nil)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		again := p.Do(gone, "issue_refund", refund(nil))
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID || again.Evidence != intent.EvidenceLedger {
			t.Errorf("%s by %s", again.RefundID, again.Evidence)
		}
		r.wantEffects("refund", 1)
	})
}
