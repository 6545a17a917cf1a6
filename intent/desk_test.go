package intent_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"counterfoil/intent"
)

// The other tools, against every way in which their authority can go wrong.

type deskTool struct {
	tool, create, list, kind string
	args                     map[string]any
	before                   func(r *rig, p *process) map[string]any // what must be done first; adds arguments
	reversible               bool
	effects                  int // once all is done
}

func deskTools() []deskTool {
	return []deskTool{
		{
			tool: "message_seller", create: "messages.create", list: "messages.list", kind: "message", effects: 1,
			args: map[string]any{"ticket_id": "T-4127", "seller_id": "S-ASHCOMBE", "text": "Was the shelf packed whole?"},
		},
		{
			tool: "reply_to_buyer", create: "messages.create", list: "messages.list", kind: "message", effects: 1,
			args: map[string]any{"ticket_id": "T-4127", "text": "We are sorry."},
		},
		{
			tool: "book_pickup", create: "pickups.create", list: "pickups.list", kind: "pickup", reversible: true, effects: 1,
			args: map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"},
		},
		{
			tool: "cancel_pickup", create: "pickups.cancel", list: "pickups.list", kind: "pickup", reversible: true, effects: 1,
			args: map[string]any{"ticket_id": "T-4127"},
			before: func(_ *rig, p *process) map[string]any {
				booked := p.call("book_pickup", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"})
				return map[string]any{"booking_id": booked.BookingID}
			},
		},
		{
			tool: "send_replacement", create: "replacements.create", list: "replacements.list", kind: "replacement", reversible: true, effects: 1,
			args: map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4"},
		},
	}
}

var deskFaults = []string{
	"accept_then_timeout", "timeout_before_accept", "accept_then_500", "accept_then_drop", "accept_then_garbage",
	"wrong_echo", "reject_500", "reject", "reject_transient", "slow", "land_late", "deliver_twice", "down", "stored_500",
}

func TestEveryFaultOfTheDesk(t *testing.T) {
	for _, tool := range deskTools() {
		for _, mode := range deskFaults {
			t.Run(tool.tool+"/"+mode, func(t *testing.T) {
				bubble(t, func(r *rig) {
					p := r.process("P1")
					args := maps.Clone(tool.args)
					if tool.before != nil {
						maps.Copy(args, tool.before(r, p))
					}
					r.fault(tool.create, mode, 1, 3*time.Second)
					first := p.call(tool.tool, args)
					last := r.obeyCall(p, tool.tool, args, first)
					refused := mode == "reject"
					if done := last.Outcome == intent.Performed || last.Outcome == intent.AlreadyPerformed; done == refused {
						t.Errorf("ends in %s %q: %s", last.Outcome, last.Reason, last.Verdict)
					}
					if tool.reversible && mode == "timeout_before_accept" && (first.Outcome != intent.Performed || first.Attempts != 2) {
						t.Errorf("got %s after %d attempts, want performed after 2", first.Outcome, first.Attempts)
					}
					again := p.call(tool.tool, args)
					if !refused && again.Outcome != intent.AlreadyPerformed {
						t.Errorf("a repeat reads %s %q: %s", again.Outcome, again.Reason, again.Verdict)
					}
					want := tool.effects
					if refused && tool.tool != "cancel_pickup" {
						want = 0
					}
					r.wantEffects(tool.kind, want)
				})
			})
		}
	}
}

// obeyCall goes on as a model that does what the answers say.
func (r *rig) obeyCall(p *process, tool string, args map[string]any, answer intent.Result) intent.Result {
	r.t.Helper()
	for range 6 {
		if answer.Retry != intent.RetryWait {
			return answer
		}
		r.later(time.Duration(answer.RetryAfterSeconds) * time.Second)
		answer = p.call(tool, args)
	}
	r.t.Error("told to wait and retry for ever")
	return answer
}

// A reworded message after an unknown is held back; the same one is looked up.
func TestRewordedMessageAfterUnknown(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		say := func(text string) map[string]any {
			return map[string]any{"ticket_id": "T-4127", "seller_id": "S-ASHCOMBE", "text": text}
		}
		r.faultOnce("messages.create", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("messages.list", "down", 0, 0)
			}
		}
		first := p.call("message_seller", say("Was the shelf packed whole?"))
		want(t, first, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		want(t, p.call("message_seller", say("Please tell us how the shelf was packed.")), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
		want(t, p.call("reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "We have asked the seller."}), intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
		r.clearFaults()
		p.at = nil
		want(t, p.call("message_seller", say("  Was the shelf\npacked   whole? ")), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("message", 1)
	})
}

// An unknown message whose scope a person releases: the customer is not muted.
func TestReleasedScope(t *testing.T) {
	bubbleWith(t, map[string]string{"messages.lookup": "none"}, func(r *rig) {
		p := r.process("P1")
		say := func(text string) map[string]any { return map[string]any{"ticket_id": "T-4127", "text": text} }
		r.faultOnce("messages.create", "accept_then_timeout")
		first := p.call("reply_to_buyer", say("We are sorry."))
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		want(t, p.call("reply_to_buyer", say("We are very sorry.")), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		want(t, p.call("reply_to_buyer", say("We are very sorry.")), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.call("reply_to_buyer", say("We are sorry.")), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.wantEffects("message", 2)
	})
}

// A further message names the one before it.
func TestFollowUp(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		say := func(text, after string) map[string]any {
			args := map[string]any{"ticket_id": "T-4127", "seller_id": "s-ashcombe", "text": text}
			if after != "" {
				args["follow_up_to"] = after
			}
			return args
		}
		first := p.call("message_seller", say("One.", ""))
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		missing := p.call("message_seller", say("Two.", ""))
		want(t, missing, intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		if len(missing.Related) != 1 || missing.Related[0].EffectID != first.MessageID {
			t.Errorf("related %+v, want %s", missing.Related, first.MessageID)
		}
		want(t, p.call("message_seller", say("Two.", "msg_other")), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		r.later(time.Second)
		second := p.call("message_seller", say("Two.", first.MessageID))
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.call("message_seller", say("Three.", first.MessageID)), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		want(t, p.call("message_seller", say("One.", "")), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		want(t, p.call("message_seller", map[string]any{"ticket_id": "T-4127", "seller_id": "S-NORTHLOOM", "text": "One."}), intent.NotPerformed, intent.ReasonNotOnTicket, intent.RetryFix)
		r.wantEffects("message", 2)
	})
}

// 12: book and cancel, then the recorded sequence is replayed.
func TestHistoryReplayedBooking(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		booked := p.call("book_pickup", book)
		cancel := map[string]any{"ticket_id": "T-4127", "booking_id": booked.BookingID}
		r.later(time.Second)
		want(t, p.call("cancel_pickup", cancel), intent.Performed, "", intent.RetryNotNeeded)
		replayed := p.call("book_pickup", book)
		want(t, replayed, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if replayed.Status != "cancelled" {
			t.Errorf("status %s, want cancelled: %s", replayed.Status, replayed.Verdict)
		}
		want(t, p.call("cancel_pickup", cancel), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("pickup", 1)
		again := maps.Clone(book)
		again["again_after"] = booked.BookingID
		second := p.call("book_pickup", again)
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		plain := p.call("book_pickup", book)
		want(t, plain, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if plain.BookingID != second.BookingID {
			t.Errorf("a plain repeat reads %s, want the booking that stands, %s", plain.BookingID, second.BookingID)
		}
		r.wantEffects("pickup", 2)
	})
}

// 21: the first booking cancelled, the second live, the ledger lost.
func TestHistoryBookingsWithoutALedger(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		first := p.call("book_pickup", book)
		p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": first.BookingID})
		again := maps.Clone(book)
		again["again_after"] = first.BookingID
		second := p.call("book_pickup", again)
		r.loseLedger()
		p2 := r.process("P2")
		found := p2.call("book_pickup", book)
		want(t, found, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if found.BookingID != second.BookingID {
			t.Errorf("reads %s, want %s, which stands", found.BookingID, second.BookingID)
		}
		r.wantEffects("pickup", 2)
	})
}

// again_after a booking that stands opens nothing.
func TestNoRepeatOfABookingThatStands(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}
		first := p.call("book_pickup", book)
		again := maps.Clone(book)
		again["again_after"] = first.BookingID
		want(t, p.call("book_pickup", again), intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
		r.wantEffects("pickup", 1)
	})
}

// again_after an effect that nobody knows is a mistake to be checked: no person is
// told, and so nothing is promised to the customer.
func TestNoRepeatOfWhatIsNotKnown(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		got := p.do(map[string]any{"again_after": "re_none"})
		want(t, got, intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
		if !strings.Contains(got.Note, "Check again_after") || got.TellCustomer != "" || got.Escalation != nil {
			t.Errorf("got %+v, want the model to check the id, and nobody else bothered", got)
		}
		r.wantEffects("escalation", 0)
		r.wantEffects("refund", 0)
	})
}

// 27: a cancellation is unknown; the model books again.
func TestHistoryCancelUnknownThenBook(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		booked := p.call("book_pickup", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"})
		r.faultOnce("pickups.cancel", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("pickups.list", "down", 0, 0)
			}
		}
		cancel := map[string]any{"ticket_id": "T-4127", "booking_id": booked.BookingID}
		want(t, p.call("cancel_pickup", cancel), intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		p.at = nil
		r.clearFaults()
		next := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-11", "follow_up_to": booked.BookingID}
		want(t, p.call("book_pickup", next), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
		want(t, p.call("cancel_pickup", cancel), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		want(t, p.call("book_pickup", next), intent.Performed, "", intent.RetryNotNeeded)
	})
}

// 9: a courier without a key, the answer lost, the list empty: no second
// booking.
func TestHistoryCourierWithoutKeys(t *testing.T) {
	bubbleWith(t, map[string]string{"pickups.dedupe": "none"}, func(r *rig) {
		p := r.process("P1")
		r.fault("pickups.create", "land_late", 1, 20*time.Second)
		first := p.call("book_pickup", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"})
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.later(20 * time.Second)
		r.wantEffects("pickup", 1)
		r.sweep(p)
		want(t, p.call("book_pickup", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("pickup", 1)
	})
}

// 1, with a replacement; and the remedies of one item know of each other.
func TestRemediesKnowOfEachOther(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		replace := func(more map[string]any) map[string]any {
			args := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4"}
			maps.Copy(args, more)
			return args
		}
		r.fault("refunds.create", "land_late", 1, 15*time.Second)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		want(t, p.call("send_replacement", replace(nil)), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryWait)
		refunded := p.do(nil)
		want(t, p.call("send_replacement", replace(nil)), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		replaced := p.call("send_replacement", replace(map[string]any{"follow_up_to": refunded.RefundID}))
		want(t, replaced, intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("replacement", 1)
	})
}

// A refund after a replacement names it; one made by hand is named too.
func TestRefundAfterReplacement(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		hand := r.refundByHand("SU-88510", "LAMP-BRASS-1", 900)
		lamp := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "LAMP-BRASS-1"}
		want(t, p.call("send_replacement", lamp), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		lamp["follow_up_to"] = hand
		replaced := p.call("send_replacement", lamp)
		want(t, replaced, intent.Performed, "", intent.RetryNotNeeded)
		pay := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "LAMP-BRASS-1", "amount_cents": 4000, "expected_refunded_cents": 900}
		want(t, p.call("issue_refund", pay), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		pay["follow_up_to"] = replaced.ReplacementID
		want(t, p.call("issue_refund", pay), intent.Performed, "", intent.RetryNotNeeded)
	})
}

// Two identical units of one line replaced: two intents.
func TestTwoUnitsReplaced(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		unit := func(n int, after string) map[string]any {
			args := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "RUG-JUTE-2", "units": []int{n}}
			if after != "" {
				args["follow_up_to"] = after
			}
			return args
		}
		first := p.call("send_replacement", unit(1, ""))
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.call("send_replacement", unit(2, "")), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		want(t, p.call("send_replacement", unit(2, first.ReplacementID)), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.call("send_replacement", unit(1, "")), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("replacement", 2)
	})
}

// 20: a message performed, the ledger lost, the same text again.
func TestHistoryMessageWithoutALedger(t *testing.T) {
	bubble(t, func(r *rig) {
		say := map[string]any{"ticket_id": "T-4127", "seller_id": "S-ASHCOMBE", "text": "Was it packed whole?"}
		first := r.process("P1").call("message_seller", say)
		r.loseLedger()
		again := r.process("P2").call("message_seller", say)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.MessageID != first.MessageID {
			t.Errorf("message %s, want %s", again.MessageID, first.MessageID)
		}
		r.wantEffects("message", 1)
	})
}

// already_performed says what the buyer has been told since.
func TestToldSince(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.do(nil)
		r.later(time.Second)
		replied := p.call("reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "We have refunded 118.00 USD."})
		again := p.do(nil)
		if len(again.Told) != 1 || again.Told[0].MessageID != replied.MessageID || again.Told[0].Text != "We have refunded 118.00 USD." {
			t.Errorf("told %+v, want the reply %s", again.Told, replied.MessageID)
		}
	})
}

// A whole ticket worked with a lost answer at every write: the right effects,
// once each.
func TestWholeTicketWithLostAnswers(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		for _, op := range []string{"refunds.create", "messages.create", "pickups.create", "pickups.cancel", "replacements.create", "escalations.create"} {
			r.fault(op, "accept_then_timeout", 1, 0)
		}
		steps := []struct {
			tool string
			args map[string]any
		}{
			{"message_seller", map[string]any{"ticket_id": "T-4127", "seller_id": "S-ASHCOMBE", "text": "Cracked on arrival."}},
			{"book_pickup", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-12-10"}},
			{"issue_refund", map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800}},
			{"reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "Refunded; a courier comes on Thursday."}},
			{"escalate_to_human", map[string]any{"ticket_id": "T-4127", "reason": "safety", "summary": "Sharp edges."}},
		}
		for range 2 {
			for _, s := range steps {
				answer := r.obeyCall(p, s.tool, s.args, p.call(s.tool, s.args))
				if answer.Outcome != intent.Performed && answer.Outcome != intent.AlreadyPerformed {
					t.Errorf("%s: %s %q (%s)", s.tool, answer.Outcome, answer.Reason, answer.Verdict)
				}
			}
		}
		for kind, n := range map[string]int{"refund": 1, "message": 2, "pickup": 1, "replacement": 0, "escalation": 1} {
			r.wantEffects(kind, n)
		}
	})
}

// 29: an unknown that no lookup can settle is told again after four hours.
func TestHistoryMutedInSilence(t *testing.T) {
	bubbleWith(t, map[string]string{"messages.lookup": "none"}, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("messages.create", "accept_then_timeout")
		want(t, p.call("reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "We are sorry."}), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.later(3 * time.Hour)
		r.sweep(p)
		r.wantEffects("escalation", 1)
		r.later(2 * time.Hour)
		r.sweep(p)
		r.wantEffects("escalation", 2)
		r.later(5 * time.Hour)
		r.sweep(p)
		r.wantEffects("escalation", 2)
	})
}
