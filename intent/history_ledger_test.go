package intent_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"counterfoil/intent"
)

// Each test is a row of the histories that must not go wrong: several processes, and
// a ledger that is gone or cannot be written.

// 2: another reason and another spelling while the authority is down.
func TestHistoryOtherSpellingWhileDown(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		first := p.do(nil)
		for _, op := range []string{"orders.get", "tickets.get", "refunds.list"} {
			r.fault(op, "down", 0, 0)
		}
		for _, changes := range []map[string]any{
			{"reason": "cracked"}, {"order_id": " #su-88421"}, {"ticket_id": "t-4127", "item_id": "shelf-oak-4"}, {"units": []int{1}},
		} {
			again := p.do(changes)
			want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
			if again.RefundID != first.RefundID {
				t.Errorf("refund %s, want %s", again.RefundID, first.RefundID)
			}
		}
		want(t, p.do(map[string]any{"item_id": "HOOK-OAK-2", "amount_cents": 2600}), intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
	})
}

// 4: P1 reads and pauses, P2 refunds, P1 claims on what it read.
func TestHistoryStaleReadingIsReadAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		paused, goOn := make(chan struct{}), make(chan struct{})
		once := true
		p1.at = func(point intent.Point) {
			if point == intent.PointBeforeClaim && once {
				once = false
				close(paused)
				<-goOn
			}
		}
		answer := make(chan intent.Result)
		go func() { answer <- p1.do(map[string]any{"amount_cents": 5000}) }()
		<-paused
		want(t, p2.do(map[string]any{"amount_cents": 4000}), intent.Performed, "", intent.RetryNotNeeded)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		r.wantEffects("refund", 1)
	})
}

// 19: a crash between recording unknown and telling the desk.
func TestHistoryOutboxSurvivesACrash(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		r.faultOnce("refunds.create", "accept_then_timeout")
		p1.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
			if point == intent.PointBeforeTell {
				runtime.Goexit()
			}
		}
		r.crash(p1, nil)
		r.wantEffects("escalation", 0)
		p2 := r.process("P2")
		r.sweep(p2)
		r.wantEffects("escalation", 1)
	})
}

// 20 and 39: the ledger is lost; the intent is looked for before every claim.
func TestHistoryLostLedger(t *testing.T) {
	bubble(t, func(r *rig) {
		first := r.process("P1").do(nil)
		r.loseLedger()
		again := r.process("P2").do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID || again.Evidence != intent.EvidenceLookup || again.Attempts != 0 {
			t.Errorf("got %+v, want %s by provider_lookup after 0 attempts", again, first.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}

// 39: the effect is there, and no list shows it yet; the key still meets it.
func TestHistoryLostLedgerWhileListsLag(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fault("refunds.create", "lag", 1, time.Hour)
		first := r.process("P1").do(nil)
		r.loseLedger()
		again := r.process("P2").do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.RefundID != first.RefundID {
			t.Errorf("refund %s, want %s", again.RefundID, first.RefundID)
		}
		r.wantEffects("refund", 1)
	})
}

// 22: two desktops, two ledgers, one account.
func TestHistoryTwoLedgersOneAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.process("A")
		r.fault("refunds.create", "land_late", 1, 10*time.Second)
		want(t, a.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.loseLedger()
		b := r.process("B")
		r.later(10 * time.Second)
		other := b.do(map[string]any{"ticket_id": "T-4201", "amount_cents": 5000})
		want(t, other, intent.NotPerformed, intent.ReasonExceedsPaid, intent.RetryFix)
		r.wantEffects("refund", 1)
	})
}

// 23: P1 claims, its machine sleeps over the weekend, P2 settles, P1 wakes.
func TestHistorySleepingSender(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(64 * time.Hour)
		r.sweep(p2)
		before := r.wire.posts.Load()
		close(wake)
		got := <-answer
		if sent := r.wire.posts.Load() - before; sent != 0 {
			t.Errorf("%d requests left after the sleep, want none", sent)
		}
		if got.Outcome == intent.Performed {
			t.Errorf("got %+v, want no claim of having acted", got)
		}
		r.wantEffects("refund", 0)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// 26: a line of two units, both cracked.
func TestHistoryTwoUnitsOfOneLine(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		rug := func(more map[string]any) map[string]any {
			args := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "RUG-JUTE-2", "amount_cents": 4000}
			for k, v := range more {
				args[k] = v
			}
			return args
		}
		want(t, p.do(rug(nil)), intent.NotPerformed, intent.ReasonInvalidArguments, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{3}})), intent.NotPerformed, intent.ReasonInvalidArguments, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{1}})), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(rug(map[string]any{"units": []int{2}})), intent.NotPerformed, intent.ReasonAcknowledge, intent.RetryFix)
		want(t, p.do(rug(map[string]any{"units": []int{2}, "expected_refunded_cents": 4000})), intent.Performed, "", intent.RetryNotNeeded)
		want(t, p.do(rug(map[string]any{"units": []int{1}})), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 2)
	})
}

// 32: P1 is killed in mid-send; the client starts P2 and asks again.
func TestHistoryDeadOwnerIsLookedUp(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		p1.at = func(point intent.Point) {
			if point == intent.PointSent {
				runtime.Goexit()
			}
		}
		r.crash(p1, nil)
		answer := r.process("P2").do(nil)
		want(t, answer, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if answer.Attempts != 1 {
			t.Errorf("%d attempts, want 1", answer.Attempts)
		}
		r.wantEffects("refund", 1)
		r.wantEffects("escalation", 0)
	})
}

// 33: a read ends just before the exit deadline: nothing is claimed any more.
func TestHistoryNothingIsClaimedWhileLeaving(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointLookedUp {
				p.Leave(0, 3*time.Second)
			}
		}
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonCancelled, intent.RetryWait)
		r.wantEffects("refund", 0)
		if rows := r.rows(); len(rows) != 0 {
			t.Errorf("rows %+v, want none", rows)
		}
		r.later(3 * time.Second)
	})
}

// 34: the provider said 200, the disk is full.
func TestHistoryRecordDoesNotFit(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointSettled {
				r.ledger.FailCommits(-1, errors.Join(intent.ErrReadOnly, errors.New("disk full")))
			}
		}
		answer := p.do(nil)
		want(t, answer, intent.Performed, "", intent.RetryNotNeeded)
		if answer.Recorded == nil || *answer.Recorded {
			t.Errorf("recorded %v, want false", answer.Recorded)
		}
		p.at = nil
		r.ledger.FailCommits(0, nil)
		want(t, p.do(nil), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// The ledger cannot be written: refused before anything is sent.
func TestHistoryLedgerRefusesTheClaim(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.ledger.FailCommits(1, intent.ErrReadOnly)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonLedger, intent.RetryWait)
		r.wantEffects("refund", 0)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
	})
}
