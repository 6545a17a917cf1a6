package intent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

// simPort is one operation of the hostile authority as an adapter's port.
type simPort[T any] struct {
	op    *simOp
	facts func(T) simFacts
}

func (p simPort[T]) Name() string                      { return "sim-" + p.op.name }
func (p simPort[T]) Capabilities() intent.Capabilities { return p.op.caps }

func (p simPort[T]) Request(_ intent.Key, v T) ([]byte, error) { return json.Marshal(v) }

func (p simPort[T]) Send(ctx context.Context, o intent.Order, v T) intent.Answer {
	return p.op.send(ctx, o, p.facts(v))
}

func (p simPort[T]) Lookup(ctx context.Context, s intent.Subject, v T) intent.Finding {
	return p.op.lookup(ctx, s, p.facts(v).text)
}

// simFold spells an id as this authority does.
func simFold(id string) string {
	return strings.ToUpper(strings.TrimPrefix(strings.TrimSpace(id), "#"))
}

// simOrders reads orders.
type simOrders struct{ w *simWorld }

func (o simOrders) Spelling(id string) string { return simFold(id) }

func (o simOrders) Order(ctx context.Context, id string) provider.Read[provider.Order] {
	if !o.w.read(ctx, "read order") {
		return provider.Read[provider.Order]{Detail: "http 503"}
	}
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	for _, order := range o.w.orders {
		if order.OrderID == simFold(id) {
			return provider.Read[provider.Order]{State: provider.Got, Value: o.w.withRefunds(order, time.Now())}
		}
	}
	return provider.Read[provider.Order]{State: provider.Missing}
}

// withRefunds is an order as its page shows it now.
func (w *simWorld) withRefunds(order provider.Order, now time.Time) provider.Order {
	w.refunds.deliver(now)
	order.Items = slices.Clone(order.Items)
	for _, e := range w.refunds.effects {
		if e.order != order.OrderID || e.shows.Add(w.orderLag).After(now) {
			continue
		}
		order.Refunds = append(order.Refunds, provider.Moved{ID: e.id, ItemID: e.item, Cents: e.cents, Status: e.status, At: e.lands})
		if !e.stands() {
			continue
		}
		order.RefundedCents += e.cents
		for i := range order.Items {
			if order.Items[i].ItemID == e.item {
				order.Items[i].RefundedCents += e.cents
			}
		}
	}
	return order
}

// read is one read of the marketplace; false: it could not be had.
func (w *simWorld) read(ctx context.Context, what string) bool {
	l := simLaneOf(ctx)
	w.align(ctx, l)
	w.sched.gate(l, what)
	down := !w.calm && l.rng.Float64() < w.unread
	if !w.spend(ctx, w.latency(l.rng)) || down {
		w.undecided(ctx, l, true)
		w.logf(l, "%s: down", what)
		return false
	}
	l.inner, l.outer, l.notBefore = 0, 0, time.Time{}
	l.reads++
	return true
}

// simTickets reads tickets. They never change, and reading one takes no time:
// it runs beside the reading of the order.
type simTickets struct{ w *simWorld }

func (t simTickets) Spelling(id string) string { return simFold(id) }

func (t simTickets) Ticket(_ context.Context, id string) provider.Read[provider.Ticket] {
	for _, ticket := range t.w.tickets {
		if ticket.TicketID == simFold(id) {
			return provider.Read[provider.Ticket]{State: provider.Got, Value: ticket}
		}
	}
	return provider.Read[provider.Ticket]{State: provider.Missing}
}

// simBookings reads the courier's bookings.
type simBookings struct{ w *simWorld }

func (b simBookings) Booking(ctx context.Context, id string) provider.Read[provider.Booking] {
	if !b.w.read(ctx, "read booking") {
		return provider.Read[provider.Booking]{Detail: "http 503"}
	}
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.w.pickups.deliver(time.Now())
	b.w.cancels.deliver(time.Now())
	e := b.w.pickups.byID(simFold(id))
	if e == nil || e.lands.After(time.Now()) {
		return provider.Read[provider.Booking]{State: provider.Missing}
	}
	return provider.Read[provider.Booking]{State: provider.Got, Value: provider.Booking{
		BookingID: e.id, OrderID: e.order, TicketID: b.w.ticketOf(e.order), Status: e.status,
	}}
}

func (w *simWorld) ticketOf(order string) string {
	for _, t := range w.tickets {
		if slices.Contains(t.OrderIDs, order) {
			return t.TicketID
		}
	}
	return ""
}

// market is the authority as the tools see it.
func (w *simWorld) market() provider.Marketplace {
	return provider.Marketplace{
		Account: "sim", Environment: "test",
		Orders: simOrders{w}, Tickets: simTickets{w}, Bookings: simBookings{w},
		Refunds: simPort[provider.Refund]{w.refunds, func(r provider.Refund) simFacts {
			return simFacts{text: simText(r.OrderID, r.ItemID, r.Units, r.Cents), order: r.OrderID, item: r.ItemID, cents: r.Cents}
		}},
		Messages: simPort[provider.Message]{w.messages, func(m provider.Message) simFacts {
			return simFacts{text: simText(m.TicketID, m.To, m.Text)}
		}},
		Pickups: simPort[provider.Pickup]{w.pickups, func(p provider.Pickup) simFacts {
			return simFacts{text: simText(p.OrderID, p.Date), order: p.OrderID}
		}},
		Cancellations: simPort[provider.Cancellation]{w.cancels, func(c provider.Cancellation) simFacts {
			return simFacts{text: simText(c.BookingID), order: c.OrderID, booking: c.BookingID}
		}},
		Replacements: simPort[provider.Replacement]{w.replacements, func(r provider.Replacement) simFacts {
			return simFacts{text: simText(r.OrderID, r.ItemID, r.Units), order: r.OrderID, item: r.ItemID}
		}},
		Desk: simPort[intent.Handoff]{w.desk, func(h intent.Handoff) simFacts {
			return simFacts{text: simText(h.TicketID, h.Reason)}
		}},
	}
}

func simText(parts ...any) string {
	raw, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
