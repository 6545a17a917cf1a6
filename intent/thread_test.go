package intent_test

import (
	"testing"

	"counterfoil/intent"
)

func TestIncident(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "accept_then_timeout")
		first := p.do(nil)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		if first.Evidence != intent.EvidenceLookup || first.Attempts != 1 {
			t.Errorf("evidence %s after %d attempts, want provider_lookup after 1", first.Evidence, first.Attempts)
		}
		second := p.do(nil)
		want(t, second, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if second.RefundID != first.RefundID || second.Evidence != intent.EvidenceLedger {
			t.Errorf("the repeat reads %s by %s, want %s by ledger", second.RefundID, second.Evidence, first.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}
