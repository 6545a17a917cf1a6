package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

// sellers is how many sellers the refunds are spread over. Refunds that touch
// one seller at the same time are read again, as everywhere.
const sellers = 20_000

// market is a marketplace that answers at once, from memory: what is measured is
// counterfoil, not an authority. Every ticket has one order of one item.
func market(account string) provider.Marketplace {
	return provider.Marketplace{
		Account: account, Environment: "test",
		Orders: orders{}, Tickets: tickets{}, Refunds: refunds{},
	}
}

// refund is the n-th refund, as a model asks for it.
func refund(n int64) intent.Arguments {
	return intent.Arguments(fmt.Sprintf(
		`{"amount_cents":11800,"item_id":"SHELF-OAK-4","order_id":"SU-%d","ticket_id":"T-%d"}`, n, n))
}

type orders struct{}

func (orders) Spelling(id string) string { return strings.ToUpper(strings.TrimSpace(id)) }

func (orders) Order(_ context.Context, id string) provider.Read[provider.Order] {
	number := strings.TrimPrefix(id, "SU-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return provider.Read[provider.Order]{State: provider.Missing}
	}
	seller := fmt.Sprintf("S-%d", n*7919%sellers)
	return provider.Read[provider.Order]{State: provider.Got, Value: provider.Order{
		OrderID: id, TicketIDs: []string{"T-" + number}, BuyerID: "B-" + number, Currency: "USD", PaidCents: 11800,
		Items:   []provider.Item{{ItemID: "SHELF-OAK-4", Title: "Oak shelf", Quantity: 1, PaidCents: 11800, SellerID: seller}},
		Sellers: []provider.Seller{{ID: seller, Name: "Ashcombe Furniture", BalanceCents: 18900}},
	}}
}

type tickets struct{}

func (tickets) Spelling(id string) string { return strings.ToUpper(strings.TrimSpace(id)) }

func (tickets) Ticket(_ context.Context, id string) provider.Read[provider.Ticket] {
	number := strings.TrimPrefix(id, "T-")
	return provider.Read[provider.Ticket]{State: provider.Got, Value: provider.Ticket{
		TicketID: id, BuyerID: "B-" + number, OrderIDs: []string{"SU-" + number}, Status: "open",
	}}
}

// refunds pays whatever it is asked to, and declares what a careful provider
// does. A lookup finds nothing: it is asked before the first send alone.
type refunds struct{}

func (refunds) Name() string { return "bench" }

func (refunds) Capabilities() intent.Capabilities {
	return intent.Capabilities{
		Dedupe: 24 * time.Hour, ErrorsStored: true, Lookup: intent.LookupReadAfterWrite, LandsWithin: time.Minute,
	}
}

func (refunds) Request(key intent.Key, v provider.Refund) ([]byte, error) {
	return json.Marshal(map[string]any{
		"order_id": v.OrderID, "item_id": v.ItemID, "amount_cents": v.Cents, "currency": v.Currency,
		"metadata": map[string]string{"intent_key": key.String()},
	})
}

func (refunds) Send(_ context.Context, o intent.Order, v provider.Refund) intent.Answer {
	return intent.AnsweredPerformed{Effect: intent.Effect{
		ID: "re_" + o.Key[:16], Cents: v.Cents, Currency: v.Currency, Status: "succeeded", Final: true, At: time.Now(),
	}}
}

func (refunds) Lookup(context.Context, intent.Subject, provider.Refund) intent.Finding {
	return intent.Absent{}
}
