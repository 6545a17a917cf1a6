package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
	"counterfoil/tools"
)

func order() provider.Order {
	return provider.Order{
		OrderID: "SU-88421", TicketIDs: []string{"T-4127", "T-4201"}, BuyerID: "B-2203", Currency: "USD", PaidCents: 14400,
		Items: []provider.Item{
			{ItemID: "SHELF-OAK-4", Title: "4-shelf oak unit", Quantity: 1, PaidCents: 11800, SellerID: "S-ASHCOMBE"},
			{ItemID: "HOOK-OAK-2", Title: "oak coat hook", Quantity: 1, PaidCents: 2600, SellerID: "S-ASHCOMBE"},
		},
		Sellers: []provider.Seller{{ID: "S-ASHCOMBE", Name: "Ashcombe Furniture", BalanceCents: -4700}},
	}
}

func got[T any](v T) provider.Read[T] { return provider.Read[T]{State: provider.Got, Value: v} }

func TestGetOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.order = func(id string) provider.Read[provider.Order] {
		if id != "su-88421" {
			t.Errorf("the authority was asked for %q, want the id trimmed and as spelled", id)
		}
		return got(order())
	}
	answer := read(t, r.call(t, "get_order", `{"order_id":" su-88421 "}`))
	paid, refunded := int64(14400), int64(0)
	want := &tools.ReadResult{
		Verdict: "Order SU-88421: 144.00 USD paid, 0.00 refunded. 2 items.", Outcome: tools.OutcomeFound,
		OrderID: "SU-88421", TicketIDs: []string{"T-4127", "T-4201"}, BuyerID: "B-2203", Currency: "USD",
		PaidCents: &paid, RefundedCents: &refunded,
		Items: order().Items, Refunds: []tools.Refunded{}, Sellers: order().Sellers, Environment: "sandbox",
	}
	if diff := cmp.Diff(answer, want); diff != "" {
		t.Errorf("answer (-got +want):\n%s", diff)
	}
	if answer.IsError() {
		t.Error("isError is true for an order that was found")
	}
	body := encoded(t, answer)
	if !strings.HasPrefix(body, `{"verdict":`) || !strings.Contains(body, `"refunded_cents":0,"items"`) || !strings.Contains(body, `"refunds":[]`) {
		t.Errorf("nought and the empty list must be shown, verdict first: %s", body)
	}
}

func TestGetOrderVerdicts(t *testing.T) {
	t.Parallel()
	refunded := func(status string) provider.Order {
		o := order()
		o.RefundedCents = 11800
		o.Refunds = []provider.Moved{{ID: "R-1", ItemID: "SHELF-OAK-4", Cents: 11800, Status: status, At: at(t, "2026-03-17T10:32:07-04:00")}}
		return o
	}
	bareOrder := provider.Order{OrderID: "SU-1", Currency: "JPY", PaidCents: 500, Items: []provider.Item{{ItemID: "A"}}}
	down := provider.Read[provider.Order]{Detail: "http 500"}
	missing := provider.Read[provider.Order]{State: provider.Missing}
	tests := []struct {
		name    string
		answers []provider.Read[provider.Order]
		outcome tools.ReadOutcome
		verdict string
	}{
		{"paid out", []provider.Read[provider.Order]{got(refunded("succeeded"))}, tools.OutcomeFound, "Order SU-88421: 144.00 USD paid, 118.00 refunded. 2 items."},
		{"pending", []provider.Read[provider.Order]{got(refunded("pending"))}, tools.OutcomeFound, "Order SU-88421: 144.00 USD paid, 118.00 refunded, of which 118.00 still pending. 2 items."},
		{"no minor unit, one item", []provider.Read[provider.Order]{got(bareOrder)}, tools.OutcomeFound, "Order SU-1: 500 JPY paid, 0 refunded. 1 item."},
		{"at the second try", []provider.Read[provider.Order]{down, got(order())}, tools.OutcomeFound, "Order SU-88421: 144.00 USD paid, 0.00 refunded. 2 items."},
		{"no such order", []provider.Read[provider.Order]{missing}, tools.OutcomeNotFound, "No order has this id. Check it and ask again."},
		{"down", []provider.Read[provider.Order]{down, down, down}, tools.OutcomeUnreachable, "The order could not be read just now; this call changed nothing. Ask again."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.order = func(string) provider.Read[provider.Order] { return tt.answers[r.reads.Load()-1] }
			answer := read(t, r.call(t, "get_order", `{"order_id":"SU-88421"}`))
			if answer.Outcome != tt.outcome || answer.Verdict != tt.verdict {
				t.Errorf("got %s %q\nwant %s %q", answer.Outcome, answer.Verdict, tt.outcome, tt.verdict)
			}
			if n := int(r.reads.Load()); n != len(tt.answers) {
				t.Errorf("the authority was read %d times, want %d", n, len(tt.answers))
			}
			if answer.IsError() != (tt.outcome != tools.OutcomeFound) {
				t.Errorf("isError is %v for %s", answer.IsError(), tt.outcome)
			}
			for _, m := range answer.Refunds {
				if m.At != "2026-03-17T14:32:07.000Z" {
					t.Errorf("a refund is at %s, want UTC", m.At)
				}
			}
		})
	}
}
