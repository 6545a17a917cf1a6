package intent_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
)

// Interleavings that a review of the engine found: what lands late, and under which key.

// A: an ordinal advanced although its key still deduplicated; the ledger is lost.
func TestHoleA_LostLedgerAfterAdvance(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "timeout_before_accept", 1, 0)
		r.fault("refunds.create", "land_late", 1, 25*time.Second)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(40 * time.Second)
		r.sweep(p)
		want(t, p.do(nil), intent.Unknown, intent.ReasonExhausted, intent.RetryNever)
		r.loseLedger()
		t.Logf("after the loss: %s", r.process("P2").do(nil).Verdict)
		r.later(time.Minute)
		r.wantEffects("refund", 1)
	})
}

// B: delayed lookup: an absence seen at lands_within says nothing of what lands just before it.
func TestHoleB_DelayedLookupClosesTooEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{lag: 8 * time.Second}
		b.caps = intent.Capabilities{Dedupe: 24 * time.Hour, Lookup: intent.LookupDelayed, LookupDelay: 8 * time.Second, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(intent.Order) (time.Duration, bool, intent.Answer) { return 29 * time.Second, true, lost }, okNow)
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(23 * time.Second) // 31+ s after the send
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(time.Minute)
		if b.count() != 1 {
			t.Errorf("%d effects, want 1", b.count())
		}
	})
}

// B2: the same without deduplication: two sends that both act.
func TestHoleB2_DelayedLookupWithoutDedupe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{lag: 8 * time.Second}
		b.caps = intent.Capabilities{Lookup: intent.LookupDelayed, LookupDelay: 8 * time.Second, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(intent.Order) (time.Duration, bool, intent.Answer) { return 29 * time.Second, true, lost }, okNow)
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(23 * time.Second)
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(3 * time.Second)
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		if b.count() != 1 {
			t.Errorf("%d effects, want 1", b.count())
		}
	})
}

// C: a sender frozen past the gate; a later sender's end stands for both.
func TestHoleC_FrozenSenderForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{})
		b := &books{caps: strong}
		b.script = append(b.script,
			func(intent.Order) (time.Duration, bool, intent.Answer) { <-wake; return okNow(intent.Order{}) }, // P1, frozen between gate and socket
			func(intent.Order) (time.Duration, bool, intent.Answer) {
				return 0, false, intent.AnsweredRefused{RetryAfter: time.Second}
			}, // P2: 429
			okNow)
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1", "P2")
		done := make(chan intent.Result)
		go func() { done <- es[0].Do(context.Background(), "act", intent.Arguments(`{}`)) }()
		<-time.After(time.Minute)
		for range 3 {
			t.Log(es[1].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
			<-time.After(40 * time.Second)
		}
		close(wake)
		<-done
		if b.count() != 1 {
			t.Errorf("%d effects, want 1 (docs/DECISIONS: the sleeper's request bears the same provider key)", b.count())
		}
	})
}

// D: an absence that was looked up before a live claim settles that claim.
func TestHoleD_StaleAbsenceSettlesLiveClaim(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2, p3 := r.process("P1"), r.process("P2"), r.process("P3")
		p1.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				runtime.Goexit()
			}
		}
		r.crash(p1, nil)
		looked, record := make(chan struct{}), make(chan struct{})
		p3.at = func(point intent.Point) {
			if point == intent.PointSweepSettled {
				close(looked)
				<-record
			}
		}
		swept := make(chan struct{})
		go func() { defer close(swept); r.sweep(p3) }()
		<-looked // P3 has seen the orphan absent
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		sent, goOn := make(chan struct{}), make(chan struct{})
		p2.at = func(point intent.Point) {
			if point == intent.PointSent {
				close(sent)
				<-goOn
			}
		}
		answer := make(chan intent.Result)
		go func() { answer <- p2.Do(r.ctx, "issue_refund", refund(nil)) }()
		<-sent // the refund exists
		close(record)
		<-swept
		row := r.rows()[0]
		if row.State != intent.StateInFlight && row.State != intent.StatePerformed {
			t.Errorf("a live claim was settled as %s/%s by a lookup from before it", row.State, row.Reason)
		}
		close(goOn)
		t.Log((<-answer).Verdict)
		r.wantEffects("escalation", 0)
		for _, a := range r.attempts(row.Key.String()) {
			t.Logf("attempt %d %s (%s) %s", a.N, a.Answer, a.Detail, a.Settled)
		}
		if n := len(r.attempts(row.Key.String())); n != 2 {
			t.Errorf("%d attempts are recorded of 2 claims", n)
		}
	})
}

// I: not sent now, but an earlier send is still on watch.
func TestHoleI_NotSentWhileOnWatch(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 10*time.Second)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.later(4 * time.Second) // it lands meanwhile
				r.wire.down.Store(true)
			}
		}
		got := p.do(nil)
		p.at = nil
		r.wire.down.Store(false)
		t.Logf("%s %s attempts %d: %s", got.Outcome, got.Reason, got.Attempts, got.Verdict)
		n := len(r.effects("refund"))
		if got.Reason == intent.ReasonNotSent {
			t.Errorf("%q, while an earlier send of it is on watch and %d refund exists", got.Verdict, n)
		}
	})
}

// T: an answer of unknown that escalates nothing (key too old, sender alive).
func TestHoleT_UnknownWithoutEscalation(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(25 * time.Hour)
		p2.do(nil)
		got := p2.do(nil)
		want(t, got, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		if got.Escalation == nil {
			t.Errorf("no escalation: %s", got.Note)
		}
		r.later(24 * time.Hour)
		r.sweep(p2)
		sib := p2.do(map[string]any{"amount_cents": 100})
		t.Logf("a sibling: %s %s %s after %d s", sib.Outcome, sib.Reason, sib.Retry, sib.RetryAfterSeconds)
		r.wantEffects("escalation", 1)
		close(wake)
		<-answer
	})
}

// U: not_sent long ago starts the key's age; an honest repeat then reads unknown.
func TestHoleU_NotSentAgesTheKey(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.wire.down.Store(true)
			}
		}
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
		p.at = nil
		r.wire.down.Store(false)
		r.later(21 * time.Hour)
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		got := p.do(nil)
		want(t, got, intent.Performed, "", intent.RetryNotNeeded)
		if got.Outcome == intent.Unknown && got.Escalation == nil {
			t.Error("and no escalation")
		}
	})
}
