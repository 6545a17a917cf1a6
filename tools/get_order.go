package tools

import (
	"context"
	"fmt"
	"strings"

	"counterfoil/intent"
	"counterfoil/provider"
)

func getOrder(d Deps) Tool {
	return readTool(d, "get_order", "Read an order",
		"Reads an order: money, items, tickets and sellers.",
		func(ctx context.Context, args GetOrder) ReadResult {
			read := readAgain(ctx, d.Engine, func(ctx context.Context) provider.Read[provider.Order] {
				return d.Market.Orders.Order(ctx, args.OrderID)
			})
			switch read.State {
			case provider.Got:
				return orderFound(read.Value)
			case provider.Missing:
				return notFound("order")
			case provider.Down:
			}
			return Unreachable("The order")
		})
}

func orderFound(o provider.Order) ReadResult {
	refunds := make([]Refunded, len(o.Refunds))
	for i, m := range o.Refunds {
		refunds[i] = Refunded{ID: m.ID, ItemID: m.ItemID, Cents: m.Cents, Status: m.Status, At: intent.Timestamp(m.At)}
	}
	return ReadResult{
		Verdict: orderVerdict(o),
		Outcome: OutcomeFound,

		OrderID:       o.OrderID,
		TicketIDs:     present(o.TicketIDs),
		BuyerID:       o.BuyerID,
		Currency:      o.Currency,
		PaidCents:     &o.PaidCents,
		RefundedCents: &o.RefundedCents,
		Items:         present(o.Items),
		Refunds:       refunds,
		Sellers:       present(o.Sellers),
	}
}

// orderVerdict says what was paid and what went back. Money that is on its way
// is neither refunded nor not: it is named apart.
func orderVerdict(o provider.Order) string {
	pending := int64(0)
	for _, m := range o.Refunds {
		if m.Status == "pending" {
			pending += m.Cents
		}
	}
	onItsWay := ""
	if pending > 0 {
		onItsWay = fmt.Sprintf(", of which %s still pending", bare(pending, o.Currency))
	}
	return fmt.Sprintf("Order %s: %s paid, %s refunded%s. %s.",
		o.OrderID, intent.Money(o.PaidCents, o.Currency), bare(o.RefundedCents, o.Currency), onItsWay, counted(len(o.Items), "item"))
}

// bare is an amount beside one that names the currency.
func bare(cents int64, currency string) string {
	return strings.TrimSuffix(intent.Money(cents, currency), " "+currency)
}
