package sandbox_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamedSeed(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	order := m.get("/v1/orders/SU-88421").body
	want := map[string]any{
		"order_id": "SU-88421", "ticket_ids": []any{"T-4127", "T-4201"}, "buyer_id": "B-2203", "currency": "USD",
		"paid_cents": 14400.0, "refunded_cents": 0.0, "refunds": []any{},
		"items": []any{
			map[string]any{"item_id": "SHELF-OAK-4", "title": "4-shelf oak unit", "quantity": 1.0, "paid_cents": 11800.0, "refunded_cents": 0.0, "seller_id": "S-ASHCOMBE"},
			map[string]any{"item_id": "HOOK-OAK-2", "title": "oak coat hook", "quantity": 1.0, "paid_cents": 2600.0, "refunded_cents": 0.0, "seller_id": "S-ASHCOMBE"},
		},
		"sellers": []any{map[string]any{"id": "S-ASHCOMBE", "name": "Ashcombe Furniture", "balance_cents": 18900.0}},
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for id, order := range map[string]string{"T-4127": "SU-88421", "T-4188": "SU-88510", "T-4201": "SU-88421"} {
		if diff := cmp.Diff(any([]any{order}), m.get("/v1/tickets/" + id).body["order_ids"]); diff != "" {
			t.Errorf("%s, -want +got:\n%s", id, diff)
		}
	}
}

func TestGeneratedSeed(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	currencies := map[any]int{}
	for i := 1; i <= 300; i++ {
		ticket := m.get(fmt.Sprintf("/v1/tickets/T-%d", 5000+i))
		orders, _ := ticket.body["order_ids"].([]any)
		if len(orders) != 1 || orders[0] != fmt.Sprintf("SU-%d", 90000+i) || ticket.text("subject") == "" {
			t.Fatalf("ticket %d: %s", i, ticket.raw)
		}
		order := m.get("/v1/orders/" + orders[0].(string))
		if order.text("buyer_id") != ticket.text("buyer_id") {
			t.Errorf("%s and its ticket have different buyers", orders[0])
		}
		var paid float64
		for _, item := range order.body["items"].([]any) {
			paid += item.(map[string]any)["paid_cents"].(float64)
		}
		if paid <= 0 || paid != order.body["paid_cents"] {
			t.Errorf("%s: items add up to %v of %v", orders[0], paid, order.body["paid_cents"])
		}
		currencies[order.body["currency"]]++
	}
	if diff := cmp.Diff(map[any]int{"USD": 287, "EUR": 12, "JPY": 1}, currencies); diff != "" {
		t.Errorf("currencies, -want +got:\n%s", diff)
	}
	if got := len(m.books().Sellers); got != 302 {
		t.Errorf("%d sellers, want 302", got)
	}
}

func TestSeedIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	one := openMarket(t, filepath.Join(t.TempDir(), "sandbox.db"), newClock(), "")
	two := openMarket(t, filepath.Join(t.TempDir(), "sandbox.db"), newClock(), "")
	if one.get("/v1/account").text("account") == two.get("/v1/account").text("account") {
		t.Error("two instances have one account")
	}
	for _, path := range []string{"/v1/tickets/T-5123", "/v1/orders/SU-90123", "/admin/effects"} {
		if diff := cmp.Diff(one.get(path).raw, two.get(path).raw); diff != "" {
			t.Errorf("%s, -one +two:\n%s", path, diff)
		}
	}
}
