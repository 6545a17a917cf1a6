package intent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"time"

	"counterfoil/intent"
)

// simAsk is a call as the model makes it.
type simAsk struct {
	tool string
	args map[string]any
}

func (a simAsk) with(name string, value any) simAsk {
	args := maps.Clone(a.args)
	args[name] = value
	return simAsk{a.tool, args}
}

func (a simAsk) without(names ...string) simAsk {
	args := maps.Clone(a.args)
	for _, name := range names {
		delete(args, name)
	}
	return simAsk{a.tool, args}
}

// simWishes are what a model may want to have done.
func simWishes() []simAsk {
	refund := func(ticket, order, item string, cents int) simAsk {
		return simAsk{"issue_refund", map[string]any{"ticket_id": ticket, "order_id": order, "item_id": item, "amount_cents": cents}}
	}
	return []simAsk{
		refund("T-1", "SU-1", "SHELF", 11800), refund("T-1", "SU-1", "SHELF", 6000), refund("T-1", "SU-1", "HOOK", 2600),
		refund("T-2", "SU-2", "SOFA", 42000), refund("T-2", "SU-2", "SOFA", 14000),
		refund("T-2", "SU-2", "RUG", 4000).with("units", []int{1}), refund("T-2", "SU-2", "RUG", 4000).with("units", []int{2}),
		refund("T-3", "SU-3", "LAMP", 3000),
		{"send_replacement", map[string]any{"ticket_id": "T-1", "order_id": "SU-1", "item_id": "SHELF"}},
		{"send_replacement", map[string]any{"ticket_id": "T-2", "order_id": "SU-2", "item_id": "RUG", "units": []int{2}}},
		{"reply_to_buyer", map[string]any{"ticket_id": "T-1", "text": "We are working on it."}},
		{"message_seller", map[string]any{"ticket_id": "T-1", "seller_id": "S-1", "text": "The shelf is broken."}},
		{"message_seller", map[string]any{"ticket_id": "T-2", "seller_id": "S-1", "text": "The rug is stained."}},
		{"book_pickup", map[string]any{"ticket_id": "T-1", "order_id": "SU-1", "date": "2026-03-20"}},
		{"book_pickup", map[string]any{"ticket_id": "T-2", "order_id": "SU-2", "date": "2026-03-21"}},
		{"escalate_to_human", map[string]any{"ticket_id": "T-1", "reason": "safety", "summary": "It fell on somebody."}},
		{"escalate_to_human", map[string]any{"ticket_id": "T-2", "reason": "buyer_request", "summary": "The buyer asks for it."}},
	}
}

// simModel is one conversation of a model: it asks, reads, and does as it is
// told, or does not.
type simModel struct {
	w      *simWorld
	id     int
	rng    *rand.Rand
	calls  int
	obeys  float64
	wishes []simAsk
}

func (w *simWorld) model(id int) *simModel {
	m := &simModel{w: w, id: id, rng: rand.New(rand.NewPCG(w.seed, uint64(id)*131+5))}
	m.obeys = []float64{0.3, 0.7, 0.95}[m.rng.IntN(3)]
	for range 1 + m.rng.IntN(3) {
		m.wishes = append(m.wishes, w.wishes[m.rng.IntN(len(w.wishes))])
	}
	return m
}

// talk holds the conversation: some wishes, each asked for until the model is
// content or gives up.
func (m *simModel) talk() {
	defer m.w.threads.Add(-1)
	<-time.After(time.Duration(m.rng.IntN(20_000)) * time.Millisecond)
	for _, wish := range m.wishes {
		ask := wish
		for range 2 + m.rng.IntN(6) {
			answer, ended := m.ask(ask)
			if m.w.broken() {
				return
			}
			var more bool
			if ask, more = m.react(ask, answer, ended); !more {
				break
			}
		}
		<-time.After(m.gap())
	}
}

// gap is the time between two thoughts: mostly seconds, now and then hours.
func (m *simModel) gap() time.Duration {
	switch n := m.rng.IntN(12); {
	case n == 0:
		return time.Duration(1+m.rng.IntN(30)) * time.Hour
	case n < 3:
		return time.Duration(m.rng.IntN(40)) * time.Minute
	}
	return time.Duration(m.rng.IntN(30_000)) * time.Millisecond
}

// react decides what is asked next; more is false where the model is content.
func (m *simModel) react(ask simAsk, r intent.Result, ended bool) (next simAsk, more bool) {
	obeys := m.rng.Float64() < m.obeys
	switch {
	case !ended: // the process died: the client asks again
		<-time.After(time.Duration(m.rng.IntN(4000)) * time.Millisecond)
		return ask, true
	case r.Retry == intent.RetryWait && obeys:
		<-time.After(time.Duration(max(r.RetryAfterSeconds, 3)) * time.Second)
		return ask, true
	case r.Retry == intent.RetryFix:
		return m.fix(ask, r, obeys)
	case r.Outcome == intent.Performed || r.Outcome == intent.AlreadyPerformed:
		return m.further(ask, r)
	case obeys:
		return ask, m.rng.IntN(4) == 0
	}
	<-time.After(time.Duration(m.rng.IntN(8000)) * time.Millisecond)
	return m.reword(ask), true
}

// fix does what an answer asks for, or something near it.
func (m *simModel) fix(ask simAsk, r intent.Result, obeys bool) (simAsk, bool) {
	if r.Reason != intent.ReasonAcknowledge || !obeys || m.rng.IntN(3) == 0 {
		return m.reword(ask), m.rng.IntN(2) == 0
	}
	latest := ""
	if len(r.Related) > 0 {
		latest = r.Related[0].EffectID
	}
	if ask.tool == "issue_refund" && !strings.HasPrefix(latest, m.w.replacements.prefix) {
		order, _ := ask.args["order_id"].(string)
		m.w.mu.Lock()
		defer m.w.mu.Unlock()
		for _, o := range m.w.orders {
			if o.OrderID == simFold(order) {
				return ask.with("expected_refunded_cents", m.w.withRefunds(o, time.Now()).RefundedCents), true
			}
		}
	}
	if latest != "" {
		return ask.with("follow_up_to", latest), true
	}
	return ask, false
}

// further is what comes after something was done.
func (m *simModel) further(ask simAsk, r intent.Result) (simAsk, bool) {
	switch n := m.rng.IntN(6); {
	case n < 2:
		return ask, true
	case n < 4 && ask.tool == "book_pickup" && r.Status != "cancelled":
		return simAsk{"cancel_pickup", map[string]any{"ticket_id": ask.args["ticket_id"], "booking_id": r.BookingID}}, true
	case n < 4 && ask.tool == "book_pickup":
		return ask.with("again_after", r.BookingID), true
	case n == 4 && ask.tool == "issue_refund":
		return ask.with("again_after", r.RefundID), true
	case n == 4 && ask.tool == "send_replacement":
		return ask.with("again_after", r.ReplacementID), true
	case n == 4:
		return m.reword(ask), true
	}
	return ask, false
}

// reword asks for nearly the same: another spelling, another text, a cent less.
func (m *simModel) reword(ask simAsk) simAsk {
	switch ask.tool {
	case "issue_refund":
		cents, _ := ask.args["amount_cents"].(int)
		switch m.rng.IntN(12) {
		case 0, 1, 2:
			return ask.with("amount_cents", cents-1)
		case 3:
			return ask.with("order_id", "SU-9")
		case 4:
			return ask.with("ticket_id", map[any]string{"T-1": "T-2", "T-2": "T-3", "T-3": "T-1"}[ask.args["ticket_id"]])
		case 5, 6, 7:
			return ask.with("reason", "in other words")
		case 8, 9, 10:
			order, _ := ask.args["order_id"].(string)
			return ask.with("order_id", "#"+order)
		}
		return ask.without("expected_refunded_cents")
	case "message_seller", "reply_to_buyer":
		return ask.with("text", "Once more: it is broken.")
	case "send_replacement":
		return ask.with("units", []int{1, 2}[:1+m.rng.IntN(2)])
	case "escalate_to_human":
		return ask.with("reason", "other")
	case "book_pickup":
		return ask.with("date", "2026-03-2"+simNth(2+m.rng.IntN(4)))
	}
	return ask
}

// ask makes one call, now and then a second one beside it, and now and then
// withdraws it.
func (m *simModel) ask(ask simAsk) (answer intent.Result, ended bool) {
	m.w.mu.Lock()
	m.w.asked = append(m.w.asked, ask)
	m.w.mu.Unlock()
	m.calls++
	n, twin := m.calls, make(chan struct{})
	if m.rng.IntN(4) == 0 {
		other := ask
		if m.rng.IntN(2) == 0 {
			other = m.reword(ask)
		}
		go func() {
			defer close(twin)
			m.call(other, n, 1)
		}()
	} else {
		close(twin)
	}
	answer, ended = m.call(ask, n, 0)
	<-twin
	return answer, ended
}

// call makes one call, the model's n-th or one beside it, on a process that is
// alive.
func (m *simModel) call(ask simAsk, n, beside int) (answer intent.Result, ended bool) {
	rng := m.rng
	if beside > 0 {
		rng = rand.New(rand.NewPCG(m.w.seed, uint64(m.id*1000+n)))
	}
	var live []*simProc
	for live = m.w.alive(); len(live) == 0; live = m.w.alive() {
		<-time.After(time.Second)
		if m.w.broken() {
			return answer, false
		}
	}
	l := m.w.lane(m.id*1000+2*n+beside, fmt.Sprintf("M%d.%d%s", m.id, n, []string{"", "b"}[beside]), live[rng.IntN(len(live))])
	patience := time.Hour
	if rng.IntN(7) == 0 {
		patience = time.Duration(rng.IntN(12_000)) * time.Millisecond
	}
	answer, ended = m.w.do(l, ask, patience)
	if !ended { // a client notices a while after
		<-time.After(time.Until(l.proc.diedAt.Add(6 * time.Second)))
	}
	return answer, ended
}

// do runs one call in a lane and checks its answer.
func (w *simWorld) do(l *simLane, ask simAsk, patience time.Duration) (answer intent.Result, ended bool) {
	raw, err := json.Marshal(ask.args)
	if err != nil {
		w.t.Error(err)
		return answer, false
	}
	ended = w.run(l, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer time.AfterFunc(patience, cancel).Stop()
		w.logf(l, "call %s %s", ask.tool, raw)
		began := time.Now()
		l.began, l.again = began, ask.args["again_after"] != nil
		answer = l.proc.Do(ctx, ask.tool, raw)
		w.check(l, ask, answer, began)
	})
	return answer, ended
}
