package intent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/policy"
)

// What TestSim found and a history of its own now holds.

// A refusal for now proves nothing of what was sent under the same key before a
// ledger was lost: the key has to stay.
func TestSimFoundRefusalForNowKeepsTheKey(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fault("refunds.create", "land_late", 1, 25*time.Second)
		want(t, r.process("P1").do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.loseLedger()
		p := r.process("P2")
		r.faultOnce("refunds.create", "reject_transient")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryWait)
		r.obey(p, nil)
		r.later(time.Minute)
		r.wantEffects("refund", 1)
	})
}

// A released scope lets another refund of the item go on; what may still come
// of the first counts as spent all the same.
func TestSimFoundReleasedUnknownCountsAsSpent(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.lookup": "webhook"}, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, time.Hour)
		first := p.do(map[string]any{"amount_cents": 6000})
		want(t, first, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		more := p.do(map[string]any{"amount_cents": 5999})
		if more.Outcome == intent.Performed {
			t.Errorf("%s: 6000 that may be on its way and 5999 are more than was paid", more.Verdict)
		}
	})
}

// The repeat within a call is a claim like any other: where a person has
// released the scope meanwhile, and another act went on in it, it is not made.
func TestSimFoundRepeatMeetsASibling(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		pickup := func(day string) map[string]any {
			return map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": day}
		}
		stopped, goOn, answer := make(chan struct{}), make(chan struct{}), make(chan intent.Result)
		p.at = func(point intent.Point) {
			if point == intent.PointRecorded {
				p.at = nil
				close(stopped)
				<-goOn
			}
		}
		r.faultOnce("pickups.create", "timeout_before_accept")
		go func() { answer <- p.call("book_pickup", pickup("2026-03-20")) }()
		<-stopped
		q := r.process("P2")
		if _, err := q.Release(r.ctx, r.rows()[0].Key, intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		r.fault("pickups.create", "timeout_before_accept", 2, 0)
		want(t, q.call("book_pickup", pickup("2026-03-21")), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.wantEffects("pickup", 0)
	})
}

// A clock that is set forward while a lookup lags makes nothing absent: the
// other clock says that the lookup could not show it yet.
func TestSimFoundDelayedAbsenceByEachClock(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.lookup": "delayed:60s"}, func(r *rig) {
		set := r.setClock()
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		set(time.Hour)
		want(t, p.do(nil), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.later(time.Minute)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
	})
}

// A release is of an attempt that nobody could settle. Once it has settled, what
// waits for a person keeps its scope closed like any other.
func TestSimFoundReleaseEndsWithItsAttempt(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		first := p.do(map[string]any{"amount_cents": 5000})
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		r.later(time.Hour)
		r.sweep(p)
		r.policy.Store(&policy.Policy{})
		want(t, p.do(map[string]any{"amount_cents": 5000}), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		want(t, p.do(map[string]any{"amount_cents": 4999}), intent.NotPerformed, intent.ReasonBlockedByOpen, intent.RetryNever)
	})
}

// A person's word on a booking does not make what was done to it since look old.
func TestSimFoundCancelledBeforeAPersonsWord(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		pickup := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-03-20"}
		booked := p.call("book_pickup", pickup)
		r.later(time.Second)
		p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": booked.BookingID})
		if _, err := p.AllowRepeat(r.ctx, r.key(booked), intent.Person{Name: "ines"}); err != nil {
			t.Fatal(err)
		}
		if again := p.call("book_pickup", pickup); again.Status != "cancelled" {
			t.Errorf("the booking reads %s (%s), and it was cancelled", again.Status, again.Verdict)
		}
	})
}

// A process that slept with an old sighting does not make an effect pending again
// that has been seen to come to nothing.
func TestSimFoundOldSightingOfWhatFailed(t *testing.T) {
	bubble(t, func(r *rig) {
		p, q := r.process("P1"), r.process("P2")
		r.fault("refunds.create", "pending_then_failed", 1, time.Minute)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.later(30 * time.Second)
		stopped, goOn, swept := make(chan struct{}), make(chan struct{}), make(chan struct{})
		p.at = func(point intent.Point) {
			if point == intent.PointSweepSettled {
				close(stopped)
				<-goOn
			}
		}
		go func() {
			defer close(swept)
			r.sweep(p)
		}()
		<-stopped
		r.later(time.Hour)
		want(t, q.do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		close(goOn)
		<-swept
		if row := r.rows()[0]; row.State != intent.StateNotPerformed || row.Status != "failed" {
			t.Errorf("the row is %s, %s, and the refund has come to nothing", row.State, row.Status)
		}
	})
}

// After a lost ledger the last repeat of a booking may be known and the first
// booking not: a call for the first one is answered, and does not look for ever.
func TestSimFoundKnownRepeatOfAForgottenBooking(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := func(after string) intent.Result {
			args := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-03-20"}
			if after != "" {
				args["again_after"] = after
			}
			return p.call("book_pickup", args)
		}
		cancel := func(id string) {
			p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": id})
		}
		first := book("")
		cancel(first.BookingID)
		second := book(first.BookingID)
		cancel(second.BookingID)
		r.loseLedger()
		p = r.process("P2")
		want(t, book(first.BookingID), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		want(t, book(""), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("pickup", 2)
	})
}

// A clock that is set back while a send is under way, and right again after it,
// does not make that send look old.
func TestSimFoundSetBackWhileSending(t *testing.T) {
	bubbleWith(t, map[string]string{"refunds.lookup": "delayed:60s"}, func(r *rig) {
		set := r.setClock()
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointSent {
				set(-2 * time.Minute)
			}
		}
		r.fault("refunds.create", "land_late", 1, 25*time.Second)
		want(t, p.do(nil), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		set(0)
		want(t, p.do(nil), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// A record that was made and answered with an error is not made again: what it
// took back from the count of sends would be taken twice.
func TestSimFoundRecordMadeAndAnsweredWithAnError(t *testing.T) {
	bubble(t, func(r *rig) {
		ledger := &failsOnce{Ledger: r.ledger.Process("P1"), on: intent.StateNotPerformed}
		p := r.processOn(ledger, "P1")
		p.at = func(point intent.Point) { r.wire.down.Store(point == intent.PointClaimed) }
		answer := p.do(nil)
		want(t, answer, intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
		if !ledger.failed || answer.Attempts != 0 {
			t.Errorf("%d attempts (the commit failed: %v), and nothing was sent", answer.Attempts, ledger.failed)
		}
		if n := len(r.attempts(answer.IntentKey)); n != 1 {
			t.Errorf("%d attempts are recorded of one", n)
		}
	})
}

// failsOnce makes the first change that brings a row to a state, and says that
// it failed.
type failsOnce struct {
	intent.Ledger
	on     intent.State
	failed bool
}

func (l *failsOnce) Commit(ctx context.Context, c intent.Change) (intent.Row, error) {
	row, err := l.Ledger.Commit(ctx, c)
	if err == nil && !l.failed && row.State == l.on {
		l.failed = true
		return intent.Row{}, errSimDisk
	}
	return row, err
}

// Whoever sets the wall clock while a call waits for the provider takes nothing
// from the time in which it may look up what became of its send, and gives it
// none.
func TestSimFoundClockSetWhileWaiting(t *testing.T) {
	for name, jump := range map[string]time.Duration{"forward": 2 * time.Hour, "back": -2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				set := r.setClock()
				p := r.process("P1")
				r.fault("refunds.create", "accept_then_timeout", 1, 0)
				p.at = func(point intent.Point) {
					if point == intent.PointSent {
						set(jump)
					}
				}
				began := time.Now()
				want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
				r.wantEffects("refund", 1)
				if took := time.Since(began); took > answerWithin {
					t.Errorf("answered after %v", took)
				}
			})
		})
	}
}

// A wall clock that is set forward ends nobody's turn: the call that is at work
// is joined, and no person is told that it is unknown.
func TestSimFoundClockSetWhileAnotherWaits(t *testing.T) {
	bubble(t, func(r *rig) {
		set := r.setClock()
		sender, other := r.process("P1"), r.process("P2")
		goOn, answer := r.stopAt(sender, intent.PointClaimed)
		set(time.Hour)
		joined := make(chan intent.Result)
		go func() { joined <- other.do(nil) }()
		r.sweep(other)
		r.later(time.Second)
		set(0)
		close(goOn)
		want(t, <-answer, intent.Performed, "", intent.RetryNotNeeded)
		want(t, <-joined, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 0)
	})
}

// A record that did not fit says of an effect, and is read after another process
// has answered that there is none: a person is told.
func TestSimFoundSpilledEffectMeetsAnAnswer(t *testing.T) {
	bubble(t, func(r *rig) {
		sender := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 8*time.Second)
		goOn, answer := r.stopAt(sender, intent.PointSettled)
		r.later(time.Minute)
		other := r.process("P2")
		r.ledger.FailCommits(-1, intent.ErrReadOnly)
		r.sweep(other)
		r.ledger.FailCommits(0, nil)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.ledger.Replay()
		last := r.process("P3")
		want(t, last.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.sweep(last)
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 1)
	})
}

// A ledger that cannot be written can be read: what somebody else has settled
// meanwhile is not called unknown.
func TestSimFoundUnwritableRowIsReadAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		sender, sweeper := r.process("P1"), r.process("P2")
		r.faultOnce("refunds.create", "accept_then_timeout")
		goOn, answer := r.stopAt(sender, intent.PointSettled)
		r.later(2 * time.Minute)
		r.fault("refunds.list", "down", 0, 0)
		sweeper.at = func(point intent.Point) {
			if point == intent.PointSweepSettled {
				close(goOn)
				want(t, <-answer, intent.Performed, "", intent.RetryNotNeeded)
				r.ledger.FailCommits(-1, intent.ErrReadOnly)
			}
		}
		r.sweep(sweeper)
		r.ledger.FailCommits(0, nil)
		if n := len(r.ledger.Spilled()); n != 0 {
			t.Errorf("%d changes are spilled over a refund that is recorded", n)
		}
		r.wantEffects("escalation", 0)
	})
}

// An effect of a lost ledger that came to nothing is older than what this ledger
// has sent, and says nothing of it until that would have shown.
func TestSimFoundOlderFailureLeavesTheSendOpen(t *testing.T) {
	s := &scripted{
		caps:    intent.Capabilities{Lookup: intent.LookupDelayed, LookupDelay: 2 * time.Hour, LandsWithin: 30 * time.Second},
		answers: []intent.Answer{lost}, found: []intent.Finding{intent.Absent{}},
	}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
		failed := intent.Effect{ID: "RE-1", Status: "failed", Final: true, Undone: true, At: time.Now()}
		<-time.After(time.Hour)
		act := func() intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		want(t, act(), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		s.found = []intent.Finding{intent.Found{Effect: failed}}
		want(t, act(), intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		<-time.After(3 * time.Hour)
		want(t, act(), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
	}, s)
}

// What a call has seen at the authority is not forgotten because another one has
// written its row meanwhile, and nobody can look again.
func TestSimFoundSeenAndWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{
			caps: strong, answers: []intent.Answer{lost},
			found: []intent.Finding{intent.Found{Effect: made}, intent.Absent{}, intent.Absent{}, intent.LookupFailed{}},
		}
		ledger := ledgertest.NewMemory("test")
		engine := func(owner string, at func(intent.Point)) *intent.Engine {
			e, err := intent.New(intent.Options{
				Ledger: ledger.Process(owner), Operations: []intent.Operation{act{class: intent.ClassIrreversible, steps: []intent.Step{s}}},
				Now: time.Now, NewID: func() string { return owner }, At: at, ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
			})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		act := func(e *intent.Engine) intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		seeing := engine("P1", func(point intent.Point) {
			if point == intent.PointLookedUp && len(s.sends) == 0 {
				want(t, act(engine("P2", nil)), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
			}
		})
		want(t, act(seeing), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
	})
}

// Leave to repeat is for one effect: where the provider shows another one than a
// person named, it is not for that one.
func TestSimFoundLeaveForAnotherEffect(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		r.faultOnce("refunds.create", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		key := r.key(p.do(map[string]any{"amount_cents": 1000}))
		p.at = nil
		if _, err := p.Resolve(r.ctx, key, lead, "re_typo"); err != nil {
			t.Fatal(err)
		}
		if _, err := p.AllowRepeat(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		made := p.do(map[string]any{"amount_cents": 1000}).RefundID
		again := map[string]any{"amount_cents": 1000, "again_after": made, "expected_refunded_cents": 1000}
		want(t, p.do(again), intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
		r.wantEffects("refund", 1)
	})
}

// A key that was old when the wall clock was set back does not grow young because
// its row is written once more.
func TestSimFoundKeyOfASetBackClock(t *testing.T) {
	bubble(t, func(r *rig) {
		set := r.setClock()
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(25 * time.Hour)
		set(-30 * time.Hour)
		for range 3 {
			if answer := p.do(nil); answer.Outcome == intent.Performed {
				t.Errorf("%s: under a key of 25 h", answer.Verdict)
			}
		}
		if row := r.rows()[0]; row.Sends != 1 {
			t.Errorf("sent %d times", row.Sends)
		}
	})
}
