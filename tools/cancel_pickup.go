package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// cancelPickup takes a booking back: the compensation of book_pickup.
type cancelPickup struct{ market provider.Marketplace }

// NewCancelPickup is the operation of cancel_pickup.
func NewCancelPickup(m provider.Marketplace) intent.Operation { return cancelPickup{market: m} }

func (cancelPickup) Tool() string              { return "cancel_pickup" }
func (cancelPickup) Class() intent.Class       { return intent.ClassReversible }
func (cancelPickup) Field() intent.EffectField { return intent.BookingID }
func (o cancelPickup) Steps() []intent.Step    { return []intent.Step{Step(o.market.Cancellations)} }

func (o cancelPickup) Locate(args intent.Arguments) intent.Locator {
	a := stored[CancelPickup](args)
	ticket := ticketResource(o.market, a.TicketID)
	return intent.Locator{Ticket: ticket, Given: cancelFacts(ticket.ID, o.market.Orders.Spelling(a.BookingID))}
}

func cancelFacts(ticket, booking string) []intent.Fact {
	return []intent.Fact{{Name: "ticket", Value: ticket}, {Name: "booking", Value: booking}}
}

// Read takes the order from the booking; it must be on the ticket.
func (o cancelPickup) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[CancelPickup](args)
	booking := o.market.Bookings.Booking(ctx, a.BookingID)
	switch booking.State {
	case provider.Missing:
		return unknownID("booking", "Take booking_id from list_effects.")
	case provider.Down:
		return intent.Unreadable{Detail: booking.Detail}
	case provider.Got:
	}
	found, refused := readOrder(ctx, o.market, a.TicketID, booking.Value.OrderID)
	if refused != nil {
		return refused
	}
	if !found.listed {
		return notOnTicket()
	}
	return o.readable(found.ticket.TicketID, booking.Value)
}

func (o cancelPickup) readable(ticket string, b provider.Booking) intent.Reading {
	payload, err := json.Marshal(provider.Cancellation{TicketID: ticket, OrderID: b.OrderID, BookingID: b.BookingID})
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	anchor := orderResource(o.market, b.OrderID)
	return intent.Readable{
		Facts:   cancelFacts(ticket, b.BookingID),
		Spelled: cancelFacts(o.market.Tickets.Spelling(ticket), o.market.Orders.Spelling(b.BookingID)),
		Scope:   pickupScope(b.OrderID), Anchor: anchor,
		Resources: []intent.Resource{anchor, ticketResource(o.market, ticket)},
		Ticket:    ticket, Payload: payload, World: b,
	}
}

// Judge refuses to cancel what somebody else has cancelled. The booking's id
// itself names what this follows.
func (cancelPickup) Judge(r intent.Readable, _ intent.View) intent.Judgement {
	b, ok := r.World.(provider.Booking)
	switch {
	case !ok:
		return intent.Refusal{Reason: intent.ReasonInternal, Retry: intent.RetryWait}
	case b.Status == "cancelled":
		return intent.Refusal{
			Reason: intent.ReasonAcknowledge, Retry: intent.RetryFix,
			Verdict: fmt.Sprintf("Nothing was sent: booking %s has been cancelled already, by another act.", b.BookingID),
			Note:    "There is nothing left to cancel in it; name another booking if one is meant.",
			Related: []intent.Related{{EffectID: b.BookingID}},
		}
	}
	return intent.Allowed{}
}

func (cancelPickup) Describe(act intent.Act) intent.Description {
	d := intent.Description{Noun: "cancellation", What: "cancellation of a pickup", Twice: "be cancelled twice", Working: working}
	if v, err := decodePayload[provider.Cancellation](act.Payload); err == nil {
		d.What = fmt.Sprintf("cancellation of pickup %s of order %s", v.BookingID, v.OrderID)
	}
	d.Done = "The pickup has been cancelled."
	d.Pending = d.Done
	return d
}
