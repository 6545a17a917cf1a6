package sandbox_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRefundsOnAnOrder(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	ids := []string{
		m.post("/v1/refunds", "", `{"order_id":"SU-88510","item_id":"RUG-JUTE-2","units":[2,1],"amount_cents":9000,"currency":"USD","reason":"stained"}`).text("id"),
		m.post("/v1/refunds", "", `{"order_id":"SU-88510","amount_cents":500,"currency":"USD","intent":"cf1_x"}`).text("id"),
	}
	want := map[string]any{
		"order_id": "SU-88510", "ticket_ids": []any{"T-4188"}, "buyer_id": "B-2204", "currency": "USD",
		"paid_cents": 54900.0, "refunded_cents": 9500.0,
		"items": []any{
			map[string]any{"item_id": "LAMP-BRASS-1", "title": "brass lamp", "quantity": 1.0, "paid_cents": 4900.0, "refunded_cents": 0.0, "seller_id": "S-ASHCOMBE"},
			map[string]any{"item_id": "RUG-JUTE-2", "title": "jute rug", "quantity": 2.0, "paid_cents": 8000.0, "refunded_cents": 9000.0, "seller_id": "S-NORTHLOOM"},
			map[string]any{"item_id": "SOFA-LINEN-3", "title": "linen sofa", "quantity": 1.0, "paid_cents": 42000.0, "refunded_cents": 0.0, "seller_id": "S-NORTHLOOM"},
		},
		"refunds": []any{
			map[string]any{"id": ids[0], "item_id": "RUG-JUTE-2", "cents": 9000.0, "status": "succeeded", "at": "2026-03-17T14:32:07.000Z"},
			map[string]any{"id": ids[1], "cents": 500.0, "status": "succeeded", "at": "2026-03-17T14:32:07.000Z"},
		},
		"sellers": []any{
			map[string]any{"id": "S-ASHCOMBE", "name": "Ashcombe Furniture", "balance_cents": 18400.0},
			map[string]any{"id": "S-NORTHLOOM", "name": "Northloom", "balance_cents": 81000.0},
		},
	}
	if diff := cmp.Diff(want, m.get("/v1/orders/SU-88510").body); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTicketShowsWhatItsBuyerWasTold(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	for _, to := range []string{"B-2203", "S-ASHCOMBE", "B-2204"} {
		m.post("/v1/messages", "", `{"to":"`+to+`","ticket_id":"T-4127","text":"To `+to+`"}`)
	}
	var told []string
	for _, message := range m.get("/v1/tickets/T-4127").body["messages"].([]any) {
		x := message.(map[string]any)
		if x["from"] == "support" {
			told = append(told, x["text"].(string))
		}
	}
	if diff := cmp.Diff([]string{"To B-2203"}, told); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := len(m.get("/v1/messages?ticket_id=T-4127").data(t)); got != 3 {
		t.Errorf("the desk lists %d messages, want 3", got)
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	cancel := acts()[5].prepared(m)
	first := cancel.do(m, "key-1")
	if got := first.text("status"); got != "cancelled" {
		t.Errorf("status = %q", got)
	}
	again := cancel.do(m, "key-2")
	if got := summary(again); got != "409 already_cancelled" {
		t.Errorf("under another key: %s", got)
	}
	if diff := cmp.Diff(any(first.body), again.body["pickup"]); diff != "" {
		t.Errorf("the booking in the refusal, -want +got:\n%s", diff)
	}
	for _, intent := range []string{"cf1_a", "cf1_b"} {
		found := m.get("/v1/pickups?intent=" + intent).data(t)
		if len(found) != 1 || found[0]["intent"] != "cf1_b" || found[0]["cancel_intent"] != "cf1_a" {
			t.Errorf("by %s: %v", intent, found)
		}
	}

	bare := acts()[5].prepared(m)
	bare.body = ""
	if got := summary(bare.do(m, "key-3")); got != "200 " {
		t.Errorf("without a body: %s", got)
	}
}

// A cancellation that lands late does not undo one that lands before it.
func TestLateCancellationIsOvertaken(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	cancel := acts()[5].prepared(m)
	m.fault("pickups.cancel", "land_late", 1, time.Hour)
	m.unanswered(cancel.path, "key-1", cancel.body, func() bool { return !m.faultsLeft() })
	r := m.post(cancel.path, "key-2", `{"intent":"cf1_c"}`)
	if got := r.text("cancel_intent"); got != "cf1_c" {
		t.Errorf("cancelled by %q, want cf1_c", got)
	}
	m.clock.move(time.Hour)
	if got := cancel.count(m); got != 1 {
		t.Errorf("%d cancelled bookings, want 1", got)
	}
	if got := cancel.listed(m); got != 0 {
		t.Errorf("%d bookings cancelled by the first intent, want 0", got)
	}
}

func TestClosingAnEscalation(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	id := acts()[4].do(m, "key-1").text("id")
	for range 2 {
		r := m.post("/v1/escalations/"+id+"/close", "", "")
		if r.text("status") != "closed" || r.text("closed_at") != "2026-03-17T14:32:07.000Z" {
			t.Errorf("closed: %s", r.raw)
		}
		m.clock.move(time.Minute)
	}
	if got := m.get("/v1/escalations?ticket_id=T-4127").data(t)[0]["status"]; got != "closed" {
		t.Errorf("listed as %v, want closed", got)
	}
}

func TestReplacementTakesTheOnlyUnitForGranted(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	r := m.post("/v1/replacements", "", `{"order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127"}`)
	if diff := cmp.Diff(any([]any{1.0}), r.body["units"]); diff != "" {
		t.Errorf("units, -want +got:\n%s", diff)
	}
}

// The books are the JSON of `sandbox effects`, member by member.
func TestBooks(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	for _, a := range acts() {
		a.prepared(m).do(m, "key-"+a.kind)
	}
	b, err := json.Marshal(m.books())
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`"id":"(re_|msg_|RP-|BK-|esc_)\w+"`).ReplaceAllString(string(b), `"id":"$1"`)
	at := `"at":"2026-03-17T14:32:07.000Z"}`
	want := `{"effects":[` + strings.Join([]string{
		`{"kind":"refund","id":"re_","order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127","cents":11800,"key":"key-refund","intent":"cf1_a","status":"succeeded",` + at,
		`{"kind":"message","id":"msg_","ticket_id":"T-4127","to":"B-2203","key":"key-message","intent":"cf1_a","status":"sent",` + at,
		`{"kind":"pickup","id":"BK-","order_id":"SU-88421","ticket_id":"T-4127","key":"key-pickup","intent":"cf1_a","status":"booked",` + at,
		`{"kind":"replacement","id":"RP-","order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127","key":"key-replacement","intent":"cf1_a","status":"ordered",` + at,
		`{"kind":"escalation","id":"esc_","ticket_id":"T-4127","key":"key-escalation","intent":"cf1_a","status":"open",` + at,
		`{"kind":"pickup","id":"BK-","order_id":"SU-88421","ticket_id":"T-4127","intent":"cf1_b","status":"cancelled",` + at,
	}, ",") + `],"sellers":[{"id":"S-ASHCOMBE","balance_cents":7100},{"id":"S-NORTHLOOM","balance_cents":90000},`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %.1500s\nwant %s", got, want)
	}
	if served := m.send(t.Context(), "GET", "/admin/effects", "").raw; served != string(b) {
		t.Error("/admin/effects serves something else")
	}
}
