package sandbox_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/sandbox"
)

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
