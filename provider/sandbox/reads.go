package sandbox

import (
	"context"
	"net/http"

	"counterfoil/provider"
)

// orders is the port of orders.
type orders struct{ api *api }

// Order reads one order.
func (p orders) Order(ctx context.Context, id string) provider.Read[provider.Order] {
	return readOne(ctx, p.api, "/v1/orders/"+segment(id), "unknown_order", orderMembers, func(o provider.Order) bool {
		return same(o.OrderID, id) && o.Currency != "" && len(o.Items) > 0
	})
}

// Spelling folds an order's id.
func (orders) Spelling(id string) string { return spelling(id) }

// tickets is the port of tickets.
type tickets struct{ api *api }

// Ticket reads one ticket.
func (p tickets) Ticket(ctx context.Context, id string) provider.Read[provider.Ticket] {
	return readOne(ctx, p.api, "/v1/tickets/"+segment(id), "unknown_ticket", ticketMembers, func(t provider.Ticket) bool {
		return same(t.TicketID, id) && t.BuyerID != ""
	})
}

// Spelling folds a ticket's id.
func (tickets) Spelling(id string) string { return spelling(id) }

// Without any of these a reading is not believed: a sum that is missing would
// read as nothing refunded.
var (
	orderMembers = []string{
		"order_id", "ticket_ids", "buyer_id", "currency", "paid_cents", "refunded_cents", "items", "refunds", "sellers",
	}
	ticketMembers = []string{"ticket_id", "buyer_id", "order_ids", "subject", "status", "messages"}
)

// readOne reads one thing. It is missing only where the marketplace says so by
// the code unknown, and there only if it is believable.
func readOne[T any](ctx context.Context, a *api, path, unknown string, members []string, believable func(T) bool) provider.Read[T] {
	return readUnless(ctx, a, path, verdict{http.StatusNotFound, unknown}, members, believable)
}

// readUnless is readOne where the marketplace says missing in another way.
func readUnless[T any](ctx context.Context, a *api, path string, missing verdict, members []string, believable func(T) bool) provider.Read[T] {
	var v T
	r, detail := a.get(ctx, path, nil)
	switch {
	case detail != "":
		return provider.Read[T]{Detail: detail}
	case verdictOf(r) == missing:
		return provider.Read[T]{State: provider.Missing}
	case r.Status != http.StatusOK:
		return provider.Read[T]{Detail: describe(r)}
	}
	if strictly(r.Body, &v, members...) != nil || !believable(v) {
		return provider.Read[T]{Detail: errForeign.Error()}
	}
	return provider.Read[T]{State: provider.Got, Value: v}
}
