package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"counterfoil/intent"
	"counterfoil/provider"
)

// stored reads arguments that have been validated and written down before.
func stored[T any](args intent.Arguments) T {
	var a T
	if err := json.Unmarshal(args, &a); err != nil {
		panic(fmt.Sprintf("stored arguments: %v", err)) // a fault of ours: nothing has been sent
	}
	return a
}

// orderOnTicket is an order read together with the ticket that names it.
type orderOnTicket struct {
	order  provider.Order
	ticket provider.Ticket
	listed bool // the order lists the ticket
}

// readOrder reads an order and a ticket at once. refused is what is wrong, nil
// where both were read.
func readOrder(ctx context.Context, m provider.Marketplace, ticketID, orderID string) (found orderOnTicket, refused intent.Reading) {
	var order provider.Read[provider.Order]
	var ticket provider.Read[provider.Ticket]
	var both sync.WaitGroup
	both.Go(func() {
		ticket = guarded(func() provider.Read[provider.Ticket] { return m.Tickets.Ticket(ctx, ticketID) })
	})
	both.Go(func() { order = guarded(func() provider.Read[provider.Order] { return m.Orders.Order(ctx, orderID) }) })
	both.Wait()
	switch {
	case order.State == provider.Missing:
		return found, unknownID("order", "Take order_id from get_ticket.")
	case ticket.State == provider.Missing:
		return found, unknownID("ticket", "Take the ticket_id that you are working on.")
	case order.State == provider.Down:
		return found, intent.Unreadable{Detail: order.Detail}
	case ticket.State == provider.Down:
		return found, intent.Unreadable{Detail: ticket.Detail}
	}
	found.order, found.ticket = order.Value, ticket.Value
	found.listed = slices.Contains(order.Value.TicketIDs, ticket.Value.TicketID)
	return found, nil
}

// guarded takes a fault of ours in a read for an authority that cannot be
// reached. It runs in a goroutine of its own, where nobody else would catch it.
func guarded[T any](read func() provider.Read[T]) (r provider.Read[T]) {
	defer func() {
		if p := recover(); p != nil {
			r = provider.Read[T]{Detail: "a fault of ours"}
		}
	}()
	return read()
}

// working is what a customer may be told while nothing is certain.
const working = "We are working on it and will come back to you."

// readTicket reads one ticket. refused is what is wrong, nil where it was read.
func readTicket(ctx context.Context, m provider.Marketplace, id string) (provider.Ticket, intent.Reading) {
	ticket := m.Tickets.Ticket(ctx, id)
	switch ticket.State {
	case provider.Got:
		return ticket.Value, nil
	case provider.Missing:
		return provider.Ticket{}, unknownID("ticket", "Take the ticket_id that you are working on.")
	case provider.Down:
	}
	return provider.Ticket{}, intent.Unreadable{Detail: ticket.Detail}
}

func unknownID(what, note string) intent.Reading {
	return intent.RefusedByRead{
		Reason:  intent.ReasonUnknownID,
		Verdict: fmt.Sprintf("Nothing was sent: there is no %s of that id.", what),
		Note:    note,
	}
}

func notOnTicket() intent.Reading {
	return intent.RefusedByRead{
		Reason:  intent.ReasonNotOnTicket,
		Verdict: "Nothing was sent: that order is not on this ticket.",
		Note:    "Take an order that get_ticket lists for this ticket.",
	}
}

// findItem finds the item of an order by its folded id.
func findItem(order provider.Order, folded string, fold func(string) string) (provider.Item, bool) {
	for _, item := range order.Items {
		if fold(item.ItemID) == folded {
			return item, true
		}
	}
	return provider.Item{}, false
}

// unitsOf are the units of an order line that a call means: the only one, or
// those that it names.
func unitsOf(item provider.Item, given []int) ([]int, intent.Reading) {
	if len(given) == 0 && item.Quantity == 1 {
		return []int{1}, nil
	}
	for _, u := range given {
		if u > item.Quantity {
			return nil, invalidUnits(fmt.Sprintf("units must be between 1 and %d for this item", item.Quantity))
		}
	}
	if len(given) == 0 {
		return nil, invalidUnits(fmt.Sprintf("this line has %d units, and units must say which", item.Quantity))
	}
	return given, nil
}

func invalidUnits(problem string) intent.Reading {
	return intent.RefusedByRead{
		Reason:  intent.ReasonInvalidArguments,
		Verdict: "Nothing was sent: " + problem + ".",
		Note:    "Name the damaged units, such as units [1], and ask again.",
	}
}

func orderResource(m provider.Marketplace, order string) intent.Resource {
	return intent.Resource{Kind: "order", ID: m.Orders.Spelling(order)}
}

func ticketResource(m provider.Marketplace, ticket string) intent.Resource {
	return intent.Resource{Kind: "ticket", ID: m.Tickets.Spelling(ticket)}
}
