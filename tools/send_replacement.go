package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// sendReplacement sends units of an order line once more.
type sendReplacement struct{ market provider.Marketplace }

// NewSendReplacement is the operation of send_replacement.
func NewSendReplacement(m provider.Marketplace) intent.Operation { return sendReplacement{market: m} }

func (sendReplacement) Tool() string              { return "send_replacement" }
func (sendReplacement) Class() intent.Class       { return intent.ClassReversible }
func (sendReplacement) Field() intent.EffectField { return intent.ReplacementID }
func (o sendReplacement) Steps() []intent.Step    { return []intent.Step{Step(o.market.Replacements)} }

func (o sendReplacement) Locate(args intent.Arguments) intent.Locator {
	a := stored[SendReplacement](args)
	ticket := ticketResource(o.market, a.TicketID)
	fold := o.market.Orders.Spelling
	return intent.Locator{Ticket: ticket, Anchor: orderResource(o.market, a.OrderID), Given: replacementFacts(ticket.ID, fold(a.OrderID), fold(a.ItemID), a.Units), Again: a.AgainAfter}
}

// replacementFacts are the facts of a replacement. No unit named is the first.
func replacementFacts(ticket, order, item string, units []int) []intent.Fact {
	if len(units) == 0 {
		units = []int{1}
	}
	return []intent.Fact{
		{Name: "ticket", Value: ticket}, {Name: "order", Value: order}, {Name: "item", Value: item}, intent.UnitsFact("units", units),
	}
}

// replacementWorld is what Judge knows of a reading.
type replacementWorld struct {
	args  SendReplacement
	order provider.Order
	item  provider.Item
}

func (o sendReplacement) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[SendReplacement](args)
	line, refused := readLine(ctx, o.market, a.TicketID, a.OrderID, a.ItemID, a.Units)
	if refused != nil {
		return refused
	}
	return o.readable(a, line)
}

func (o sendReplacement) readable(a SendReplacement, line orderLine) intent.Reading {
	order, item, ticket, units := line.order.OrderID, line.item, line.ticket, line.units
	payload, err := json.Marshal(provider.Replacement{TicketID: ticket, OrderID: order, ItemID: item.ItemID, Units: units})
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	anchor := orderResource(o.market, order)
	fold := o.market.Orders.Spelling
	return intent.Readable{
		Facts:   replacementFacts(ticket, order, item.ItemID, units),
		Spelled: replacementFacts(o.market.Tickets.Spelling(ticket), fold(order), fold(item.ItemID), units),
		Scope:   remedyScope(order, item.ItemID), Anchor: anchor,
		Resources: []intent.Resource{anchor, {Kind: "seller", ID: item.SellerID}, ticketResource(o.market, ticket)},
		Ticket:    ticket, Payload: payload, World: replacementWorld{args: a, order: line.order, item: item},
	}
}

// Judge has a replacement name what was done for this item before it: by us, or
// by whoever refunded it in the authority's books.
func (sendReplacement) Judge(r intent.Readable, v intent.View) intent.Judgement {
	w, ok := r.World.(replacementWorld)
	if !ok {
		return intent.Refusal{Reason: intent.ReasonInternal, Retry: intent.RetryWait}
	}
	latest, found := latestRemedy(w.order, w.item.ItemID, v.Around)
	if !found {
		return intent.Allowed{}
	}
	if refusal := followUp(latest, w.args.FollowUpTo, w.args.AgainAfter); refusal != nil {
		return *refusal
	}
	return intent.Allowed{}
}

// latestRemedy is the newest thing done for an item, whoever did it.
func latestRemedy(order provider.Order, item string, around []intent.Row) (intent.Related, bool) {
	row, found := latestEffect(around, remedyScope(order.OrderID, item))
	latest, at := intent.Related{}, row.EffectAt
	if found {
		latest = intent.Relate(row)
	}
	for _, m := range order.Refunds {
		newer := moved(m) && (m.ItemID == "" || m.ItemID == item) && (!found || m.At.After(at))
		if newer && m.ID != latest.EffectID {
			latest, at, found = intent.Related{EffectID: m.ID, Cents: m.Cents, At: intent.Timestamp(m.At)}, m.At, true
		}
	}
	return latest, found
}

func (sendReplacement) Describe(act intent.Act) intent.Description {
	d := intent.Description{Noun: "replacement", What: "replacement", Twice: "be sent twice", Working: working, Done: "A replacement is on its way."}
	if v, err := decodePayload[provider.Replacement](act.Payload); err == nil {
		d.What = fmt.Sprintf("replacement of %s (%s) for order %s", v.ItemID, counted(len(v.Units), "unit"), v.OrderID)
	}
	d.Pending = d.Done
	return d
}
