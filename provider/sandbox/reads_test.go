package sandbox_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"counterfoil/intent"
	"counterfoil/provider"
)

// Over real sockets, as a process meets it.
func TestMarketplace(t *testing.T) {
	t.Parallel()

	s := open(t, nil)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	m := connect(t, server.URL, nil)
	a := actOf(t, m.Refunds, aRefund)
	if got, ok := a.send(key("refund"), orderKey).(intent.AnsweredPerformed); !ok || got.Replayed {
		t.Fatalf("answer %#v, want it performed", got)
	}
	order := m.Orders.Order(t.Context(), " #su-88421 ")
	want := provider.Order{
		OrderID: "SU-88421", TicketIDs: []string{"T-4127", "T-4201"}, BuyerID: "B-2203", Currency: "USD",
		PaidCents: 14400, RefundedCents: 11800,
		Items: []provider.Item{
			{ItemID: "SHELF-OAK-4", Title: "4-shelf oak unit", Quantity: 1, PaidCents: 11800, RefundedCents: 11800, SellerID: "S-ASHCOMBE"},
			{ItemID: "HOOK-OAK-2", Title: "oak coat hook", Quantity: 1, PaidCents: 2600, SellerID: "S-ASHCOMBE"},
		},
		Refunds: []provider.Moved{{ItemID: "SHELF-OAK-4", Cents: 11800, Status: "succeeded"}},
		Sellers: []provider.Seller{{ID: "S-ASHCOMBE", Name: "Ashcombe Furniture", BalanceCents: 7100}},
	}
	drawn := cmpopts.IgnoreFields(provider.Moved{}, "ID", "At")
	if diff := cmp.Diff(provider.Read[provider.Order]{State: provider.Got, Value: want}, order, drawn); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	ticket := m.Tickets.Ticket(t.Context(), "t-4127")
	if v := ticket.Value; ticket.State != provider.Got || v.TicketID != "T-4127" || v.BuyerID != "B-2203" || len(v.Messages) != 1 {
		t.Errorf("ticket %+v", ticket)
	}

	server.CloseClientConnections()
	server.Close()
	got := a.send(key("later"), orderKey[1:])
	if diff := cmp.Diff(intent.Answer(intent.AnsweredNotSent{Detail: "connection refused"}), got); diff != "" {
		t.Errorf("answer of a stopped marketplace (-want +got):\n%s", diff)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(open(t, nil))
	t.Cleanup(server.Close)
	m := connect(t, server.URL, nil)
	for _, id := range []string{"SU-1", "", ".", "..", "a/b", "?x", "#", "%2e", "SU-88421/x", "\x00", "ſu-88421"} {
		if got := m.Orders.Order(t.Context(), id); got.State != provider.Missing {
			t.Errorf("order %q: %q %q, want it missing", id, got.State, got.Detail)
		}
		if got := m.Tickets.Ticket(t.Context(), id); got.State != provider.Missing {
			t.Errorf("ticket %q: %q %q, want it missing", id, got.State, got.Detail)
		}
	}
}

func TestOrdersThatAreNotBelieved(t *testing.T) {
	t.Parallel()

	const whole = `{"order_id":"SU-88421","ticket_ids":[],"buyer_id":"B-2203","currency":"USD","paid_cents":11800,` +
		`"refunded_cents":0,"items":[{"item_id":"SHELF-OAK-4","quantity":1,"paid_cents":11800}],"refunds":[],"sellers":[]}`
	but := func(from, to string) raw {
		return raw{status: 200, body: strings.Replace(whole, from, to, 1)}
	}
	tests := map[string]struct {
		given  raw
		state  provider.ReadState
		detail string
	}{
		"whole":                   {raw{status: 200, body: whole}, provider.Got, ""},
		"missing":                 {raw{status: 404, body: `{"error":{"code":"unknown_order","message":"m"}}`}, provider.Missing, ""},
		"another thing missing":   {raw{status: 404, body: `{"error":{"code":"unknown_ticket","message":"m"}}`}, provider.Down, "unknown_ticket"},
		"404 of a proxy":          {raw{status: 404, body: "404 page not found"}, provider.Down, "http 404"},
		"another order":           {but("SU-88421", "SU-88510"), provider.Down, "foreign body"},
		"no sum of refunds":       {but(`"refunded_cents":0,`, ""), provider.Down, "foreign body"},
		"sum of refunds is null":  {but(`"refunded_cents":0,`, `"refunded_cents":null,`), provider.Down, "foreign body"},
		"no refunds":              {but(`"refunds":[],`, ""), provider.Down, "foreign body"},
		"no currency":             {but("USD", ""), provider.Down, "foreign body"},
		"no items":                {but(`{"item_id":"SHELF-OAK-4","quantity":1,"paid_cents":11800}`, ""), provider.Down, "foreign body"},
		"an empty object":         {raw{status: 200, body: "{}"}, provider.Down, "foreign body"},
		"half of it":              {raw{status: 200, body: whole[:40]}, provider.Down, "foreign body"},
		"an error":                {raw{status: 500}, provider.Down, "http 500"},
		"a redirect":              {raw{status: 307, header: map[string]string{"Location": "/v1/account"}}, provider.Down, "redirect"},
		"another status of order": {raw{status: 206, body: whole}, provider.Down, "http 206"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, requests := fake(t, declaredByDefault, tt.given)
			got := m.Orders.Order(t.Context(), "SU-88421")
			if got.State != tt.state || got.Detail != tt.detail {
				t.Errorf("%q %q, want %q %q", got.State, got.Detail, tt.state, tt.detail)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestSpelling(t *testing.T) {
	t.Parallel()

	m, _ := fake(t, declaredByDefault, raw{status: 500})
	for id, want := range map[string]string{
		"SU-88421":     "SU-88421",
		"su-88421 ":    "SU-88421",
		"\t#Su-88421":  "SU-88421",
		"##SU-88421":   "#SU-88421",
		"SU-88421#":    "SU-88421#",
		"ſu-88421":     "ſU-88421",
		"":             "",
		"  SU-884 21 ": "SU-884 21",
	} {
		if got := m.Orders.Spelling(id); got != want {
			t.Errorf("order %q spells %q, want %q", id, got, want)
		}
		if got := m.Tickets.Spelling(id); got != want {
			t.Errorf("ticket %q spells %q, want %q", id, got, want)
		}
	}
}

// An order whose time is over stays unsent, whatever the marketplace would say.
func TestSendByReachesTheGate(t *testing.T) {
	t.Parallel()

	m, requests := fake(t, declaredByDefault, raw{status: 500})
	body, err := m.Refunds.Request(key("refund"), aRefund)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]intent.Order{
		"past":     {Intent: key("refund"), Key: orderKey, Request: body, SendBy: time.Now().Add(-time.Second)},
		"unset":    {Intent: key("refund"), Key: orderKey, Request: body},
		"no bytes": {Intent: key("refund"), Key: orderKey, SendBy: time.Now().Add(time.Minute)},
	} {
		if got, ok := m.Refunds.Send(t.Context(), o, aRefund).(intent.AnsweredNotSent); !ok {
			t.Errorf("%s: %#v, want it not sent", name, got)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}
