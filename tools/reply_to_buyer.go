package tools

import (
	"context"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// replyToBuyer writes to the buyer of a ticket.
type replyToBuyer struct{ market provider.Marketplace }

// NewReplyToBuyer is the operation of reply_to_buyer.
func NewReplyToBuyer(m provider.Marketplace) intent.Operation { return replyToBuyer{market: m} }

func (replyToBuyer) Tool() string              { return "reply_to_buyer" }
func (replyToBuyer) Class() intent.Class       { return intent.ClassIrreversible }
func (replyToBuyer) Field() intent.EffectField { return intent.MessageID }
func (o replyToBuyer) Steps() []intent.Step    { return []intent.Step{Step(o.market.Messages)} }

// Locate cannot name the buyer: the ticket has one.
func (o replyToBuyer) Locate(args intent.Arguments) intent.Locator {
	a := stored[ReplyToBuyer](args)
	ticket := ticketResource(o.market, a.TicketID)
	return intent.Locator{Ticket: ticket, Given: replyGiven(ticket.ID, a.Text), Again: a.AgainAfter}
}

func replyGiven(ticket, text string) []intent.Fact {
	return []intent.Fact{{Name: "ticket", Value: ticket}, intent.TextFact("text", text)}
}

// Read takes the buyer from the ticket.
func (o replyToBuyer) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[ReplyToBuyer](args)
	ticket, refused := readTicket(ctx, o.market, a.TicketID)
	if refused != nil {
		return refused
	}
	return talk(o.market, provider.Message{TicketID: ticket.TicketID, To: ticket.BuyerID, Text: a.Text}, talkWords{
		facts:   messageFacts(ticket.TicketID, "buyer", ticket.BuyerID, a.Text),
		spelled: replyGiven(o.market.Tickets.Spelling(ticket.TicketID), a.Text),
		to:      intent.Resource{Kind: "buyer", ID: ticket.BuyerID},
		world:   talkWorld{followUpTo: a.FollowUpTo, againAfter: a.AgainAfter},
	})
}

// Judge has a further reply name the one before it.
func (replyToBuyer) Judge(r intent.Readable, v intent.View) intent.Judgement { return judgeTalk(r, v) }

func (replyToBuyer) Describe(act intent.Act) intent.Description {
	d := intent.Description{Noun: "reply", What: "reply to the buyer", Twice: "be delivered twice", Working: working}
	if v, err := decodePayload[provider.Message](act.Payload); err == nil {
		d.What = fmt.Sprintf("reply to buyer %s on ticket %s", v.To, v.TicketID)
	}
	return d
}
