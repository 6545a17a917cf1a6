package tools

import (
	"context"

	"counterfoil/intent"
	"counterfoil/provider"
)

// orderLine is a line of an order that a ticket names, and which of its units
// are meant. Ids are in the authority's spelling.
type orderLine struct {
	order  provider.Order
	item   provider.Item
	ticket string
	units  []int
}

// readLine reads an order and a ticket and finds what a call names in them.
// refused is what is wrong, nil where all was found.
func readLine(ctx context.Context, m provider.Marketplace, ticketID, orderID, itemID string, units []int) (orderLine, intent.Reading) {
	found, refused := readOrder(ctx, m, ticketID, orderID)
	if refused != nil {
		return orderLine{}, refused
	}
	item, ok := findItem(found.order, m.Orders.Spelling(itemID), m.Orders.Spelling)
	if !ok {
		return orderLine{}, unknownID("item", "Take item_id from get_order.")
	}
	if !found.listed {
		return orderLine{}, notOnTicket()
	}
	meant, refused := unitsOf(item, units)
	if refused != nil {
		return orderLine{}, refused
	}
	return orderLine{order: found.order, item: item, ticket: found.ticket.TicketID, units: meant}, nil
}
