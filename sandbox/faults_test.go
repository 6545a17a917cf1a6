package sandbox_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/sandbox"
)

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
