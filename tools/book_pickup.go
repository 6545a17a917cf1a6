package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// bookPickup sends a courier for an order on a day.
type bookPickup struct{ market provider.Marketplace }

// NewBookPickup is the operation of book_pickup.
func NewBookPickup(m provider.Marketplace) intent.Operation { return bookPickup{market: m} }

func (bookPickup) Tool() string              { return "book_pickup" }
func (bookPickup) Class() intent.Class       { return intent.ClassReversible }
func (bookPickup) Field() intent.EffectField { return intent.BookingID }
func (o bookPickup) Steps() []intent.Step    { return []intent.Step{Step(o.market.Pickups)} }

func (o bookPickup) Locate(args intent.Arguments) intent.Locator {
	a := stored[BookPickup](args)
	ticket := ticketResource(o.market, a.TicketID)
	return intent.Locator{
		Ticket: ticket, Anchor: orderResource(o.market, a.OrderID), Again: a.AgainAfter,
		Given: pickupFacts(ticket.ID, o.market.Orders.Spelling(a.OrderID), a.Date),
	}
}

func pickupFacts(ticket, order, day string) []intent.Fact {
	return []intent.Fact{{Name: "ticket", Value: ticket}, {Name: "order", Value: order}, {Name: "day", Value: day}}
}

// pickupScope is the scope of whatever is done about the pickup of an order.
func pickupScope(order string) string { return intent.Scope("pickup", order) }

func (o bookPickup) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[BookPickup](args)
	found, refused := readOrder(ctx, o.market, a.TicketID, a.OrderID)
	if refused != nil {
		return refused
	}
	if !found.listed {
		return notOnTicket()
	}
	order, ticket := found.order.OrderID, found.ticket.TicketID
	payload, err := json.Marshal(provider.Pickup{TicketID: ticket, OrderID: order, Date: a.Date})
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	anchor := orderResource(o.market, order)
	return intent.Readable{
		Facts:   pickupFacts(ticket, order, a.Date),
		Spelled: pickupFacts(o.market.Tickets.Spelling(ticket), o.market.Orders.Spelling(order), a.Date),
		Scope:   pickupScope(order), Anchor: anchor, Resources: []intent.Resource{anchor, ticketResource(o.market, ticket)},
		Ticket: ticket, Payload: payload, World: talkWorld{followUpTo: a.FollowUpTo, againAfter: a.AgainAfter},
	}
}

// Judge has another day name the booking, or the cancellation, before it.
func (bookPickup) Judge(r intent.Readable, v intent.View) intent.Judgement { return judgeTalk(r, v) }

func (bookPickup) Describe(act intent.Act) intent.Description {
	d := intent.Description{
		Noun: "pickup", What: "pickup", Twice: "be booked twice", Working: working,
		Done: "A courier has been booked.", Undone: "The pickup was booked and has been cancelled.",
	}
	if v, err := decodePayload[provider.Pickup](act.Payload); err == nil {
		d.What = fmt.Sprintf("pickup of order %s on %s", v.OrderID, v.Date)
		d.Done = fmt.Sprintf("A courier will come on %s.", v.Date)
		d.Undone = fmt.Sprintf("The pickup on %s was booked and has been cancelled.", v.Date)
	}
	d.Pending = d.Done
	return d
}
