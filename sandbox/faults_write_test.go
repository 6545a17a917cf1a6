package sandbox_test

import (
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
