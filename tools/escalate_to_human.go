package tools

import (
	"context"
	"encoding/json"

	"counterfoil/intent"
	"counterfoil/provider"
)

// escalateToHuman hands a ticket over to a person.
type escalateToHuman struct{ market provider.Marketplace }

// NewEscalateToHuman is the operation of escalate_to_human.
func NewEscalateToHuman(m provider.Marketplace) intent.Operation { return escalateToHuman{market: m} }

func (escalateToHuman) Tool() string              { return "escalate_to_human" }
func (escalateToHuman) Class() intent.Class       { return intent.ClassHandoff }
func (escalateToHuman) Field() intent.EffectField { return intent.HandoffID }
func (o escalateToHuman) Steps() []intent.Step    { return []intent.Step{Step(o.market.Desk)} }

// Locate gives the facts whole: the ticket and the reason code. The summary is
// free text and no fact.
func (o escalateToHuman) Locate(args intent.Arguments) intent.Locator {
	a := stored[EscalateToHuman](args)
	ticket := o.market.Tickets.Spelling(a.TicketID)
	return intent.Locator{Ticket: intent.Resource{Kind: "ticket", ID: ticket}, Given: handoffFacts(ticket, a.Reason)}
}

func handoffFacts(ticket, reason string) []intent.Fact {
	return []intent.Fact{{Name: "ticket", Value: ticket}, {Name: "reason", Value: reason}}
}

// Read makes sure that the ticket exists.
func (o escalateToHuman) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[EscalateToHuman](args)
	ticket := o.market.Tickets.Ticket(ctx, a.TicketID)
	switch ticket.State {
	case provider.Missing:
		return unknownID("ticket", "Take the ticket_id that you are working on.")
	case provider.Down:
		return intent.Unreadable{Detail: ticket.Detail}
	case provider.Got:
	}
	id := ticket.Value.TicketID
	payload, err := json.Marshal(intent.Handoff{TicketID: id, Reason: a.Reason, Summary: a.Summary})
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	return intent.Readable{
		Facts: handoffFacts(id, a.Reason), Spelled: handoffFacts(o.market.Tickets.Spelling(id), a.Reason),
		Resources: []intent.Resource{ticketResource(o.market, id)}, Ticket: id, Payload: payload,
	}
}

// Judge never stands in the way of a handoff.
func (escalateToHuman) Judge(intent.Readable, intent.View) intent.Judgement { return intent.Allowed{} }

// Describe puts the handoff into words.
func (escalateToHuman) Describe(act intent.Act) intent.Description {
	d := intent.Description{
		Noun: "handoff", What: "handoff to a person", Twice: "be delivered twice",
		Done:    "A colleague has been asked to look at this and will come back to you.",
		Pending: "A colleague has been asked to look at this and will come back to you.",
		Working: "A colleague will look at this.",
	}
	if v, err := decodePayload[intent.Handoff](act.Payload); err == nil {
		d.What = "handoff of ticket " + v.TicketID + " to a person (" + v.Reason + ")"
	}
	return d
}
