package intent_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// A refusal rests on what was read before: where the very act has been done
// meanwhile, it is the answer, and not that nothing was sent.
func TestMutantRefusedOnWhatHasGone(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		looked, goOn := make(chan struct{}), make(chan struct{})
		stop := sync.OnceFunc(func() { close(looked); <-goOn })
		p1.at = func(point intent.Point) {
			if point == intent.PointLookedUp {
				stop()
			}
		}
		half := map[string]any{"amount_cents": 5000}
		answer := make(chan intent.Result)
		go func() { answer <- p1.do(half) }()
		<-looked // P1 has read that nothing is refunded, and found nothing
		first := p2.do(half)
		want(t, first, intent.Performed, "", intent.RetryNotNeeded)
		want(t, p2.do(map[string]any{"amount_cents": 4000, "expected_refunded_cents": 5000}), intent.Performed, "", intent.RetryNotNeeded)
		close(goOn)
		got := <-answer
		want(t, got, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if got.RefundID != first.RefundID {
			t.Errorf("refund %s, want %s", got.RefundID, first.RefundID)
		}
	})
}

// A ledger that cannot be written for a moment is written a moment later: the
// answer does not say that it is not recorded.
func TestMutantRecordIsTriedAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		p.at = func(point intent.Point) {
			if point == intent.PointSettled {
				r.ledger.FailCommits(3, errors.New("another writer holds the ledger"))
			}
		}
		got := p.do(nil)
		want(t, got, intent.Performed, "", intent.RetryNotNeeded)
		if got.Recorded != nil || len(r.ledger.Spilled()) != 0 {
			t.Errorf("recorded %v with %d changes spilled, want it in the ledger", got.Recorded, len(r.ledger.Spilled()))
		}
		if row := r.rows()[0]; row.State != intent.StatePerformed {
			t.Errorf("the row is %s, want performed", row.State)
		}
	})
}

// A refusal for good is recorded while a sweeper is about to record that nothing
// is there: that is no leave to ask again.
func TestMutantAbsenceOverARefusal(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p3 := r.process("P1"), r.process("P3")
		r.faultOnce("refunds.create", "reject")
		goOn, answer := r.stopAt(p1, intent.PointSettled)
		r.later(time.Minute) // P1's claim has outlived its budget
		looked, record := make(chan struct{}), make(chan struct{})
		p3.at = func(point intent.Point) {
			if point == intent.PointSweepSettled {
				close(looked)
				<-record
			}
		}
		swept := make(chan struct{})
		go func() { defer close(swept); r.sweep(p3) }()
		<-looked
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		close(record)
		<-swept
		want(t, r.process("P2").do(nil), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		r.wantEffects("refund", 0)
	})
}

// A sweeper that is stopped in the middle of a lookup has not seen anything:
// nobody is told that the authority cannot be asked.
func TestMutantStoppedSweeperSaysNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.ledger.Kill("P1")
		r.later(5 * time.Minute) // longer than the sweeper has patience
		r.fault("refunds.list", "slow", 0, 4*time.Second)
		ctx, stop := context.WithCancel(r.ctx)
		time.AfterFunc(time.Second, stop)
		if _, err := p2.Sweep(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if row := r.rows()[0]; row.State != intent.StateInFlight {
			t.Errorf("the row is %s (%s), want in_flight", row.State, row.Reason)
		}
		r.wantEffects("escalation", 0)
		r.clearFaults()
		close(wake)
		<-answer
	})
}

// counter is an operation that is to act once in all: it reads at the authority
// how often it has. The reading of the first call is slow.
type counter struct {
	act

	made *int   // effects, as the authority counts them
	slow func() // between the reading and its end
}

func (c counter) Read(ctx context.Context, args intent.Arguments) intent.Reading {
	reading, _ := c.act.Read(ctx, args).(intent.Readable)
	reading.Scope, reading.World = string(args), *c.made
	if string(args) == `{"n":1}` {
		c.slow()
	}
	return reading
}

func (c counter) Judge(r intent.Readable, _ intent.View) intent.Judgement {
	if n, _ := r.World.(int); n > 0 {
		return intent.Refusal{Reason: intent.ReasonCapReached}
	}
	return intent.Allowed{}
}

// What is claimed rests on all that was written since the reading began, and not
// since it ended.
func TestMutantWrittenWhileItWasRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s := &counting{scripted: scripted{caps: strong, found: []intent.Finding{intent.Absent{}}}, n: &n}
		began, goOn := make(chan struct{}), make(chan struct{})
		slow := sync.OnceFunc(func() { close(began); <-goOn })
		e := engineOf(t, counter{act{class: intent.ClassIrreversible, steps: []intent.Step{s}}, &n, slow})
		answer := make(chan intent.Result)
		go func() { answer <- e.Do(t.Context(), "act", intent.Arguments(`{"n":1}`)) }()
		<-began
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{"n":2}`)), intent.Performed, "", intent.RetryNotNeeded)
		close(goOn)
		want(t, <-answer, intent.NotPerformed, intent.ReasonCapReached, intent.RetryNever)
		if n != 1 {
			t.Errorf("%d effects, want 1", n)
		}
	})
}

// counting makes one effect a send.
type counting struct {
	scripted

	n *int
}

func (c *counting) Send(context.Context, intent.Order) intent.Answer {
	*c.n++
	return intent.AnsweredPerformed{Effect: made}
}

// held is an authority that answers a send when it is let go.
type held struct {
	*scripted

	begun, goOn chan struct{}
}

func (h *held) Send(ctx context.Context, o intent.Order) intent.Answer {
	answer := h.scripted.Send(ctx, o)
	if _, ours := answer.(intent.AnsweredPerformed); ours {
		close(h.begun)
		<-h.goOn
	}
	return answer
}

// Who has seen an effect of other facts under the key, and comes to record it
// while another process is at the act, leaves the word to that one.
func TestSimFoundOtherFactsWhileSomebodyIsAtIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &held{&scripted{
			caps:    strong,
			answers: []intent.Answer{intent.AnsweredNotSent{}, intent.AnsweredPerformed{Effect: made}},
			found:   []intent.Finding{intent.Absent{}, intent.FoundOther{Effect: intent.Effect{ID: "BK-2", Final: true}}, intent.Absent{}},
		}, make(chan struct{}), make(chan struct{})}
		op := act{class: intent.ClassIrreversible, steps: []intent.Step{h}}
		ledger := ledgertest.NewMemory("test")
		p2 := engineOn(t, ledger.Process("P2"), op, nil)
		looked, record, first, second := make(chan struct{}), make(chan struct{}), make(chan intent.Result), make(chan intent.Result)
		p1 := engineOn(t, ledger.Process("P1"), op, func(point intent.Point) {
			if point == intent.PointLookedUp {
				close(looked)
				<-record
			}
		})
		do := func(e *intent.Engine) intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		want(t, do(p2), intent.NotPerformed, intent.ReasonNotSent, intent.RetryWait)
		go func() { first <- do(p1) }()
		<-looked
		go func() { second <- do(p2) }()
		<-h.begun
		close(record)
		want(t, <-first, intent.Unknown, intent.ReasonInFlight, intent.RetryNever)
		close(h.goOn)
		want(t, <-second, intent.Performed, "", intent.RetryNotNeeded)
		rows, err := ledger.Process("reader").List(t.Context(), 9)
		if err != nil {
			t.Fatal(err)
		}
		attempts, err := ledger.Process("reader").Attempts(t.Context(), rows[0].Key)
		if err != nil || len(attempts) != 2 || attempts[1].Answer != "performed" {
			t.Errorf("attempts %+v, %v; want the two that were made", attempts, err)
		}
	})
}
