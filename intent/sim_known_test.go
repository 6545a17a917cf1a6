package intent_test

import (
	"flag"
	"testing"
	"time"

	"counterfoil/intent"
)

// What is known to be broken is let pass, so that everything else is still
// held. With -strict it is not. An entry goes when its fault has gone.
var simStrict = flag.Bool("strict", false, "TestSim: also hold what is known to be broken")

// knownAdvance: a refusal for now, which closes nothing, advances the ordinal;
// after a lost ledger the key before it may still act.
func knownAdvance(o *simOp) bool { return !*simStrict && !o.caps.ErrorsStored }

// knownQueued: the desk has a handoff, the outbox says so, and its row could not
// be read just then: it stays queued.
func (w *simWorld) knownQueued(row intent.Row) bool {
	if *simStrict || row.State != intent.StateQueued {
		return false
	}
	for _, e := range w.ledger.Escalations() {
		if e.Key == row.Key {
			return !e.DeliveredAt.IsZero()
		}
	}
	return false
}

// knownAlready: the second send within a call provably left nothing, the first
// one is found, and the call reads already_performed.
func knownAlready() bool { return !*simStrict }

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
