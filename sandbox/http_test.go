package sandbox_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	tests := []struct {
		method, path, body string
		want               string
	}{
		{"GET", "/v1/orders/SU-1", "", "404 unknown_order"},
		{"GET", "/v1/orders/", "", "404 unknown_order"},
		{"GET", "/v1/orders/..", "", "404 unknown_order"},
		{"GET", "/v1/orders/%2F%2F", "", "404 unknown_order"},
		{"GET", "/v1/orders/%23%23SU-88421", "", "404 unknown_order"},
		{"GET", "/v1/orders/%C5%BFU-88421", "", "404 unknown_order"}, // a long s is no S
		{"GET", "/v1/tickets/T-0", "", "404 unknown_ticket"},
		{"GET", "/v1/pickups/BK-0", "", "404 unknown_booking"},
		{"GET", "/v1/refunds/re_0", "", "404 unknown_refund"},
		{"GET", "/v1/refunds?intent=", "", "400 invalid_request"},
		{"GET", "/v1/refunds?limit=0", "", "400 invalid_request"},
		{"GET", "/v1/refunds?limit=ten", "", "400 invalid_request"},
		{"GET", "/v1/refunds?starting_after=re_0", "", "400 invalid_request"},
		{"GET", "/v1/nothing", "", "404 not_found"},
		{"GET", "/", "", "404 not_found"},
		{"DELETE", "/v1/orders/SU-88421", "", "405 method_not_allowed"},
		{"GET", "/v1/pickups/BK-0/cancel", "", "405 method_not_allowed"},

		{"POST", "/v1/refunds", ``, "400 invalid_request"},
		{"POST", "/v1/refunds", `null`, "400 invalid_request"},
		{"POST", "/v1/refunds", `[]`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421"`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":1,"currency":"USD"}{}`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":1,"currency":"USD","colour":"red"}`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":1.5,"currency":"USD"}`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":"1","currency":"USD"}`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","currency":"USD"}`, "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":" ","amount_cents":1,"currency":"USD"}`, "400 invalid_request"},
		{"POST", "/v1/refunds", "{\"order_id\":\"SU-\xff\",\"amount_cents\":1,\"currency\":\"USD\"}", "400 invalid_request"},
		{"POST", "/v1/refunds", `{"order_id":"SU-1","amount_cents":1,"currency":"USD"}`, "404 unknown_order"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","item_id":"RUG-JUTE-2","amount_cents":1,"currency":"USD"}`, "404 unknown_item"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","ticket_id":"T-0","amount_cents":1,"currency":"USD"}`, "404 unknown_ticket"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":0,"currency":"USD"}`, "422 invalid_amount"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":-5,"currency":"USD"}`, "422 invalid_amount"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":9223372036854775807,"currency":"USD"}`, "422 invalid_amount"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88421","amount_cents":1,"currency":"EUR"}`, "422 currency_mismatch"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88510","item_id":"RUG-JUTE-2","units":[3],"amount_cents":1,"currency":"USD"}`, "422 invalid_units"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88510","item_id":"RUG-JUTE-2","units":[1,1],"amount_cents":1,"currency":"USD"}`, "422 invalid_units"},
		{"POST", "/v1/refunds", `{"order_id":"SU-88510","units":[1],"amount_cents":1,"currency":"USD"}`, "422 invalid_units"},

		{"POST", "/v1/messages", `{"to":"S-NOBODY","ticket_id":"T-4127","text":"Hello"}`, "404 unknown_seller"},
		{"POST", "/v1/messages", `{"to":"b-1","ticket_id":"T-4127","text":"Hello"}`, "404 unknown_buyer"},
		{"POST", "/v1/messages", `{"to":"B-2203","ticket_id":"T-0","text":"Hello"}`, "404 unknown_ticket"},
		{"POST", "/v1/messages", `{"to":"B-2203","ticket_id":"T-4127","text":" "}`, "400 invalid_request"},
		{"POST", "/v1/messages", `{"to":"B-2203","ticket_id":"T-4127","text":"` + strings.Repeat("x", 64<<10) + `"}`, "413 too_large"},

		{"POST", "/v1/pickups", `{"order_id":"SU-88421","ticket_id":"T-4127","date":"2026-02-30"}`, "422 invalid_date"},
		{"POST", "/v1/pickups", `{"order_id":"SU-88421","ticket_id":"T-4127","date":"tomorrow"}`, "422 invalid_date"},
		{"POST", "/v1/pickups/BK-0/cancel", `{}`, "404 unknown_booking"},
		{"POST", "/v1/pickups/SU-88421/cancel", `{}`, "404 unknown_booking"},

		{"POST", "/v1/replacements", `{"order_id":"SU-88421","item_id":"SHELF","ticket_id":"T-4127"}`, "404 unknown_item"},
		{"POST", "/v1/replacements", `{"order_id":"SU-88510","item_id":"RUG-JUTE-2","ticket_id":"T-4188"}`, "422 invalid_units"},
		{"POST", "/v1/escalations", `{"ticket_id":"T-0","reason":"other","summary":""}`, "404 unknown_ticket"},
		{"POST", "/v1/escalations/esc_0/close", ``, "404 unknown_escalation"},
	}
	for _, tt := range tests {
		r := m.send(t.Context(), tt.method, tt.path, tt.body)
		if got := summary(r); got != tt.want {
			t.Errorf("%s %s %.90s: %s, want %s", tt.method, tt.path, tt.body, got, tt.want)
		}
	}
	if got := m.books().Effects; len(got) != 0 {
		t.Errorf("refused requests had effects: %v", got)
	}
}

func TestIdsSpelledOtherwise(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	for _, id := range []string{"su-88421", " SU-88421 ", "#SU-88421", "\t#Su-88421\n"} {
		if got := m.get("/v1/orders/" + url.PathEscape(id)).text("order_id"); got != "SU-88421" {
			t.Errorf("%q names %q, want SU-88421", id, got)
		}
	}
	r := m.post("/v1/refunds", "", `{"order_id":"#su-88421","item_id":" shelf-oak-4 ","ticket_id":"#t-4127","amount_cents":100,"currency":"usd"}`)
	want := map[string]any{
		"id": r.text("id"), "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "ticket_id": "T-4127",
		"cents": 100.0, "currency": "USD", "status": "succeeded", "created_at": "2026-03-17T14:32:07.000Z",
	}
	if diff := cmp.Diff(want, r.body); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := m.post("/v1/messages", "", `{"to":"s-ashcombe","ticket_id":"t-4127","text":"Hello"}`).text("to"); got != "S-ASHCOMBE" {
		t.Errorf("to = %q, want S-ASHCOMBE", got)
	}
	if got := len(m.get("/v1/refunds?order_id=%23su-88421").data(t)); got != 1 {
		t.Errorf("%d refunds by order, want 1", got)
	}
}

// A request that was meant for another instance is refused before anything else
// about it is looked at.
func TestAccountMismatch(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	before := m.get("/v1/account").text("account")
	m.fault("refunds.create", "reject", 1, 0)
	as := func(account, method, path, body string) string {
		return summary(m.send(t.Context(), method, path, body, "Marketplace-Account", account, "Idempotency-Key", "key-1"))
	}
	for _, tt := range []struct{ method, path, body string }{
		{"POST", "/v1/refunds", acts()[0].body},
		{"POST", "/v1/refunds", `{`},
		{"POST", "/v1/escalations/esc_0/close", ``},
		{"GET", "/v1/orders/SU-88421", ""},
		{"GET", "/v1/refunds?intent=", ""},
		{"GET", "/v1/account", ""},
	} {
		if got := as("sandbox-000000000000", tt.method, tt.path, tt.body); got != "409 account_mismatch" {
			t.Errorf("%s %s: %s, want 409 account_mismatch", tt.method, tt.path, got)
		}
	}
	if got := as(before, "POST", "/v1/refunds", acts()[0].body); got != "422 refused_permanently" {
		t.Errorf("the right account: %s, want the fault", got)
	}
	if err := m.box.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := as(before, "POST", "/v1/refunds", acts()[0].body); got != "409 account_mismatch" {
		t.Errorf("after a reset: %s, want 409 account_mismatch", got)
	}
	if got := m.books().Effects; len(got) != 0 {
		t.Errorf("effects: %v, want none", got)
	}
}

func TestPagesOfOtherOriginsMayNotAct(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	r := m.send(t.Context(), "POST", "/admin/reset", "", "Origin", "https://example.com")
	if got := summary(r); got != "403 cross_origin" {
		t.Errorf("got %s, want 403 cross_origin", got)
	}
}

func TestPagination(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	var want []string
	for range 5 {
		want = append(want, acts()[0].do(m, "").text("id"))
	}
	var got []string
	for path := "/v1/refunds?intent=cf1_a&limit=2"; path != ""; {
		r := m.get(path)
		page := r.data(t)
		for _, o := range page {
			got = append(got, o["id"].(string))
		}
		path = ""
		if r.more() {
			path = "/v1/refunds?intent=cf1_a&limit=2&starting_after=" + got[len(got)-1]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	before := m.get("/v1/account").text("account")
	tests := []struct {
		body, want string
	}{
		{`{"operation":"refunds.create","mode":"slow","times":2,"delay_ms":1500}`, "200 "},
		{`{"operation":"orders.get","mode":"down"}`, "200 "},
		{`{"operation":"orders.get","mode":"lag"}`, "422 meaningless_fault"},
		{`{"operation":"refunds.create","mode":"slow","delay_ms":9223372036854775807}`, "422 meaningless_fault"},
		{`{"operation":"refunds.create"`, "400 invalid_request"},
	}
	for _, tt := range tests {
		if got := summary(m.post("/admin/faults", "", tt.body)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.body, got, tt.want)
		}
	}
	want := map[string]any{"faults": []any{
		map[string]any{"operation": "orders.get", "mode": "down", "times": 0.0, "delay_ms": 2000.0},
		map[string]any{"operation": "refunds.create", "mode": "slow", "times": 2.0, "delay_ms": 1500.0},
	}}
	if diff := cmp.Diff(want, m.get("/admin/faults").body); diff != "" {
		t.Errorf("faults, -want +got:\n%s", diff)
	}
	m.send(t.Context(), "DELETE", "/admin/faults", "")
	if m.faultsLeft() {
		t.Error("faults are left after DELETE")
	}

	acts()[0].do(m, "key-1")
	m.fault("refunds.create", "reject", 0, 0)
	after := m.post("/admin/reset", "", "").text("account")
	if after == before || after != m.get("/v1/account").text("account") {
		t.Errorf("account %q after a reset, %q before", after, before)
	}
	if got := m.get("/admin/effects").body["effects"].([]any); len(got) != 0 {
		t.Errorf("effects after a reset: %v", got)
	}
	if got := acts()[0].do(m, "key-1"); got.status != 200 || got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("after a reset the key is new and no fault is left: %s", summary(got))
	}
}
