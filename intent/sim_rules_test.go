package intent_test

import (
	"time"

	"counterfoil/intent"
)

// checkSend holds a send against what must have stopped it. Under mu.
func (o *simOp) checkSend(order intent.Order, now time.Time) {
	key := order.Intent.String()
	facts := o.w.factsOf(key, "")
	if o == o.w.desk || facts.lied {
		return
	}
	if facts.declined {
		o.w.violate("leave", "%s is sent after a person declined it", key)
	}
	for _, p := range facts.promises { // what could not be recorded binds only whom it was told
		if p.Recorded == nil && o.w.forGood(p.Result) && p.epoch == o.w.epoch && p.Reason != intent.ReasonApproval && p.seq > facts.decidedSeq {
			o.w.violate("leave", "%s is sent after it was answered with %s, never, and nobody opened it", key, p.Reason)
		}
	}
	for _, s := range o.sends {
		old := s.key == order.Key && s.unsure && s.epoch == o.w.epoch && s.seq > facts.decidedSeq
		if limit := s.at.Add(o.caps.Dedupe*5/6 + providerTimeout); old && o.caps.Dedupe > 0 && now.After(limit) {
			o.w.violate("once", "%s is sent under a key that is %v old", key, now.Sub(s.at))
		}
	}
}

// checkLeave: a deliberate repeat is done only with a person's leave, or after
// what it follows was undone.
func (w *simWorld) checkLeave(ask simAsk, r intent.Result) {
	after, _ := ask.args["again_after"].(string)
	if after == "" || r.Outcome != intent.Performed {
		return
	}
	switch ask.tool {
	case "issue_refund", "message_seller", "reply_to_buyer":
		if !w.allowed[after] {
			w.violate("leave", "%s repeats %s, and nobody allowed it", r.IntentKey, after)
		}
	case "send_replacement":
		w.violate("leave", "%s repeats %s, and no replacement is ever undone", r.IntentKey, after)
	case "book_pickup":
		if e := w.pickups.byID(after); e == nil || e.status != "cancelled" {
			w.violate("leave", "%s repeats %s, which stands", r.IntentKey, after)
		}
	}
}

// checkCommit holds a commit against the ledger's own rules: a claim meets no
// open sibling, and only its owner says of a living claim that nothing came of
// it.
func (w *simWorld) checkCommit(p *simProc, before, after intent.Row) {
	claimed := after.State == intent.StateInFlight && before.State != intent.StateInFlight
	if claimed {
		w.mu.Lock()
		facts := w.factsOf(after.Key.String(), after.Tool)
		facts.claimed, facts.claimedOurs = after.ClaimedAt.Add(-time.Duration(w.skew.Load())), after.ClaimedAt
		w.mu.Unlock()
	}
	if claimed && after.Scope != "" {
		rows, err := w.ledger().List(w.ctx, 1000)
		if err != nil {
			w.t.Error(err)
		}
		for _, other := range rows {
			if other.Key != after.Key && other.Scope == after.Scope && simBlocks(other) {
				w.violate("siblings", "%s is claimed while %s in its scope is %s", after.Key, other.Key, simState(other))
			}
		}
	}
	theirs := before.State == intent.StateInFlight && before.Owner != p.owner && w.ledger().Alive(before.Owner)
	negative := after.State == intent.StateNotPerformed || after.State == intent.StateUnknown
	if theirs && negative && w.now().Before(before.ClaimedAt.Add(answerWithin)) && w.claimedWithin(after.Key, answerWithin) {
		w.violate("owner", "%s is called %s by %s while %s is at it", after.Key, simState(after), p.owner, before.Owner)
	}
}

// claimedWithin reports whether an intent was claimed last, in truth, so shortly ago.
func (w *simWorld) claimedWithin(key intent.Key, d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.factsOf(key.String(), "").claimed.Add(d))
}

// simBlocks is the design's word on which intents keep their siblings back.
func simBlocks(r intent.Row) bool {
	switch r.State {
	case intent.StateInFlight, intent.StateUnknown, intent.StateAwaiting, intent.StateReady, intent.StateQueued:
		return !r.Released
	case intent.StateNotPerformed:
		return !r.Released && !r.WatchUntil.IsZero()
	case intent.StatePerformed:
	}
	return false
}
