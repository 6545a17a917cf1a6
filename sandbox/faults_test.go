package sandbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/sandbox"
)

const delay = 10 * time.Second

// met is what one fault, met once, does to a write that is asked for, looked
// up, and asked for again under the same key.
type met struct {
	First   string // the first answer
	Acted   int    // true effects after it
	Listed  int    // effects that the list by intent shows after it
	Later   int    // true effects once the delay has passed
	Repeat  string // the answer to the same request, the fault used up
	Replays bool   // whether that answer says that it is a replay
	Finally int    // true effects in the end
}

// The modes that mean the same for every write.
var everyWrite = map[sandbox.Mode]met{
	sandbox.AcceptThenTimeout:   {"nothing", 1, 1, 1, "200 ", true, 1},
	sandbox.TimeoutBeforeAccept: {"nothing", 0, 0, 0, "200 ", false, 1},
	sandbox.AcceptThen500:       {"500 server_error", 1, 1, 1, "500 server_error", true, 1},
	sandbox.AcceptThenDrop:      {"nothing", 1, 1, 1, "200 ", true, 1},
	sandbox.AcceptThenGarbage:   {"200 garbage", 1, 1, 1, "200 ", true, 1},
	sandbox.WrongEcho:           {"200 wrong", 1, 1, 1, "200 ", true, 1},
	sandbox.Reject500:           {"500 server_error", 0, 0, 0, "200 ", false, 1},
	sandbox.Reject:              {"422 refused_permanently", 0, 0, 0, "200 ", false, 1},
	sandbox.RejectTransient:     {"429 try_later", 0, 0, 0, "200 ", false, 1},
	sandbox.LandLate:            {"nothing", 0, 0, 1, "200 ", true, 1},
	sandbox.Lag:                 {"200 ", 1, 0, 1, "200 ", true, 1},
	sandbox.DeliverTwice:        {"200 ", 1, 1, 1, "200 ", true, 1},
	sandbox.Down:                {"nothing", 0, 0, 0, "200 ", false, 1},
	sandbox.Stored500:           {"500 server_error", 0, 0, 0, "500 server_error", true, 0},
	sandbox.NoDedupe:            {"200 ", 1, 1, 1, "200 ", true, 1},
	sandbox.KeyExpired:          {"200 ", 1, 1, 1, "200 ", true, 1},
}

var refundsOnly = map[sandbox.Mode]met{
	sandbox.PendingThenSucceeded: {"200 ", 1, 1, 1, "200 ", true, 1},
	sandbox.PendingThenFailed:    {"200 ", 1, 1, 1, "200 ", true, 1},
}

func TestFaultOnWrite(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		for _, mode := range sandbox.Modes() {
			want, ok := everyWrite[mode]
			if a.operation == "refunds.create" && !ok {
				want, ok = refundsOnly[mode]
			}
			if !ok {
				continue // slow has a test of its own; the rest is meaningless
			}
			t.Run(a.operation+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				if diff := cmp.Diff(want, meet(newMarket(t, ""), a, mode)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

func meet(m *market, a act, mode sandbox.Mode) met {
	m.t.Helper()
	a = a.prepared(m)
	m.fault(a.operation, string(mode), 1, delay)
	var got met
	if mode == sandbox.AcceptThenTimeout || mode == sandbox.TimeoutBeforeAccept || mode == sandbox.LandLate {
		got.First = "something"
		if m.unanswered(a.path, "key-1", a.body, func() bool { return !m.faultsLeft() }) {
			got.First = "nothing"
		}
	} else {
		got.First = told(a, a.do(m, "key-1"))
	}
	got.Acted, got.Listed = a.count(m), a.listed(m)
	m.clock.move(delay)
	got.Later = a.count(m)
	repeat := a.do(m, "key-1")
	got.Repeat, got.Replays = told(a, repeat), repeat.header.Get("Idempotent-Replayed") == "true"
	got.Finally = a.count(m)
	return got
}

// told sums up an answer, and whether it is the one that was asked for.
func told(a act, r reply) string {
	switch {
	case r.cut:
		return "nothing"
	case r.status == 200 && r.body == nil:
		return "200 garbage"
	case r.status == 200 && a.kind != "message" && a.kind != "escalation" && r.text("order_id") != "SU-88421":
		return "200 wrong"
	case r.status == 200 && r.text("ticket_id") != "T-4127":
		return "200 wrong"
	}
	return summary(r)
}

func TestWrongEchoNamesAnotherAmount(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	m.fault("refunds.create", "wrong_echo", 1, 0)
	r := acts()[0].do(m, "key-1")
	if got := r.body["cents"]; got == float64(11800) {
		t.Errorf("cents = %v, want another amount than was asked for", got)
	}
	if got := m.books().Effects[0].Cents; got != 11800 {
		t.Errorf("in truth %d cents were refunded, want 11800", got)
	}
}

// A repeat while the late effect is still to land makes it land, once.
func TestRepeatBeforeLanding(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		t.Run(a.operation, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "")
			a := a.prepared(m)
			m.fault(a.operation, "land_late", 1, delay)
			m.unanswered(a.path, "key-1", a.body, func() bool { return !m.faultsLeft() })
			if got := a.count(m); got != 0 {
				t.Fatalf("%d effects before the delay, want 0", got)
			}
			r := a.do(m, "key-1")
			if got := told(a, r); got != "200 " || r.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("repeat: %s, replayed %q", got, r.header.Get("Idempotent-Replayed"))
			}
			if got := a.count(m); got != 1 {
				t.Errorf("%d effects after the repeat, want 1", got)
			}
			m.clock.move(time.Hour)
			if got := a.count(m); got != 1 {
				t.Errorf("%d effects in the end, want 1", got)
			}
		})
	}
}

// A known key that is treated as new acts again, except that a booking cannot
// be cancelled twice.
func TestKeyForgotten(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		for _, mode := range []string{"no_dedupe", "key_expired"} {
			t.Run(a.operation+"/"+mode, func(t *testing.T) {
				t.Parallel()
				m := newMarket(t, "")
				a := a.prepared(m)
				a.do(m, "key-1")
				m.clock.move(delay)
				m.fault(a.operation, mode, 1, delay)
				wantAnswer, wantCount := "200 ", 2
				if a.operation == "pickups.cancel" {
					wantAnswer, wantCount = "409 already_cancelled", 1
				}
				if got := summary(a.do(m, "key-1")); got != wantAnswer {
					t.Errorf("repeat: %s, want %s", got, wantAnswer)
				}
				if got := a.count(m); got != wantCount {
					t.Errorf("%d effects, want %d", got, wantCount)
				}
			})
		}
	}
}

func TestKeyExpiredSparesYoungerKeys(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	a := acts()[0]
	a.do(m, "key-1")
	m.clock.move(delay - time.Millisecond)
	m.fault(a.operation, "key_expired", 1, delay)
	a.do(m, "key-1")
	if got := a.count(m); got != 1 {
		t.Errorf("%d effects, want 1", got)
	}
}

func TestDeliverTwiceWithoutDeduplication(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "refunds.dedupe=none")
	a := acts()[0]
	m.fault(a.operation, "deliver_twice", 1, 0)
	if got := summary(a.do(m, "key-1")); got != "200 " {
		t.Errorf("answer: %s", got)
	}
	if got := a.count(m); got != 2 {
		t.Errorf("%d effects, want 2", got)
	}
}

// The key of a slow request is in use until the answer is due.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		t.Run(a.operation, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "")
			a := a.prepared(m)
			m.fault(a.operation, "slow", 1, time.Hour)
			m.unanswered(a.path, "key-1", a.body, func() bool { return !m.faultsLeft() })
			if got := a.count(m); got != 1 {
				t.Errorf("%d effects at once, want 1", got)
			}
			if got := summary(a.do(m, "key-1")); got != "409 idempotency_key_in_use" {
				t.Errorf("repeat while in progress: %s", got)
			}
			m.clock.move(time.Hour)
			if got := summary(a.do(m, "key-1")); got != "200 " {
				t.Errorf("repeat afterwards: %s", got)
			}
			if got := a.count(m); got != 1 {
				t.Errorf("%d effects in the end, want 1", got)
			}
		})
	}
}

func TestPendingRefunds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode                 string
		status               string
		refundedLater        float64
		balanceNow, balLater int64
	}{
		{"pending_then_succeeded", "succeeded", 11800, 7100, 7100},
		{"pending_then_failed", "failed", 0, 7100, 18900},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "")
			m.fault("refunds.create", tt.mode, 1, delay)
			r := acts()[0].do(m, "key-1")
			if got := r.text("status"); got != "pending" {
				t.Errorf("status = %s, want pending", got)
			}
			check := func(when, status string, refunded float64, balance int64) {
				t.Helper()
				if got := m.get("/v1/refunds/" + r.text("id")).text("status"); got != status {
					t.Errorf("%s: status %s, want %s", when, got, status)
				}
				if got := m.books().Effects[0].Status; got != status {
					t.Errorf("%s: status in the books %s, want %s", when, got, status)
				}
				if got := m.get("/v1/orders/SU-88421").body["refunded_cents"]; got != refunded {
					t.Errorf("%s: refunded %v, want %v", when, got, refunded)
				}
				if got := m.balance("S-ASHCOMBE"); got != balance {
					t.Errorf("%s: balance %d, want %d", when, got, balance)
				}
			}
			check("now", "pending", 11800, tt.balanceNow)
			m.clock.move(delay)
			check("later", tt.status, tt.refundedLater, tt.balLater)
		})
	}
}

// Money that is to land late has not left the seller, and the booking that is
// to land late cannot be cancelled.
func TestNothingBeforeLanding(t *testing.T) {
	t.Parallel()
	c := newClock()
	box, err := sandbox.Open(t.Context(), seeded(t), sandbox.Options{
		Now:   c.now,
		NewID: func(prefix string) string { return prefix + "1" },
	})
	if err != nil {
		t.Fatal(err)
	}
	m := serveMarket(t, box, c)
	for _, a := range acts()[:3] {
		m.fault(a.operation, "land_late", 1, delay)
		m.unanswered(a.path, "key-1", a.body, func() bool { return !m.faultsLeft() })
	}
	look := func() [3]any {
		return [3]any{
			m.balance("S-ASHCOMBE"), m.get("/v1/orders/SU-88421").body["refunded_cents"],
			summary(m.post("/v1/pickups/bk-1/cancel", "", "")),
		}
	}
	if diff := cmp.Diff([3]any{int64(18900), 0.0, "404 unknown_booking"}, look()); diff != "" {
		t.Errorf("before the delay, -want +got:\n%s", diff)
	}
	m.clock.move(delay)
	if diff := cmp.Diff([3]any{int64(7100), 11800.0, "200 "}, look()); diff != "" {
		t.Errorf("after the delay, -want +got:\n%s", diff)
	}
}

// A cancellation that lags is answered truly, and hidden from lists.
func TestLaggingCancellation(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	a := acts()[5].prepared(m)
	m.fault(a.operation, "lag", 1, delay)
	r := a.do(m, "key-1")
	if got := r.text("status"); got != "cancelled" {
		t.Errorf("answered %q, want cancelled", got)
	}
	for _, want := range []string{"booked", "cancelled"} {
		if got := m.get("/v1/pickups/" + r.text("id")).text("status"); got != want {
			t.Errorf("shown as %q, want %q", got, want)
		}
		m.clock.move(delay)
	}
}

// While it lags, only the balance and the books tell.
func TestLagHidesFromReads(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	for _, operation := range []string{"refunds.create", "messages.create", "pickups.create"} {
		m.fault(operation, "lag", 1, delay)
	}
	refund := acts()[0].do(m, "key-1")
	acts()[1].do(m, "key-1")
	booking := acts()[2].do(m, "key-1")

	type shown struct {
		Refunded  any
		Refunds   int
		Messages  int
		Refund    int
		Booking   int
		Balance   int64
		Effective int
	}
	look := func() shown {
		o := m.get("/v1/orders/SU-88421").body
		return shown{
			Refunded:  o["refunded_cents"],
			Refunds:   len(o["refunds"].([]any)),
			Messages:  len(m.get("/v1/tickets/T-4127").body["messages"].([]any)),
			Refund:    m.get("/v1/refunds/" + refund.text("id")).status,
			Booking:   m.get("/v1/pickups/" + booking.text("id")).status,
			Balance:   m.balance("S-ASHCOMBE"),
			Effective: len(m.books().Effects),
		}
	}
	if diff := cmp.Diff(shown{0.0, 0, 1, 404, 404, 7100, 3}, look()); diff != "" {
		t.Errorf("before the delay, -want +got:\n%s", diff)
	}
	m.clock.move(delay)
	if diff := cmp.Diff(shown{11800.0, 1, 2, 200, 200, 7100, 3}, look()); diff != "" {
		t.Errorf("after the delay, -want +got:\n%s", diff)
	}
}

func TestFaultOnRead(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		"orders.get": "/v1/orders/SU-88421", "tickets.get": "/v1/tickets/T-4127",
		"refunds.list": "/v1/refunds?intent=x", "messages.list": "/v1/messages?intent=x", "pickups.list": "/v1/pickups?intent=x",
		"replacements.list": "/v1/replacements?intent=x", "escalations.list": "/v1/escalations?intent=x",
	}
	tests := map[sandbox.Mode]string{
		sandbox.Reject500: "500 server_error",
		sandbox.Down:      "0 ",
		sandbox.Slow:      "200 ",
	}
	for operation, path := range paths {
		for mode, want := range tests {
			t.Run(operation+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				m := newMarket(t, "")
				m.fault(operation, string(mode), 1, time.Millisecond)
				if got := summary(m.get(path)); got != want {
					t.Errorf("first: %s, want %s", got, want)
				}
				if got := summary(m.get(path)); got != "200 " {
					t.Errorf("second: %s, want 200", got)
				}
			})
		}
	}
}

func TestMeaninglessFaults(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	reads := []sandbox.Mode{sandbox.TimeoutBeforeAccept, sandbox.Reject500, sandbox.Slow, sandbox.Down}
	for _, operation := range sandbox.Operations() {
		isRead := operation == "orders.get" || operation == "tickets.get" || operation[len(operation)-5:] == ".list"
		for _, mode := range sandbox.Modes() {
			pending := mode == sandbox.PendingThenSucceeded || mode == sandbox.PendingThenFailed
			want := isRead && !slices.Contains(reads, mode) || pending && operation != "refunds.create"
			err := m.box.AddFault(t.Context(), sandbox.Fault{Operation: operation, Mode: string(mode)})
			if got := asMeaningless(err); got != want || (err != nil && !got) {
				t.Errorf("%s %s: error %v, meaningless should be %v", operation, mode, err, want)
			}
		}
	}
	for _, f := range []sandbox.Fault{
		{Operation: "refunds.delete", Mode: "slow"},
		{Operation: "refunds.create", Mode: "explode"},
		{Operation: "refunds.create", Mode: "slow", Times: -1},
		{Operation: "refunds.create", Mode: "slow", Delay: -time.Second},
	} {
		if err := m.box.AddFault(t.Context(), f); !asMeaningless(err) {
			t.Errorf("%+v: error %v, want a meaningless fault", f, err)
		}
	}
}

func TestFaultsAreAQueue(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	m.fault("refunds.create", "reject", 2, 0)
	m.fault("refunds.create", "reject_transient", 1, 0)
	m.fault("refunds.create", "reject_500", 0, 0)
	m.fault("refunds.create", "stored_500", 1, 0) // in the shadow of the one before
	m.fault("messages.create", "reject", 1, 0)

	var got []string
	for i := range 6 {
		if i == 1 {
			// Refused by the marketplace itself: no fault is used.
			m.post("/v1/refunds", "", `{"order_id":"SU-1","amount_cents":1,"currency":"USD"}`)
			m.post("/v1/refunds", "", `{`)
		}
		got = append(got, summary(acts()[0].do(m, fmt.Sprint("key-", i))))
	}
	want := []string{
		"422 refused_permanently", "422 refused_permanently", "429 try_later",
		"500 server_error", "500 server_error", "500 server_error",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := m.box.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := summary(acts()[0].do(m, "key-9")); got != "200 " {
		t.Errorf("after clearing: %s", got)
	}
}

// A key's refusal comes from behind the fault, which it has used.
func TestMismatchUsesAFault(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	acts()[0].do(m, "key-1")
	m.fault("refunds.create", "lag", 1, delay)
	if got := summary(m.post("/v1/refunds", "key-1", acts()[0].body+" ")); got != "400 idempotency_mismatch" {
		t.Errorf("got %s", got)
	}
	if m.faultsLeft() {
		t.Error("the fault is still set")
	}
}

func TestRejectTransientSaysWhen(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	m.fault("refunds.create", "reject_transient", 1, 0)
	if got := acts()[0].do(m, "").header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After = %q, want 1", got)
	}
}
