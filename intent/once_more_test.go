package intent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// The further sends of one act, and whose they are.

// hooked is an engine on scripted steps that calls at at each named point.
func hooked(t *testing.T, class intent.Class, at func(*intent.Engine, intent.Point), step intent.Step) *intent.Engine {
	t.Helper()
	var e *intent.Engine
	e, err := intent.New(intent.Options{
		Ledger: ledgertest.NewMemory("test").Process("P1"), Operations: []intent.Operation{act{class: class, steps: []intent.Step{step}}},
		Now: time.Now, NewID: func() string { return "claim" }, ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
		At: func(p intent.Point) { at(e, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A departing engine does not send a reversible act a second time.
func TestMutantLeavingBetweenTwoSends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{caps: strong, answers: []intent.Answer{lost}, found: []intent.Finding{intent.Absent{}}}
		e := hooked(t, intent.ClassReversible, func(e *intent.Engine, p intent.Point) {
			if p == intent.PointRecorded {
				e.Leave(0, time.Minute)
			}
		}, s)
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{}`)), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if len(s.sends) != 1 {
			t.Errorf("%d sends, want 1", len(s.sends))
		}
		<-time.After(time.Minute)
	})
}

// A person has released the scope while an act was sent, and another one is at
// work in it: the first is not sent a second time meanwhile.
func TestMutantSentAgainBesideAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{caps: strong}
		ledger, es := enginesOn(t, intent.ClassReversible, b, "P1", "P2")
		sent, goOn, answer := make(chan struct{}), make(chan struct{}), make(chan intent.Result)
		b.script = append(b.script,
			func(o intent.Order) (time.Duration, bool, intent.Answer) {
				if _, err := es[1].Release(t.Context(), o.Intent, intent.Person{Name: "lead"}); err != nil {
					t.Error(err)
				}
				go func() { answer <- es[1].Do(context.Background(), "act", intent.Arguments(`{"n":2}`)) }()
				<-sent
				return 0, false, lost
			},
			func(o intent.Order) (time.Duration, bool, intent.Answer) {
				close(sent)
				<-goOn
				return okNow(o)
			}, okNow)
		want(t, es[0].Do(t.Context(), "act", intent.Arguments(`{"n":1}`)), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		close(goOn)
		want(t, <-answer, intent.Performed, "", intent.RetryNotNeeded)
		if rows, err := ledger.List(t.Context(), 10); err != nil || len(rows) != 2 || b.count() != 1 {
			t.Errorf("%d effects of %d acts (%v), want 1 of 2", b.count(), len(rows), err)
		}
	})
}

// A sender that wakes up late ends its own claim, and not the one that another
// has made since: whose key is old then, and may still be sent.
func TestMutantEndOfAnothersClaim(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2, p3 := r.process("P1"), r.process("P2"), r.process("P3")
		wake1, answer1 := r.stopAt(p1, intent.PointClaimed)
		r.later(2 * time.Minute)
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(3 * time.Second)
		wake2, answer2 := r.stopAt(p2, intent.PointClaimed)
		close(wake1)
		<-answer1
		if row := r.rows()[0]; row.SenderDone {
			t.Errorf("the claim of %s reads as ended, and its sender lives", row.Owner)
		}
		r.later(25 * time.Hour)
		p3.do(nil)
		want(t, p3.do(nil), intent.Unknown, intent.ReasonExhausted, intent.RetryNever)
		close(wake2)
		<-answer2
		r.wantEffects("refund", 0)
	})
}

// A call that broke off after its send meets an effect that is older than its
// claim: an earlier call brought it.
func TestMutantOlderThanTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		older := made
		older.At = time.Now().Add(time.Second)
		s := &scripted{
			caps: strong, answers: []intent.Answer{lost, deduped},
			found: []intent.Finding{intent.Absent{}, intent.Absent{}, intent.Absent{}, intent.Found{Effect: older}},
		}
		sends := 0
		e := hooked(t, intent.ClassIrreversible, func(_ *intent.Engine, p intent.Point) {
			if p != intent.PointSent {
				return
			}
			if sends++; sends == 2 {
				panic("ours")
			}
		}, s)
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{}`)), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		<-time.After(5 * time.Second)
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{}`)), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
	})
}
