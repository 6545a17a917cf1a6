package sandbox_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/sandbox"
)

// world is what one fault comes to.
type world struct {
	mode   sandbox.Mode
	delay  time.Duration
	answer intent.Answer // of an effect, only that there is one
	found  bool          // by a lookup right after
	exists int           // effects, counted at the authority
	later  int           // … after the delay
}

var (
	timedOut  = intent.AnsweredAmbiguous{Detail: "timeout"}
	closed    = intent.AnsweredAmbiguous{Detail: "connection closed"}
	error500  = intent.AnsweredAmbiguous{Detail: "http 500", Stored: true}
	performed = intent.AnsweredPerformed{}
)

// worlds are every fault of a write that any kind knows, each with what truly
// happened.
var worlds = []world{
	{"", 0, performed, true, 1, 1},
	{sandbox.AcceptThenTimeout, 0, timedOut, true, 1, 1},
	{sandbox.TimeoutBeforeAccept, 0, timedOut, false, 0, 0},
	{sandbox.AcceptThen500, 0, error500, true, 1, 1},
	{sandbox.Reject500, 0, error500, false, 0, 0},
	{sandbox.Stored500, 0, error500, false, 0, 0},
	{sandbox.AcceptThenDrop, 0, closed, true, 1, 1},
	{sandbox.Down, 0, closed, false, 0, 0},
	{sandbox.AcceptThenGarbage, 0, intent.AnsweredAmbiguous{Detail: "foreign body"}, true, 1, 1},
	{sandbox.WrongEcho, 0, intent.AnsweredAmbiguous{Detail: "answer for another request"}, true, 1, 1},
	{sandbox.Reject, 0, intent.AnsweredRefused{
		Permanent: true, Code: "refused_permanently", Because: "the provider will not do this",
	}, false, 0, 0},
	{sandbox.RejectTransient, 0, intent.AnsweredRefused{
		Code: "try_later", Because: "the provider is busy", RetryAfter: time.Second,
	}, false, 0, 0},
	{sandbox.Slow, 2 * time.Second, performed, true, 1, 1},
	{sandbox.Slow, 10 * time.Second, timedOut, true, 1, 1},
	{sandbox.LandLate, 20 * time.Second, timedOut, false, 0, 1},
	{sandbox.Lag, 20 * time.Second, performed, false, 1, 1},
	{sandbox.DeliverTwice, 0, performed, true, 1, 1},
	{sandbox.NoDedupe, 0, performed, true, 1, 1},
	{sandbox.KeyExpired, time.Second, performed, true, 1, 1},
}

func TestFaultsInBothWorlds(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		operation string
		act       func(*testing.T, *provider.Marketplace) act
	}{
		"refund": {"refunds.create", func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Refunds, aRefund)
		}},
		"message": {"messages.create", func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Messages, aMessage)
		}},
		"pickup": {"pickups.create", func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Pickups, aPickup)
		}},
		"replacement": {"replacements.create", func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Replacements, aReplacement)
		}},
		"handoff": {"escalations.create", func(t *testing.T, m *provider.Marketplace) act {
			return actOf(t, m.Desk, aHandoff)
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, m := simulated(t, nil)
				a := tt.act(t, m)
				for i, w := range worlds {
					k := key(string(w.mode) + w.delay.String())
					checkWorld(t, s, a, tt.operation, k, w, i)
				}
			})
		})
	}
}

func checkWorld(t *testing.T, s *sandbox.Sandbox, a act, operation string, k intent.Key, w world, number int) {
	t.Helper()
	setFault(t, s, operation, w)
	idempotency := orderKey[2:] + string(rune('a'+number/16)) + string("0123456789abcdef"[number%16])
	answer := a.send(k, idempotency)
	if diff := cmp.Diff(w.answer, answer, cmpopts.IgnoreTypes(intent.Effect{})); diff != "" {
		t.Errorf("%s %v: answer (-want +got):\n%s", w.mode, w.delay, diff)
	}
	finding := a.lookup(k)
	found, ok := finding.(intent.Found)
	if ok != w.found {
		t.Errorf("%s %v: lookup %#v, want found: %v", w.mode, w.delay, finding, w.found)
	}
	if p, sent := answer.(intent.AnsweredPerformed); sent && ok {
		if diff := cmp.Diff(p.Effect, found.Effect); diff != "" {
			t.Errorf("%s %v: looked up, not as answered (-answered +looked up):\n%s", w.mode, w.delay, diff)
		}
	}
	if got := count(t, s, k); got != w.exists {
		t.Errorf("%s %v: %d effects, want %d", w.mode, w.delay, got, w.exists)
	}
	<-time.After(w.delay)
	if got := count(t, s, k); got != w.later {
		t.Errorf("%s %v: %d effects later, want %d", w.mode, w.delay, got, w.later)
	}
	if _, ok := a.lookup(k).(intent.Found); ok != (w.later > 0) {
		t.Errorf("%s %v: found later: %v, want %v", w.mode, w.delay, ok, w.later > 0)
	}
}

func setFault(t *testing.T, s *sandbox.Sandbox, operation string, w world) {
	t.Helper()
	if w.mode == "" {
		return
	}
	f := sandbox.Fault{Operation: operation, Mode: string(w.mode), Times: 1, Delay: w.delay}
	if err := s.AddFault(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// count takes the count that matters: at the authority.
func count(t *testing.T, s *sandbox.Sandbox, k intent.Key) (n int) {
	t.Helper()
	books, err := s.Effects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range books.Effects {
		if e.Intent == k.String() {
			n++
		}
	}
	return n
}

// A cancellation is counted by the status of its booking.
func TestFaultsOfCancellation(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, m := simulated(t, nil)
		for i, w := range worlds {
			name := string(w.mode) + w.delay.String()
			idempotency := orderKey[1:] + string(rune('a'+i))
			booked, ok := actOf(t, m.Pickups, aPickup).send(key("booked "+name), idempotency).(intent.AnsweredPerformed)
			if !ok {
				t.Fatalf("%s: no booking", name)
			}
			a := actOf(t, m.Cancellations, provider.Cancellation{
				TicketID: "T-4127", OrderID: "SU-88421", BookingID: booked.Effect.ID,
			})
			setFault(t, s, "pickups.cancel", w)
			answer := a.send(key(name), idempotency)
			if diff := cmp.Diff(w.answer, answer, cmpopts.IgnoreTypes(intent.Effect{})); diff != "" {
				t.Errorf("%s: answer (-want +got):\n%s", name, diff)
			}
			if finding, ok := a.lookup(key(name)).(intent.Found); ok != w.found {
				t.Errorf("%s: lookup %#v, want found: %v", name, finding, w.found)
			}
			<-time.After(w.delay)
			found, ok := a.lookup(key(name)).(intent.Found)
			if ok != (w.later > 0) {
				t.Errorf("%s: found later: %v, want %v", name, ok, w.later > 0)
			}
			if e := found.Effect; ok && (e.ID != booked.Effect.ID || e.Status != "cancelled" || !e.Final || e.Undone) {
				t.Errorf("%s: found %+v", name, e)
			}
			checkBooking(t, m, booked.Effect.ID, key("booked "+name), w.later > 0)
		}
	})
}

func checkBooking(t *testing.T, m *provider.Marketplace, id string, k intent.Key, cancelled bool) {
	t.Helper()
	want := intent.Effect{ID: id, Status: "booked", Final: true}
	if cancelled {
		want.Status, want.Undone = "cancelled", true
	}
	got := actOf(t, m.Pickups, aPickup).lookup(k)
	if diff := cmp.Diff(intent.Finding(intent.Found{Effect: want}), got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
		t.Errorf("the booking (-want +got):\n%s", diff)
	}
}

func TestAlreadyCancelledIsAmbiguous(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		_, m := simulated(t, nil)
		booked, ok := actOf(t, m.Pickups, aPickup).send(key("booked"), orderKey).(intent.AnsweredPerformed)
		if !ok {
			t.Fatal("no booking")
		}
		a := actOf(t, m.Cancellations, provider.Cancellation{TicketID: "T-4127", BookingID: booked.Effect.ID})
		if got, ok := a.send(key("first"), orderKey).(intent.AnsweredPerformed); !ok {
			t.Fatalf("answer %#v, want it cancelled", got)
		}
		got := a.send(key("second"), orderKey[1:])
		if diff := cmp.Diff(intent.Answer(intent.AnsweredAmbiguous{Detail: "already cancelled"}), got); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		if got := a.lookup(key("second")); got != (intent.Absent{}) {
			t.Errorf("lookup %#v, want absent: another intent cancelled it", got)
		}
	})
}

func TestRefundThatIsPending(t *testing.T) {
	t.Parallel()

	for mode, want := range map[sandbox.Mode]intent.Effect{
		sandbox.PendingThenSucceeded: {Status: "succeeded", Final: true},
		sandbox.PendingThenFailed:    {Status: "failed", Final: true, Undone: true},
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, m := simulated(t, nil)
				a := actOf(t, m.Refunds, aRefund)
				setFault(t, s, "refunds.create", world{mode: mode, delay: time.Minute})
				answer, ok := a.send(key("refund"), orderKey).(intent.AnsweredPerformed)
				want.ID, want.At = answer.Effect.ID, answer.Effect.At
				want.Cents, want.Currency = aRefund.Cents, aRefund.Currency
				if e := answer.Effect; !ok || e.Status != "pending" || e.Final || e.Undone {
					t.Errorf("answered %+v, want it pending", e)
				}
				<-time.After(time.Minute)
				if diff := cmp.Diff(intent.Finding(intent.Found{Effect: want}), a.lookup(key("refund"))); diff != "" {
					t.Errorf("lookup (-want +got):\n%s", diff)
				}
				repeat := a.send(key("refund"), orderKey)
				if diff := cmp.Diff(intent.Answer(intent.AnsweredPerformed{Effect: want, Replayed: true}), repeat); diff != "" {
					t.Errorf("repeat (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, m := simulated(t, nil)
		a := actOf(t, m.Refunds, aRefund)
		setFault(t, s, "refunds.create", world{mode: sandbox.Slow, delay: 10 * time.Second})
		a.send(key("refund"), orderKey)
		less := aRefund
		less.Cents = 5900
		steps := []struct {
			what string
			got  intent.Answer
			want intent.Answer
		}{
			{"while the first is in progress", a.send(key("refund"), orderKey), intent.AnsweredAmbiguous{Detail: "key in use"}},
			{"with other bytes", actOf(t, m.Refunds, less).send(key("refund"), orderKey), intent.AnsweredAmbiguous{Detail: "key used with another request"}},
			{"without a key", a.send(key("refund"), ""), intent.AnsweredNotSent{Detail: "no key"}},
			{"without an intent", a.send(intent.Key{}, orderKey), intent.AnsweredNotSent{Detail: "no key"}},
		}
		for _, st := range steps {
			if diff := cmp.Diff(st.want, st.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", st.what, diff)
			}
		}
		<-time.After(10 * time.Second)
		if got, ok := a.send(key("refund"), orderKey).(intent.AnsweredPerformed); !ok || !got.Replayed {
			t.Errorf("answer %#v, want it replayed", got)
		}
		if got := count(t, s, key("refund")); got != 1 {
			t.Errorf("%d refunds, want 1", got)
		}
	})
}

// After a reset it is another marketplace: what was meant for the one before is
// neither done nor looked for there.
func TestReset(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, m := simulated(t, nil)
		if err := s.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		a := actOf(t, m.Refunds, aRefund)
		want := intent.AnsweredRefused{Code: "account_mismatch", Because: "the sandbox was reset: restart counterfoil"}
		if diff := cmp.Diff(intent.Answer(want), a.send(key("refund"), orderKey)); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(intent.Finding(intent.LookupFailed{Detail: "account_mismatch"}), a.lookup(key("refund"))); diff != "" {
			t.Errorf("lookup (-want +got):\n%s", diff)
		}
		if got := m.Orders.Order(t.Context(), "SU-88421"); got.State != provider.Down || got.Detail != "account_mismatch" {
			t.Errorf("order: %q %q, want it down", got.State, got.Detail)
		}
		if got := count(t, s, key("refund")); got != 0 {
			t.Errorf("%d refunds, want 0", got)
		}
	})
}

func TestValidationIsARefusal(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		_, m := simulated(t, nil)
		refund := func(change func(*provider.Refund)) act {
			v := aRefund
			change(&v)
			return actOf(t, m.Refunds, v)
		}
		long := aMessage
		long.Text = strings.Repeat("x", 70<<10)
		acts := map[string]act{
			"unknown_order":     refund(func(v *provider.Refund) { v.OrderID = "SU-1" }),
			"unknown_item":      refund(func(v *provider.Refund) { v.ItemID = "NONE" }),
			"unknown_ticket":    refund(func(v *provider.Refund) { v.TicketID = "T-1" }),
			"invalid_request":   refund(func(v *provider.Refund) { v.OrderID = "" }),
			"invalid_amount":    refund(func(v *provider.Refund) { v.Cents = 0 }),
			"invalid_units":     refund(func(v *provider.Refund) { v.Units = []int{9} }),
			"currency_mismatch": refund(func(v *provider.Refund) { v.Currency = "EUR" }),
			"unknown_seller":    actOf(t, m.Messages, provider.Message{TicketID: "T-4127", To: "S-NOBODY", Text: "hello"}),
			"unknown_buyer":     actOf(t, m.Messages, provider.Message{TicketID: "T-4127", To: "B-0", Text: "hello"}),
			"too_large":         actOf(t, m.Messages, long),
			"invalid_date":      actOf(t, m.Pickups, provider.Pickup{TicketID: "T-4127", OrderID: "SU-88421", Date: "Friday"}),
			"unknown_booking":   actOf(t, m.Cancellations, provider.Cancellation{TicketID: "T-4127", BookingID: "BK-0/../.."}),
		}
		for code, a := range acts {
			got, ok := a.send(key(code), orderKey).(intent.AnsweredRefused)
			if !ok || !got.Permanent || got.Code != code || got.Because == "" {
				t.Errorf("%s: %#v", code, got)
			}
		}
		<-time.After(time.Second) // net/http takes that long to leave a request that was too large
	})
}

func TestFaultsOfLookups(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, m := simulated(t, nil)
		a := actOf(t, m.Refunds, aRefund)
		a.send(key("refund"), orderKey)
		for _, tt := range []struct {
			world world
			want  string
		}{
			{world{mode: sandbox.TimeoutBeforeAccept}, "timeout"},
			{world{mode: sandbox.Reject500}, "http 500"},
			{world{mode: sandbox.Down}, "connection closed"},
			{world{mode: sandbox.Slow, delay: 10 * time.Second}, "timeout"},
		} {
			setFault(t, s, "refunds.list", tt.world)
			got := a.lookup(key("refund"))
			if diff := cmp.Diff(intent.Finding(intent.LookupFailed{Detail: tt.want}), got); diff != "" {
				t.Errorf("%s: lookup (-want +got):\n%s", tt.world.mode, diff)
			}
			setFault(t, s, "orders.get", tt.world)
			if got := m.Orders.Order(t.Context(), "SU-88421"); got.State != provider.Down || got.Detail != tt.want {
				t.Errorf("%s: order %q %q, want it down: %s", tt.world.mode, got.State, got.Detail, tt.want)
			}
			setFault(t, s, "tickets.get", tt.world)
			if got := m.Tickets.Ticket(t.Context(), "T-4127"); got.State != provider.Down || got.Detail != tt.want {
				t.Errorf("%s: ticket %q %q, want it down: %s", tt.world.mode, got.State, got.Detail, tt.want)
			}
		}
		if got, ok := a.lookup(key("refund")).(intent.Found); !ok {
			t.Errorf("lookup %#v, want it found in the end", got)
		}
	})
}
