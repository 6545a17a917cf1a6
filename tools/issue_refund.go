package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
)

// issueRefund pays money back for one item of an order.
type issueRefund struct {
	market provider.Marketplace
	policy func() policy.Policy
}

// NewIssueRefund is the operation of issue_refund.
func NewIssueRefund(m provider.Marketplace, p func() policy.Policy) intent.Operation {
	return issueRefund{market: m, policy: p}
}

func (issueRefund) Tool() string              { return "issue_refund" }
func (issueRefund) Class() intent.Class       { return intent.ClassIrreversible }
func (issueRefund) Field() intent.EffectField { return intent.RefundID }
func (o issueRefund) Steps() []intent.Step    { return []intent.Step{Step(o.market.Refunds)} }

// Locate leaves out what is no fact: the reason and what is acknowledged.
func (o issueRefund) Locate(args intent.Arguments) intent.Locator {
	a := stored[IssueRefund](args)
	ticket := o.market.Tickets.Spelling(a.TicketID)
	return intent.Locator{
		Ticket: intent.Resource{Kind: "ticket", ID: ticket},
		Given:  refundGiven(ticket, o.market.Orders.Spelling(a.OrderID), o.market.Orders.Spelling(a.ItemID), a.Units, a.AmountCents),
		Again:  a.AgainAfter,
	}
}

// refundGiven are the facts that arguments alone can give. The first unit of a
// line and no unit named are one: where they are not, the call is refused.
func refundGiven(ticket, order, item string, units []int, cents int64) []intent.Fact {
	if len(units) == 0 {
		units = []int{1}
	}
	return []intent.Fact{
		{Name: "ticket", Value: ticket},
		{Name: "order", Value: order},
		{Name: "item", Value: item},
		intent.UnitsFact("units", units), intent.IntFact("cents", cents),
	}
}

// refundWorld is what Judge knows of a reading.
type refundWorld struct {
	args  IssueRefund
	order provider.Order
	item  provider.Item
}

// Read takes the authority's spelling of the ids and what has been paid back.
func (o issueRefund) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	a := stored[IssueRefund](args)
	line, refused := readLine(ctx, o.market, a.TicketID, a.OrderID, a.ItemID, a.Units)
	if refused != nil {
		return refused
	}
	return o.readable(a, line)
}

func (o issueRefund) readable(a IssueRefund, line orderLine) intent.Reading {
	order, item, ticket, units := line.order, line.item, line.ticket, line.units
	payload, err := json.Marshal(provider.Refund{
		TicketID: ticket, OrderID: order.OrderID, ItemID: item.ItemID, Units: units,
		Cents: a.AmountCents, Currency: order.Currency, Reason: a.Reason,
	})
	if err != nil {
		return intent.Unreadable{Detail: "the act cannot be written down"}
	}
	anchor := orderResource(o.market, order.OrderID)
	return intent.Readable{
		Facts: []intent.Fact{
			{Name: "ticket", Value: ticket},
			{Name: "order", Value: order.OrderID},
			{Name: "item", Value: item.ItemID},
			intent.UnitsFact("units", units), intent.IntFact("amount", a.AmountCents),
			{Name: "currency", Value: order.Currency},
		},
		Spelled: refundGiven(o.market.Tickets.Spelling(ticket), o.market.Orders.Spelling(order.OrderID),
			o.market.Orders.Spelling(item.ItemID), units, a.AmountCents),
		Scope:  remedyScope(order.OrderID, item.ItemID),
		Anchor: anchor,
		Resources: []intent.Resource{
			anchor, {Kind: "seller", ID: item.SellerID}, {Kind: "buyer", ID: order.BuyerID}, ticketResource(o.market, ticket),
		},
		Cents: a.AmountCents, Currency: order.Currency, Ticket: ticket, Payload: payload,
		World: refundWorld{args: a, order: order, item: item},
	}
}

// remedyScope is the scope of whatever makes a buyer whole for one item.
func remedyScope(order, item string) string { return intent.Scope("remedy", order, item) }

// Judge keeps the refund within what was paid, has money that moved
// acknowledged, and asks a person above the ceilings.
func (o issueRefund) Judge(r intent.Readable, v intent.View) intent.Judgement {
	w, ok := r.World.(refundWorld)
	if !ok {
		return intent.Refusal{Reason: intent.ReasonInternal, Retry: intent.RetryWait}
	}
	if refusal := exceedsPaid(w); refusal != nil {
		return *refusal
	}
	if refusal := exceedsWithOpen(w, v); refusal != nil {
		return *refusal
	}
	if refusal := acknowledge(w, v); refusal != nil {
		return *refusal
	}
	if latest, ok := latestEffect(v.Around, r.Scope); ok && latest.Tool != o.Tool() {
		if refusal := followUp(intent.Relate(latest), w.args.FollowUpTo, w.args.AgainAfter); refusal != nil {
			return *refusal
		}
	}
	spent := v.Totals[ticketResource(o.market, r.Ticket)].Spent
	rule := o.policy().Refund(w.args.AmountCents, r.Currency, spent)
	if rule == "" {
		return intent.Allowed{}
	}
	return intent.NeedsPerson{Rule: rule, Figures: fmt.Sprintf("%s; refund asked for %s; refunded on the order so far %s; paid for the item %s",
		rule, intent.Money(w.args.AmountCents, r.Currency), intent.Money(w.order.RefundedCents, r.Currency), intent.Money(w.item.PaidCents, r.Currency))}
}

// Describe puts the refund into words.
func (issueRefund) Describe(act intent.Act) intent.Description {
	v, err := decodePayload[provider.Refund](act.Payload)
	if err != nil {
		return intent.Description{ // what was kept of it has been erased
			Noun: "refund", What: "refund", Twice: "pay twice",
			Done:    "Your refund has been made.",
			Pending: "Your refund has been accepted and is on its way; it has not been paid out yet.",
			Working: "We are working on your refund and will come back to you.",
		}
	}
	amount := intent.Money(v.Cents, v.Currency)
	what := fmt.Sprintf("refund of %s for item %s on order %s", amount, v.ItemID, v.OrderID)
	return intent.Description{
		Noun: "refund", What: what, Twice: "pay twice",
		Done:    fmt.Sprintf("Your refund of %s has been made.", amount),
		Pending: fmt.Sprintf("Your refund of %s has been accepted and is on its way; it has not been paid out yet.", amount),
		Working: "We are working on your refund and will come back to you.",
	}
}
