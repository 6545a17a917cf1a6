package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// messageSeller writes to a seller about a ticket.
type messageSeller struct{ market provider.Marketplace }

// NewMessageSeller is the operation of message_seller.
func NewMessageSeller(m provider.Marketplace) intent.Operation { return messageSeller{market: m} }

func (messageSeller) Tool() string              { return "message_seller" }
func (messageSeller) Class() intent.Class       { return intent.ClassIrreversible }
func (messageSeller) Field() intent.EffectField { return intent.MessageID }
func (o messageSeller) Steps() []intent.Step    { return []intent.Step{Step(o.market.Messages)} }

func (o messageSeller) Locate(args intent.Arguments) intent.Locator {
	a := stored[MessageSeller](args)
	ticket := ticketResource(o.market, a.TicketID)
	return intent.Locator{
		Ticket: ticket,
		Given:  messageFacts(ticket.ID, "seller", o.market.Orders.Spelling(a.SellerID), a.Text),
		Again:  a.AgainAfter,
	}
}

// messageFacts are the facts of a message; role is seller or buyer.
func messageFacts(ticket, role, to, text string) []intent.Fact {
	return []intent.Fact{{Name: "ticket", Value: ticket}, {Name: role, Value: to}, intent.TextFact("text", text)}
}

// Read finds the seller among those of the ticket's orders.
func (o messageSeller) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[MessageSeller](args)
	ticket, refused := readTicket(ctx, o.market, a.TicketID)
	if refused != nil {
		return refused
	}
	seller, refused := o.sellerOn(ctx, ticket, o.market.Orders.Spelling(a.SellerID))
	if refused != nil {
		return refused
	}
	fold := o.market.Tickets.Spelling
	return talk(o.market, provider.Message{TicketID: ticket.TicketID, To: seller, Text: a.Text}, talkWords{
		facts:   messageFacts(ticket.TicketID, "seller", seller, a.Text),
		spelled: messageFacts(fold(ticket.TicketID), "seller", o.market.Orders.Spelling(seller), a.Text),
		to:      intent.Resource{Kind: "seller", ID: seller},
		world:   talkWorld{followUpTo: a.FollowUpTo, againAfter: a.AgainAfter},
	})
}

// sellerOn finds a seller of any of the ticket's orders, in the authority's
// spelling.
func (o messageSeller) sellerOn(ctx context.Context, ticket provider.Ticket, folded string) (string, intent.Reading) {
	for _, id := range ticket.OrderIDs {
		order := o.market.Orders.Order(ctx, id)
		if order.State == provider.Down {
			return "", intent.Unreadable{Detail: order.Detail}
		}
		for _, seller := range order.Value.Sellers {
			if o.market.Orders.Spelling(seller.ID) == folded {
				return seller.ID, nil
			}
		}
	}
	return "", intent.RefusedByRead{
		Reason:  intent.ReasonNotOnTicket,
		Verdict: "Nothing was sent: no seller of that id is on this ticket's orders.",
		Note:    "Take seller_id from get_order.",
	}
}

// Judge has a further message name the one before it.
func (messageSeller) Judge(r intent.Readable, v intent.View) intent.Judgement {
	return judgeTalk(r, v)
}

func (messageSeller) Describe(act intent.Act) intent.Description {
	d := intent.Description{
		Noun: "message", What: "message to the seller", Twice: "be delivered twice",
		Done: "We have written to the seller.", Pending: "We have written to the seller.", Working: working,
	}
	if v, err := decodePayload[provider.Message](act.Payload); err == nil {
		d.What = fmt.Sprintf("message to seller %s on ticket %s", v.To, v.TicketID)
	}
	return d
}

// talkWords is what a message's reading is made of.
type talkWords struct {
	facts, spelled []intent.Fact
	to             intent.Resource
	world          talkWorld
}

// talkWorld is what the judgement of a message knows of its call.
type talkWorld struct{ followUpTo, againAfter string }

// talk is the reading of a message: one scope a ticket and addressee.
func talk(m provider.Marketplace, message provider.Message, w talkWords) intent.Reading {
	payload, err := json.Marshal(message)
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	anchor := ticketResource(m, message.TicketID)
	return intent.Readable{
		Facts: w.facts, Spelled: w.spelled, Scope: intent.Scope("talk", message.TicketID, message.To), Anchor: anchor,
		Resources: []intent.Resource{w.to, anchor}, Ticket: message.TicketID, Payload: payload, World: w.world,
	}
}

func judgeTalk(r intent.Readable, v intent.View) intent.Judgement {
	w, ok := r.World.(talkWorld)
	if !ok {
		return intent.Refusal{Reason: intent.ReasonInternal, Retry: intent.RetryWait}
	}
	return followUpIn(v, r.Scope, w.followUpTo, w.againAfter)
}
