//go:build unix

package e2e_test

import (
	"maps"
	"slices"
	"time"
)

// audit holds what was said, and what the ledger has, against the marketplace's
// books: nothing acted twice, nothing was said to exist that does not, nothing
// exists that no row leads to.
func (w *world) audit(heard []note) {
	w.Helper()
	effects := w.effects()
	w.auditOnce(effects)
	w.auditDone(heard, effects)
	w.auditUndone(heard, effects)
	w.auditRows(effects)
}

// auditOnce: an intent has one effect of its kind at the most.
func (w *world) auditOnce(effects []effect) {
	w.Helper()
	of := map[string][]string{}
	for _, e := range effects {
		if e.Intent != "" {
			of[e.Intent] = append(of[e.Intent], e.Kind+" "+e.ID)
		}
	}
	for key, ids := range of {
		if len(ids) > 1 {
			w.Errorf("%s acted %d times: %v", key, len(ids), ids)
		}
	}
}

// auditDone: what was said to be done is there, as the effect of that intent.
// A cancellation's effect is the booking, which bears the intent that made it.
func (w *world) auditDone(heard []note, effects []effect) {
	w.Helper()
	there := map[string]effect{}
	for _, e := range effects {
		there[e.ID] = e
	}
	for _, h := range heard {
		if !h.done() {
			continue
		}
		e, ok := there[h.effectID]
		switch {
		case !ok:
			w.Errorf("%s %s, and there is no such effect: %s", h.act.tool, h.Outcome, h.text)
		case h.act.cancels && e.Status != "cancelled":
			w.Errorf("cancelled, and the booking is %s: %s", e.Status, h.text)
		case !h.act.cancels && e.Intent != h.IntentKey:
			w.Errorf("%s is of another intent, %s: %s", e.ID, e.Intent, h.text)
		}
	}
}

// auditUndone: what was said not to be done was not there when the call began,
// except where the answer speaks of this call alone.
func (w *world) auditUndone(heard []note, effects []effect) {
	w.Helper()
	since := map[string]time.Time{}
	for _, e := range effects {
		at, err := time.Parse(time.RFC3339Nano, e.At)
		if err != nil {
			w.Errorf("%s is of %q", e.ID, e.At)
		}
		since[e.Intent] = at
	}
	for _, h := range heard {
		at, made := since[h.IntentKey]
		if h.Outcome == "not_performed" && made && at.Before(h.began) && !slices.Contains(ofThisCall, h.Reason) {
			w.Errorf("not performed, says a call of %v, and it was there since %v: %s", h.began, at, h.text)
		}
	}
}

// ofThisCall are the reasons with which an answer says nothing of earlier calls.
var ofThisCall = []string{"authority_unreachable", "ledger_unavailable", "internal_error", "cancelled", "blocked_by_open"}

// auditRows: every effect that bears a key of ours has the row that says so,
// and no row is left in the middle of a send.
func (w *world) auditRows(effects []effect) {
	w.Helper()
	rows := map[string]row{}
	for _, r := range w.rows() {
		rows[r.IntentKey] = r
		if slices.Contains(unsettled, r.State) {
			w.Errorf("a row is still %s: %+v", r.State, r)
		}
	}
	for _, e := range effects {
		r, ok := rows[e.Intent]
		if !ok && e.Kind == "escalation" {
			continue // from the outbox, under a key of its own
		}
		if !ok || r.State != "performed" || r.EffectID != e.ID {
			w.Errorf("%s %s has the row %+v", e.Kind, e.ID, r)
		}
	}
}

// unsettled are the states in which nobody knows yet, or nobody was told.
var unsettled = []string{"in_flight", "ready", "queued"}

// settle sweeps until no row is in the middle of something.
func (w *world) settle() {
	w.Helper()
	w.until("a ledger that is settled", func() bool {
		w.sweep()
		return !slices.ContainsFunc(w.rows(), func(r row) bool { return slices.Contains(unsettled, r.State) })
	})
}

// finish asks for every act once more, as a client that does as it is told, and
// returns what it was told last. Only what a person has to decide stays undone.
func (w *world) finish(acts []act, n *notes) (last []note) {
	w.Helper()
	c := w.serve()
	defer c.close()
	for _, a := range acts {
		args, known := n.arguments(a)
		if !known {
			continue
		}
		began := time.Now()
		heard, err := c.obey(a.tool, args)
		n.take(a, began, heard, err)
		if err != nil {
			w.Fatalf("%s %v: %v", a.tool, args, err)
		}
		last = append(last, note{a, began, heard})
	}
	return last
}

// auditLast: at the end each act is done, or two of its sends were lost and a
// person has been told. What is not said to be done has no effect.
func (w *world) auditLast(last []note) {
	w.Helper()
	made := map[string]bool{}
	told := map[string]bool{}
	for _, e := range w.effects() {
		made[e.Intent] = true
		told[e.ID] = true
	}
	for _, l := range last {
		switch {
		case l.done():
		case l.Reason == "attempts_exhausted", l.Reason == "absent_after_lookup" && l.Retry == "never":
			if l.Escalation == nil || l.Escalation.State != "delivered" || !told[l.Escalation.ID] {
				w.Errorf("nobody was told: %s", l.text)
			}
		case l.act.cancels && l.Reason == "blocked_by_open": // its booking is one of those
		default:
			w.Errorf("%s %v is not done in the end: %s", l.act.tool, l.act.args, l.text)
		}
		if !l.done() && made[l.IntentKey] {
			w.Errorf("an effect exists, and the last word is %s", l.text)
		}
	}
}

// outcomes says how often each outcome was heard, for the log.
func outcomes(count map[string]int) (said []any) {
	for _, outcome := range slices.Sorted(maps.Keys(count)) {
		said = append(said, outcome, count[outcome])
	}
	return said
}
