package sandbox_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRepeatedKey(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		t.Run(a.operation, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "")
			a := a.prepared(m)
			first := a.do(m, "key-1")
			if got := first.header.Get("Idempotent-Replayed"); got != "" {
				t.Errorf("the first answer is marked as a replay: %q", got)
			}
			m.clock.move(24*time.Hour - time.Second)
			again := a.do(m, "key-1")
			if diff := cmp.Diff(first.body, again.body); diff != "" {
				t.Errorf("the replay differs, -first +again:\n%s", diff)
			}
			if got := again.header.Get("Idempotent-Replayed"); got != "true" {
				t.Errorf("Idempotent-Replayed = %q, want true", got)
			}

			other := a
			other.body = a.body + " "
			if got := summary(other.do(m, "key-1")); got != "400 idempotency_mismatch" {
				t.Errorf("another body: %s", got)
			}
			if got := a.count(m); got != 1 {
				t.Errorf("%d effects, want 1", got)
			}
		})
	}
}

func TestKeyRetention(t *testing.T) {
	t.Parallel()
	tests := []struct {
		declare string
		after   time.Duration
		want    int
	}{
		{"", 24*time.Hour - 1, 1},
		{"", 24 * time.Hour, 2},
		{"refunds.dedupe=10m", 10*time.Minute - 1, 1},
		{"refunds.dedupe=10m", 10 * time.Minute, 2},
		{"refunds.dedupe=none", 0, 2},
		{"messages.dedupe=none", 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.declare+" "+tt.after.String(), func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, tt.declare)
			a := acts()[0]
			a.do(m, "key-1")
			m.clock.move(tt.after)
			a.do(m, "key-1")
			if got := a.count(m); got != tt.want {
				t.Errorf("%d effects, want %d", got, tt.want)
			}
		})
	}
}

func TestWithoutAKeyEveryRequestActs(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	acts()[0].do(m, "")
	acts()[0].do(m, "")
	if got := acts()[0].count(m); got != 2 {
		t.Errorf("%d effects, want 2", got)
	}
	if got := m.balance("S-ASHCOMBE"); got != 18900-2*11800 {
		t.Errorf("balance %d, want the seller overdrawn", got)
	}
}

func TestOneKeyServesEachOperation(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	for _, a := range acts() {
		a = a.prepared(m)
		if got := summary(a.do(m, "key-1")); got != "200 " {
			t.Errorf("%s: %s", a.operation, got)
		}
	}
}

// Keys are bound to the booking in the path, in any spelling of it.
func TestCancellationKeyIsBoundToItsBooking(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	cancel := acts()[5]
	first, second := cancel.prepared(m), cancel.prepared(m)
	first.do(m, "key-1")
	if got := summary(second.do(m, "key-1")); got != "400 idempotency_mismatch" {
		t.Errorf("another booking: %s", got)
	}
	first.path = strings.ToLower(first.path)
	if r := first.do(m, "key-1"); r.status != 200 || r.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same booking in lower case: %s", summary(r))
	}
}

// What was refused, or could not be tried, is not kept under the key.
func TestRefusalsAreNotStored(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	bad := `{"order_id":"SU-88421","amount_cents":0,"currency":"USD"}`
	if got := summary(m.post("/v1/refunds", "key-1", bad)); got != "422 invalid_amount" {
		t.Fatalf("got %s", got)
	}
	if got := summary(acts()[0].do(m, "key-1")); got != "200 " {
		t.Errorf("another body under a key that was only refused: %s", got)
	}
}

func TestStored500Expires(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "")
	m.fault("refunds.create", "stored_500", 1, 0)
	acts()[0].do(m, "key-1")
	if got := summary(acts()[0].do(m, "key-1")); got != "500 server_error" {
		t.Errorf("replay: %s", got)
	}
	if got := summary(acts()[0].do(m, "key-2")); got != "200 " {
		t.Errorf("another key: %s", got)
	}
	m.clock.move(24 * time.Hour)
	if got := summary(acts()[0].do(m, "key-1")); got != "200 " {
		t.Errorf("after the key has expired: %s", got)
	}
}

func TestErrorsNotStored(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "refunds.errors_stored=false")
	m.fault("refunds.create", "accept_then_500", 1, 0)
	if got := summary(acts()[0].do(m, "key-1")); got != "500 server_error" {
		t.Errorf("first: %s", got)
	}
	if got := summary(acts()[0].do(m, "key-1")); got != "200 " {
		t.Errorf("repeat: %s, want the effect", got)
	}
	if got := acts()[0].count(m); got != 1 {
		t.Errorf("%d effects, want 1", got)
	}
}

// Two processes' servers over one file meet the same key at the same moment.
func TestOneKeyAtOnceInTwoServers(t *testing.T) {
	t.Parallel()
	one := newMarket(t, "")
	two := openMarket(t, one.path, one.clock, "")
	for _, a := range acts() {
		a = a.prepared(one)
		var wg sync.WaitGroup
		replies := make([]reply, 16)
		for i := range replies {
			m := []*market{one, two}[i%2]
			wg.Go(func() { replies[i] = a.do(m, "key-1") })
		}
		wg.Wait()
		fresh := 0
		for _, r := range replies {
			if r.status != 200 {
				t.Errorf("%s: %s", a.operation, summary(r))
			}
			if r.header.Get("Idempotent-Replayed") == "" {
				fresh++
			}
		}
		if got := a.count(two); got != 1 || fresh != 1 {
			t.Errorf("%s: %d effects, %d fresh answers, want 1 and 1", a.operation, got, fresh)
		}
	}
}
