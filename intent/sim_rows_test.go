package intent_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"counterfoil/intent"
)

// simSeen is what a history remembers to tell which rows of the table of
// histories it goes through. Under the world's mu.
type simSeen struct {
	texts    map[string]string                // the first call's arguments by key
	held     map[string]bool                  // keys that kept another back
	refused  map[string]bool                  // keys that were refused although their effect was there
	spilled  map[string]int                   // keys whose record did not fit, and the ledger of it
	weak     map[string]bool                  // keys that no lookup could tell of
	waited   map[string]bool                  // keys whose call was told to come again
	causes   map[string]map[intent.Cause]bool // by the key that an escalation is about
	orphaned map[intent.Key]bool              // escalations that waited when a process died
}

func newSimSeen() *simSeen {
	return &simSeen{
		texts: map[string]string{}, held: map[string]bool{}, refused: map[string]bool{}, spilled: map[string]int{}, weak: map[string]bool{}, waited: map[string]bool{},
		causes: map[string]map[intent.Cause]bool{}, orphaned: map[intent.Key]bool{},
	}
}

// note keeps what was written to the outbox. Not under mu.
func (w *simWorld) note(c intent.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range c.Late { // which a replay may write
		w.written(e)
	}
	for _, e := range c.Escalate {
		if !w.written(e) {
			continue
		}
		w.cover.event("told: " + string(e.Cause))
		about := e.Subject.String()
		if w.rows.causes[about] == nil {
			w.rows.causes[about] = map[intent.Cause]bool{}
		}
		w.rows.causes[about][e.Cause] = true
		w.row(18, w.rows.causes[about][intent.CauseApproval] && w.rows.causes[about][intent.CauseUnknown])
		w.row(29, e.Cause == intent.CauseStillUnknown)
	}
}

// written remembers an entry of the outbox; false: it is remembered already.
func (w *simWorld) written(e intent.Escalation) bool {
	if slices.ContainsFunc(w.outbox, func(o intent.Escalation) bool { return o.Key == e.Key }) {
		return false
	}
	w.outbox = append(w.outbox, e)
	return true
}

// row counts a history of the table where what makes it is so.
func (w *simWorld) row(n int, so bool) {
	if so {
		w.cover.row(n)
	}
}

// seeRefused looks at a change that the ledger did not make.
func (w *simWorld) seeRefused(c intent.Change, err error) {
	w.row(4, errors.Is(err, intent.ErrMoved))
	var stale *intent.StaleError
	if !errors.As(err, &stale) || c.Row == nil {
		return
	}
	late := c.Attempt != nil && c.Attempt.Answer == "performed"
	w.row(16, late && stale.Current.State != intent.StateInFlight)
	w.row(17, c.Row.State == intent.StateNotPerformed && stale.Current.Evidence == intent.EvidencePerson)
}

// seeCommit looks at a change that was made.
func (w *simWorld) seeCommit(l *simLane, before, after intent.Row, c intent.Change) {
	w.note(c)
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Update != nil && !c.Update.DeliveredAt.IsZero() {
		w.row(19, w.rows.orphaned[c.Update.Key])
	}
	if c.Row == nil {
		return
	}
	key := after.Key.String()
	done := after.State == intent.StatePerformed
	claimed := after.State == intent.StateInFlight
	lost := w.epoch > 0
	w.row(1, done && before.State != intent.StateInFlight && w.rows.held[key])
	w.row(8, done && before.Ambiguous >= 2 && w.rows.causes[key][intent.CauseLateLanding])
	w.row(14, before.Stored && after.Ordinal > before.Ordinal)
	w.row(20, before.Version == 0 && done && lost && after.Tool == "message_seller")
	w.row(31, before.State == intent.StateReady && claimed && l != nil && strings.HasPrefix(l.who, "S/"))
	if before.Version == 0 && after.State == intent.StateQueued {
		w.row(28, w.otherRow(after, func(r intent.Row) bool { return r.State == intent.StateQueued && r.Ticket == after.Ticket }))
	}
	if before.Version == 0 && lost && after.Tool == "book_pickup" {
		w.row(21, slices.ContainsFunc(w.pickups.effects, func(e *simEffect) bool { return e.status == "cancelled" && e.epoch < w.epoch }))
	}
	if before.Version == 0 && done && after.Tool == "issue_refund" {
		e := w.refunds.byID(after.EffectID)
		w.row(39, e != nil && e.lands.Add(w.orderLag).After(time.Now()))
	}
	dead := before.State == intent.StateInFlight && !w.ledger().Alive(before.Owner)
	w.row(32, dead && !claimed && l != nil && strings.HasPrefix(l.who, "M"))
}

// otherRow reports whether some other row is such.
func (w *simWorld) otherRow(than intent.Row, such func(intent.Row) bool) bool {
	rows, err := w.ledger().List(w.ctx, 1000)
	if err != nil {
		w.t.Error(err)
	}
	return slices.ContainsFunc(rows, func(r intent.Row) bool { return r.Key != than.Key && such(r) })
}

// seeDeath looks at what a process leaves in the outbox when it dies.
func (w *simWorld) seeDeath() {
	for _, e := range w.escalations() {
		if e.DeliveredAt.IsZero() && e.Cause == intent.CauseUnknown {
			w.rows.orphaned[e.Key] = true
		}
	}
}

// seeAnswer looks at an answer. Under mu.
func (w *simWorld) seeAnswer(o *simOp, l *simLane, ask simAsk, r intent.Result) {
	key, text := r.IntentKey, simText(ask.args)
	done := r.Outcome == intent.Performed || r.Outcome == intent.AlreadyPerformed
	if r.Outcome == intent.Performed {
		w.cover.event("done: " + ask.tool)
	}
	first, known := w.rows.texts[key]
	if !known {
		w.rows.texts[key] = text
	}
	w.row(2, r.Outcome == intent.AlreadyPerformed && known && first != text && l.reads == 0)
	w.row(6, done && w.rows.refused[key])
	epoch, spilled := w.rows.spilled[key]
	w.row(34, r.Outcome == intent.AlreadyPerformed && spilled && epoch == w.epoch)
	if done && r.Recorded != nil {
		w.rows.spilled[key] = w.epoch
	}
	w.row(7, done && w.rows.weak[key] && o.caps.Lookup == intent.LookupDelayed)
	w.rows.weak[key] = w.rows.weak[key] || r.Reason == intent.ReasonLookupWeak
	w.row(9, o == w.pickups && o.caps.Dedupe == 0 && r.Outcome == intent.Unknown && r.Reason == intent.ReasonLookupWeak)
	w.row(12, ask.tool == "cancel_pickup" && r.Outcome == intent.AlreadyPerformed && strings.HasPrefix(l.who, "A"))
	w.row(13, r.Outcome == intent.NotPerformed && r.Retry == intent.RetryNever &&
		slices.ContainsFunc(o.under(key, time.Now()), func(e *simEffect) bool { return !e.stands() }))
	w.row(15, r.Outcome == intent.Performed && w.rows.waited[key])
	w.rows.waited[key] = r.Retry == intent.RetryWait
	w.row(25, r.Reason == intent.ReasonMismatch)
	w.row(26, done && o == w.refunds && w.unitsRefunded() == 2)
	w.seeReason(o, ask, r)
}

// seeReason looks at why nothing was done.
func (w *simWorld) seeReason(o *simOp, ask simAsk, r intent.Result) {
	if r.Reason == intent.ReasonAcknowledge {
		w.row(3, slices.ContainsFunc(w.refunds.effects, func(e *simEffect) bool { return e.byHand && e.item == ask.args["item_id"] }))
		w.row(22, slices.ContainsFunc(w.refunds.effects, func(e *simEffect) bool {
			return !e.byHand && e.epoch < w.epoch && e.order == simFoldAny(ask.args["order_id"])
		}))
	}
	if r.Reason == intent.ReasonApproval {
		w.row(36, ask.args["ticket_id"] == "T-3")
		w.row(5, o == w.refunds && w.openCounts(r.IntentKey))
	}
	if r.Reason != intent.ReasonBlockedByOpen {
		return
	}
	for _, by := range r.Related {
		w.rows.held[by.IntentKey] = true
		if by.Tool != ask.tool {
			w.cover.event("kept back by another tool")
		}
		w.row(27, ask.tool == "book_pickup" && by.Tool == "cancel_pickup")
		key, err := intent.ParseKey(by.IntentKey)
		if err != nil {
			continue
		}
		row, ok, err := w.ledger().Find(w.ctx, key)
		w.row(30, err == nil && ok && row.State == intent.StateAwaiting)
	}
}

func simFoldAny(id any) string {
	s, _ := id.(string)
	return simFold(s)
}

// unitsRefunded is of how many units of the line of two a refund stands.
func (w *simWorld) unitsRefunded() int {
	units := map[string]bool{}
	for _, e := range w.refunds.effects {
		if e.item == "RUG" && e.stands() && !e.byHand {
			units[e.intent] = true
		}
	}
	return len(units)
}

// openCounts reports whether what is open on a refund's ticket made the
// difference to its ceiling.
func (w *simWorld) openCounts(key string) bool {
	rows, err := w.ledger().List(w.ctx, 1000)
	if err != nil {
		w.t.Error(err)
	}
	i := slices.IndexFunc(rows, func(r intent.Row) bool { return r.Key.String() == key })
	if i < 0 {
		return false
	}
	ceiling, known := w.policy.Ceilings[rows[i].Currency]
	spent, open := rows[i].Cents, int64(0)
	for _, r := range rows {
		switch {
		case r.Key == rows[i].Key || r.Ticket != rows[i].Ticket || r.Tool != rows[i].Tool:
		case r.State == intent.StatePerformed:
			spent += r.Cents
		case r.Open():
			open += r.Cents
		}
	}
	return known && rows[i].Cents <= ceiling.PerRefundCents && spent <= ceiling.PerTicketCents && spent+open > ceiling.PerTicketCents
}
