package intent_test

import (
	"flag"

	"counterfoil/intent"
)

// What is known to be broken is let pass, so that everything else is still
// held. With -strict it is not. An entry goes when its fault has gone.
var simStrict = flag.Bool("strict", false, "TestSim: also hold what is known to be broken")

// storesRefusals: an escalation that the desk refused, under a key for which it
// stores its errors, is sent under that key for ever.
func (o *simOp) storesRefusals() bool {
	return o.caps.ErrorsStored && (o != o.w.desk || *simStrict)
}

// knownUntold: what an earlier send brought, and an answer had called absent, is
// found while a later claim is in flight; nobody is told.
func knownUntold(was, now *simPromise) bool {
	return !*simStrict && was.Reason == intent.ReasonAbsent && now.Attempts > was.Attempts
}

// knownBlindWatch: without a lookup, a watch never ends by itself.
func knownBlindWatch(o *simOp) bool { return !*simStrict && !o.seeing() }

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
