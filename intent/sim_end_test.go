package intent_test

import (
	"context"
	"slices"
	"time"

	"counterfoil/intent"
)

// simRounds is how many rounds of the sweeper settle everything, once nothing
// goes wrong any more; simRoundsApart is the time between two.
const (
	simRounds      = 26
	simRoundsApart = 11 * time.Minute
)

// end clears every fault, asks for everything once more, lets time pass and
// the sweeper run, and checks what must hold then.
func (w *simWorld) end() {
	w.mu.Lock()
	w.calm, w.deafUntil = true, time.Time{}
	procs := w.procs
	w.mu.Unlock()
	for _, p := range procs {
		p.crash, p.sleep, p.asleepUntil = simDoom{}, simDoom{}, time.Time{}
	}
	w.fill(false)
	w.failing.Store("")
	w.runUntil(time.Now().Add(time.Minute), nil)
	p := w.start(false)
	w.logf(nil, "the faults are over")
	for round := range simRounds {
		for i, other := range w.alive() { // each knows of its own claims what the others do not
			if other == p || round%8 == 0 {
				w.sweepBy(other, 990_000+100*round+i)
			}
		}
		w.runUntil(time.Now().Add(simRoundsApart), nil)
		if w.broken() {
			return
		}
		if round == simRounds/3 {
			w.askAgain(p)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checkRows()
	w.checkKeys()
	w.checkLost()
	w.checkSums()
	w.checkPromises()
	w.checkContradictions()
}

// sweepBy runs one round of the sweeper.
func (w *simWorld) sweepBy(p *simProc, id int) {
	w.threads.Add(1)
	go func() {
		defer w.threads.Add(-1)
		l := w.lane(id, "S", p)
		w.run(l, func(ctx context.Context) {
			if s, err := p.Sweep(ctx); err != nil || s != (intent.Swept{}) {
				w.logf(l, "swept %+v: %v", s, err)
			}
		})
	}()
}

// askAgain asks for everything once more, now that nothing goes wrong.
func (w *simWorld) askAgain(p *simProc) {
	w.mu.Lock()
	asked := w.asked
	w.mu.Unlock()
	seen := map[string]bool{}
	for i, ask := range asked {
		text := simText(ask.tool, ask.args)
		if seen[text] {
			continue
		}
		seen[text] = true
		w.threads.Add(1)
		go func() {
			defer w.threads.Add(-1)
			w.do(w.lane(800_000+i, "A", p), ask, time.Hour)
		}()
		w.runUntil(time.Now().Add(time.Minute), func() bool { return w.threads.Load() == 0 })
		if w.broken() {
			return
		}
	}
}

// checkRows: every row has settled, or waits for a person who has been told.
func (w *simWorld) checkRows() {
	rows, err := w.ledger().List(w.ctx, 1000)
	if err != nil {
		w.t.Error(err)
	}
	for _, row := range rows {
		op, key := w.opOf(row.Tool), row.Key.String()
		switch {
		case row.State == intent.StateReady && row.Reason == intent.ReasonRefused && op.caps.ErrorsStored:
			// approved, and refused for now: this provider says so under the key until it forgets it
		case row.State == intent.StateReady && slices.ContainsFunc(rows, func(other intent.Row) bool {
			return other.Scope == row.Scope && other.State == intent.StateUnknown && simBlocks(other)
		}):
			// approved, and kept back by one that waits for a person, who has been told of that one
		case row.State == intent.StateInFlight, row.State == intent.StateReady, row.State == intent.StateQueued:
			w.violate("live", "%s (%s) is %s at the end", key, row.Tool, row.State)
		case row.State == intent.StateNotPerformed && row.OnWatch():
			w.violate("live", "%s (%s) is on watch at the end", key, row.Tool)
		case row.State == intent.StatePerformed && !row.Final && w.guarded(op, w.factsOf(key, row.Tool)):
			w.violate("live", "%s (%s) is pending at the end", key, row.Tool)
		case row.State == intent.StateUnknown && op.usable() && row.Reason != intent.ReasonMismatch &&
			time.Now().After(row.SendBy.Add(op.caps.LandsWithin+op.caps.LookupDelay+time.Hour)):
			w.violate("live", "%s (%s) is unknown (%s) at the end, and could be looked up", key, row.Tool, row.Reason)
		case row.State == intent.StateUnknown && !w.toldOf(key):
			w.violate("told", "%s (%s) is unknown at the end, and nobody is told", key, row.Tool)
		}
		w.checkOnce(op, key, w.factsOf(key, row.Tool))
	}
	for _, e := range w.escalations() {
		if e.DeliveredAt.IsZero() {
			w.violate("told", "%s: the escalation for %s is not delivered at the end", e.Subject, e.Cause)
		} else if w.desk.byID(e.HandoffID) == nil {
			w.violate("told", "%s: the desk does not have %s", e.Subject, e.HandoffID)
		}
	}
}

// checkKeys: what is asked for in the same facts is one intent, by whatever key;
// only a deliberate repeat is another.
func (w *simWorld) checkKeys() {
	for _, o := range w.ops() {
		by := map[string]string{}
		for _, e := range o.effects {
			if e.byHand || o == w.desk || w.factsOf(e.intent, "").repeat {
				continue
			}
			if other, known := by[e.facts]; known && other != e.intent {
				w.violate("once", "%s and %s are two intents of one act", other, e.intent)
			}
			by[e.facts] = e.intent
		}
	}
}

// checkLost: every effect that bears our key has a row that leads to it.
func (w *simWorld) checkLost() {
	for _, o := range w.ops() {
		o.deliver(time.Now())
		for _, e := range o.effects {
			if e.byHand || o == w.desk || !o.seeing() || w.epoch > 0 || w.factsOf(e.intent, "").mixed {
				continue
			}
			key, err := intent.ParseKey(e.intent)
			if err != nil {
				w.t.Error(err)
			}
			row, ok, err := w.ledger().Find(w.ctx, key)
			if !e.stands() && row.State == intent.StateUnknown {
				continue // it has come to nothing; by our clock it is older than the send, and a person has been told
			}
			if err != nil || !ok || row.EffectID != e.id && w.guarded(o, w.factsOf(e.intent, "")) {
				w.violate("lost", "%s: effect %s has no row that leads to it (%q)", e.intent, e.id, row.EffectID)
			}
			if !e.stands() && row.State == intent.StatePerformed && row.EffectID == e.id && !w.factsOf(e.intent, "").lied {
				w.violate("true", "%s: effect %s has come to nothing, and the row says performed", e.intent, e.id)
			}
		}
	}
}

// checkSums: never more refunded by us than was paid, and nothing above the
// ceilings without a person.
func (w *simWorld) checkSums() {
	if w.epoch > 0 || w.misled {
		return
	}
	alone := map[string]int64{}
	for _, order := range w.orders {
		sum := int64(0)
		for _, item := range order.Items {
			ours := int64(0)
			for _, e := range w.refunds.effects {
				if e.byHand || e.order != order.OrderID || e.item != item.ItemID || !e.stands() {
					continue
				}
				ours += e.cents
				if !w.factsOf(e.intent, "issue_refund").approved {
					alone[w.ticketOf(e.order)] += e.cents
				}
			}
			if sum += ours; ours > item.PaidCents {
				w.violate("sums", "%d refunded for %s, and %d was paid", ours, item.ItemID, item.PaidCents)
			}
		}
		if sum > order.PaidCents {
			w.violate("sums", "%d refunded for %s, and %d was paid", sum, order.OrderID, order.PaidCents)
		}
	}
	for _, t := range w.tickets {
		if most := w.policy.Ceilings[w.currencyOf(t.OrderIDs[0])].PerTicketCents; alone[t.TicketID] > most {
			w.violate("sums", "%d refunded on %s without a person, and the ceiling is %d", alone[t.TicketID], t.TicketID, most)
		}
	}
}

// checkPromises: nothing landed of what an answer had called not performed for
// good.
func (w *simWorld) checkPromises() {
	for _, o := range w.ops() {
		for _, e := range o.effects {
			facts := w.facts[e.intent]
			if facts == nil || facts.lied || facts.mixed || !e.stands() {
				continue
			}
			for _, p := range facts.promises {
				if w.forGood(p.Result) && e.sentSeq < p.seq && e.epoch == p.epoch && !w.outlivedBy(o, e, p, facts) {
					w.violate("true", "%s was not performed for good (%s), and %s landed of an earlier send", e.intent, p.Reason, e.id)
				}
			}
		}
	}
}
