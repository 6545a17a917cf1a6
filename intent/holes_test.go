package intent_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// books is an authority that deduplicates on the provider key for ever, lands
// what it accepted after a delay, and shows it after another one.
type books struct {
	mu      sync.Mutex
	caps    intent.Capabilities
	script  []func(o intent.Order) (lands time.Duration, act bool, answer intent.Answer)
	lag     time.Duration
	effects map[string]time.Time // provider key -> landing
	n       int
}

func (b *books) Provider() string                               { return "books" }
func (b *books) Capabilities() intent.Capabilities              { return b.caps }
func (b *books) Request(_ intent.Key, p []byte) ([]byte, error) { return p, nil }
func (b *books) count() int                                     { b.mu.Lock(); defer b.mu.Unlock(); return len(b.effects) }

func (b *books) Lookup(context.Context, intent.Subject) intent.Finding {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range b.effects {
		if !time.Now().Before(at.Add(b.lag)) {
			return intent.Found{Effect: intent.Effect{ID: "E-1", Status: "done", Final: true, At: at}}
		}
	}
	return intent.Absent{}
}

func (b *books) Send(_ context.Context, o intent.Order) intent.Answer {
	b.mu.Lock()
	i := min(b.n, len(b.script)-1)
	b.n++
	f := b.script[i]
	b.mu.Unlock()
	lands, act, answer := f(o)
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, there := b.effects[o.Key]; there {
		return intent.AnsweredPerformed{Effect: intent.Effect{ID: "E-1", Status: "done", Final: true, At: at}, Replayed: true}
	}
	if act {
		b.effects[o.Key] = time.Now().Add(lands)
	}
	return answer
}

func okNow(intent.Order) (time.Duration, bool, intent.Answer) {
	return 0, true, intent.AnsweredPerformed{Effect: intent.Effect{ID: "E-2", Status: "done", Final: true, At: time.Now()}}
}

func enginesOn(t *testing.T, class intent.Class, b *books, names ...string) (*ledgertest.Memory, []*intent.Engine) {
	b.effects = map[string]time.Time{}
	ledger := ledgertest.NewMemory("test")
	var es []*intent.Engine
	n := 0
	for _, name := range names {
		e, err := intent.New(intent.Options{
			Ledger: ledger.Process(name), Operations: []intent.Operation{act{class: class, steps: []intent.Step{b}}}, Now: time.Now,
			NewID: func() string { n++; return name + string(rune('a'+n)) }, ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
		})
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return ledger, es
}

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

func (r *rig) watchedThenAwaiting(p *process, sofa map[string]any) intent.Result {
	r.policy.Store(&policyWide)
	r.faultOnce("refunds.create", "timeout_before_accept")
	want(r.t, p.do(sofa), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
	r.later(40 * time.Second)
	r.sweep(p) // the first attempt is ruled out
	r.policy.Store(&policyNarrow)
	waits := p.do(sofa)
	want(r.t, waits, intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
	return waits
}

// E: a decline of an intent that is still on watch is undone by the sweeper.
func TestHoleE_DeclineLostBySweep(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		waits := r.watchedThenAwaiting(p, sofa)
		if _, err := p.Decline(r.ctx, r.key(waits), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.later(6 * time.Second)
		r.sweep(p)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.policy.Store(&policyWide)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// F: declined, re-opened, declined again.
func TestHoleF_SecondDeclineDoesNotStick(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 42000}
		r.policy.Store(&policyNarrow)
		key := r.key(p.do(sofa))
		for _, f := range []func(context.Context, intent.Key, intent.Person) (intent.Row, error){p.Decline, p.Reopen} {
			if _, err := f(r.ctx, key, lead); err != nil {
				t.Fatal(err)
			}
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonApproval, intent.RetryNever)
		if _, err := p.Decline(r.ctx, key, lead); err != nil {
			t.Fatal(err)
		}
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.policy.Store(&policyWide)
		want(t, p.do(sofa), intent.NotPerformed, intent.ReasonDeclined, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// G: a release outlives the send that it was given for.
func TestHoleG_ReleaseOutlivesItsSend(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		half := map[string]any{"amount_cents": 5000}
		r.fault("refunds.create", "timeout_before_accept", 1, 0)
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		first := p.do(half)
		want(t, first, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
		p.at = nil
		if _, err := p.Release(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		r.later(time.Minute)
		r.sweep(p) // settled: absent, nothing can land any more
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		second := p.do(half)
		t.Log(second.Outcome, second.Reason)
		shaved := p.do(map[string]any{"amount_cents": 4999})
		want(t, shaved, intent.NotPerformed, intent.ReasonBlockedByOpen, shaved.Retry)
		r.later(time.Minute)
		r.wantEffects("refund", 1)
	})
}

// H: no deduplication, no lookup: a person's "not performed" opens nothing.
func TestHoleH_PersonsWordOpensNothing(t *testing.T) {
	s := &scripted{caps: intent.Capabilities{}, answers: []intent.Answer{lost, intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.LookupUnsupported{}}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, l *ledgertest.Memory) {
		first := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		key, _ := intent.ParseKey(first.IntentKey)
		if _, err := e.Resolve(t.Context(), key, intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		row, _, _ := l.Find(t.Context(), key)
		t.Logf("row %s %s, repeat gets %s", row.State, row.Retry, intent.RepeatGets(row))
		if got.Outcome != intent.Performed {
			t.Errorf("got %s %s by %q, escalation %+v: %s", got.Outcome, got.Reason, got.Evidence, got.Escalation, got.Note)
		}
	}, s)
}

// H2: no lookup: a transient refusal, then the repeat that it invites.
func TestHoleH2_TransientRefusalWithoutLookup(t *testing.T) {
	s := &scripted{caps: intent.Capabilities{}, answers: []intent.Answer{intent.AnsweredRefused{}, intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.LookupUnsupported{}}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
		t.Log(e.Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		if got.Outcome != intent.Performed {
			t.Errorf("got %s %s by %q, escalation %+v: %s", got.Outcome, got.Reason, got.Evidence, got.Escalation, got.Verdict)
		}
	}, s)
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

// J: a scope released while the send is under way; its definite answer is lost.
func TestHoleJ_ReleaseInFlightLosesRefusal(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "reject")
		p.at = func(point intent.Point) {
			if point == intent.PointSettled {
				if _, err := p.Release(r.ctx, r.rows()[0].Key, intent.Person{Name: "lead"}); err != nil {
					t.Error(err)
				}
			}
		}
		got := p.do(nil)
		p.at = nil
		want(t, got, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// K: the sleeper provably sent nothing, and reads performed.
func TestHoleK_SleeperReadsPerformed(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(2 * time.Minute)
		p2.do(nil)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		close(wake)
		got := <-answer
		want(t, got, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if got.Attempts != 1 {
			t.Errorf("attempts %d, want 1: only one send may have reached the provider", got.Attempts)
		}
	})
}

// L: a panic after the send: the effect is of this very call.
func TestHoleL_PanicReadsAlready(t *testing.T) {
	for _, at := range []intent.Point{intent.PointSent, intent.PointRecorded} {
		t.Run(string(at), func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				p.at = func(point intent.Point) {
					if point == at {
						p.at = nil
						panic("ours")
					}
				}
				want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
			})
		})
	}
}

// M: a handoff that the desk has and the ledger could not record.
func TestHoleM_HandoffUnrecorded(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointTold {
				r.ledger.FailCommits(1, errors.Join(intent.ErrReadOnly, errors.New("disk full")))
			}
		}
		got := p.handoff("safety")
		r.wantEffects("escalation", 1)
		if got.Outcome != intent.Performed || got.Recorded == nil {
			t.Errorf("%s %s, escalation %+v, recorded %v: %s", got.Outcome, got.Reason, got.Escalation, got.Recorded, got.Note)
		}
	})
}

// M2: a handoff whose send may have arrived counts as no attempt.
func TestHoleM2_HandoffAttempts(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("escalations.create", "accept_then_timeout", 1, 0)
		r.fault("escalations.list", "down", 0, 0)
		got := p.handoff("safety")
		t.Logf("%s %s attempts %d: %s", got.Outcome, got.Reason, got.Attempts, got.Note)
		if got.Attempts != 1 {
			t.Errorf("attempts %d, want 1", got.Attempts)
		}
	})
}

// N: the ledger is lost after a deliberate repeat was performed.
func TestHoleN_LostLedgerAgainAfter(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		book := map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2026-04-01"}
		first := p.call("book_pickup", book)
		want(t, p.call("cancel_pickup", map[string]any{"ticket_id": "T-4127", "booking_id": first.BookingID}), intent.Performed, "", intent.RetryNotNeeded)
		book["again_after"] = first.BookingID
		second := p.call("book_pickup", book)
		want(t, second, intent.Performed, "", intent.RetryNotNeeded)
		r.loseLedger()
		want(t, r.process("P2").call("book_pickup", book), intent.AlreadyPerformed, "", intent.RetryNotNeeded)
	})
}

// O: unknown, resolved, asked again, unknown again: nobody hears of the second.
func TestHoleO_SecondUnknownIsNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		for i := range 2 {
			r.faultOnce("refunds.create", "timeout_before_accept")
			p.at = func(point intent.Point) {
				if point == intent.PointClaimed {
					r.fault("refunds.list", "down", 0, 0)
				}
			}
			got := p.do(nil)
			p.at = nil
			want(t, got, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
			t.Log(got.Note)
			r.clearFaults()
			if i == 0 {
				if _, err := p.Resolve(r.ctx, r.key(got), intent.Person{Name: "lead"}, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.wantEffects("escalation", 2)
	})
}

// P: approved; the sweeper finds other figures; nobody hears that it waits again.
func TestHoleP_ShownAgainIsNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p1 := r.process("P1")
		sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 20000}
		first := p1.do(sofa)
		p1.at = func(point intent.Point) {
			if point == intent.PointRecognised {
				runtime.Goexit()
			}
		}
		done := make(chan struct{})
		go func() { defer close(done); _, _ = p1.Approve(r.ctx, r.key(first), intent.Person{Name: "lead"}) }()
		<-done
		r.ledger.Kill("P1")
		r.refundByHand("SU-88510", "LAMP-BRASS-1", 4900)
		r.sweep(r.process("P2"))
		if row := r.rows()[0]; row.State != intent.StateAwaiting {
			t.Errorf("state %s", row.State)
		}
		r.wantEffects("escalation", 2)
	})
}

// Q: a later step that was not sent is never sent again, and nobody is told.
func TestHoleQ_StepIsForgotten(t *testing.T) {
	first := &scripted{caps: strong, answers: []intent.Answer{intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.Absent{}}}
	second := &scripted{caps: strong, found: []intent.Finding{intent.Absent{}}, answers: []intent.Answer{
		intent.AnsweredNotSent{}, intent.AnsweredPerformed{Effect: intent.Effect{ID: "TR-1", Status: "done", Final: true}},
	}}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, l *ledgertest.Memory) {
		e.Do(t.Context(), "act", intent.Arguments(`{}`))
		for range 20 {
			if _, err := e.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
		}
		rows, _ := l.List(t.Context(), 10)
		for _, row := range rows {
			if row.Step == 1 && row.State != intent.StatePerformed && len(l.Escalations()) == 0 {
				t.Errorf("step 2 is %s/%s/%s after 20 minutes and nobody was told", row.State, row.Reason, row.Retry)
			}
		}
	}, first, second)
}

// S: two calls adopt the same effect at once.
func TestHoleS_AdoptedTwice(t *testing.T) {
	bubble(t, func(r *rig) {
		r.process("P1").do(nil)
		r.loseLedger()
		p2 := r.process("P2")
		var mu sync.Mutex
		n, both := 0, make(chan struct{})
		p2.at = func(point intent.Point) {
			if point != intent.PointLookedUp {
				return
			}
			mu.Lock()
			n++
			if n == 2 {
				close(both)
			}
			mu.Unlock()
			<-both
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got := p2.do(nil); got.Recorded != nil {
					t.Errorf("recorded false, though it is recorded: %s", got.Note)
				}
			})
		}
		wg.Wait()
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

// V: our key with another amount: the cents beside the other effect's id.
func TestHoleV_MismatchShowsOurCents(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		id := r.refundUnder(r.keyOf(p, nil), "SU-88421", "SHELF-OAK-4", 1180)
		got := p.do(map[string]any{"expected_refunded_cents": 1180})
		if got.RefundID != id || got.Cents != 0 {
			t.Errorf("refund_id %s with cents %d, want %s without the cents that were asked for", got.RefundID, got.Cents, id)
		}
	})
}

// W: two effects of one intent are known to the engine, and nobody is told.
func TestHoleW_TwoEffectsAreNotTold(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		goOn, answer := r.stopAt(p1, intent.PointSettled)
		r.later(time.Minute)
		r.fault("refunds.list", "down", 0, 0)
		if _, err := p2.Resolve(r.ctx, r.rows()[0].Key, intent.Person{Name: "lead"}, "re_by_hand"); err != nil {
			t.Fatal(err)
		}
		r.clearFaults()
		close(goOn)
		got := <-answer
		t.Logf("%s %s", got.RefundID, got.Verdict)
		r.wantEffects("escalation", 1)
	})
}

// X: a person's "not performed" ends the watch; what lands then is never seen.
func TestHoleX_ResolveEndsTheWatch(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 20*time.Second)
		first := p.do(map[string]any{"amount_cents": 5000})
		want(t, first, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if _, err := p.Resolve(r.ctx, r.key(first), intent.Person{Name: "lead"}, ""); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			r.later(time.Minute)
			r.sweep(p)
		}
		r.wantEffects("refund", 1)
		if row := r.rows()[0]; row.State != intent.StatePerformed || len(r.ledger.Escalations()) == 0 {
			t.Errorf("the row reads %s after 20 minutes, %d told; the refund exists", row.State, len(r.ledger.Escalations()))
		}
	})
}

// Y: late landing tells a person what was said to the buyer since.
func TestHoleY_LateLandingTellsWhatWasSaid(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "land_late", 1, 15*time.Second)
		p.do(nil)
		p.call("reply_to_buyer", map[string]any{"ticket_id": "T-4127", "text": "No refund could be made."})
		r.later(20 * time.Second)
		r.sweep(p)
		for _, e := range r.ledger.Escalations() {
			if e.Cause == intent.CauseLateLanding && !strings.Contains(e.Summary, "No refund could be made") {
				t.Errorf("summary: %s", e.Summary)
			}
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

// Z: one commit does not fit; the provider has no lookup. The repeat contradicts what was said.
func TestHoleZ_SpilledThenUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{}
		ledger, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		b.script = append(b.script, func(o intent.Order) (time.Duration, bool, intent.Answer) {
			ledger.FailCommits(-1, errors.New("other writers hold the ledger"))
			return okNow(o)
		})
		first := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		ledger.FailCommits(0, nil)
		if first.Recorded == nil || *first.Recorded {
			t.Errorf("recorded %v, want false", first.Recorded)
		}
		b.effects = map[string]time.Time{} // the lookup shows nothing, ever
		b.caps.Lookup = intent.LookupNone
		second := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		if second.Outcome != intent.AlreadyPerformed {
			t.Errorf("the repeat reads %s %s: %s", second.Outcome, second.Reason, second.Verdict)
		}
	})
}
