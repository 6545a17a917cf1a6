package intent_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// What opens the way to a further send, and what does not.

// A refusal that a person re-opened, and an effect that has come to nothing since:
// that is no leave to ask again.
func TestMutantReopenedAndUndone(t *testing.T) {
	undone := made
	undone.Status, undone.Undone = "failed", true
	s := &scripted{
		caps: strong, answers: []intent.Answer{intent.AnsweredRefused{Permanent: true}},
		found: []intent.Finding{intent.Absent{}, intent.Found{Effect: undone}},
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := engineOf(t, act{class: intent.ClassIrreversible, steps: []intent.Step{s}})
		do := func() intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		refused := do()
		want(t, refused, intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		key, err := intent.ParseKey(refused.IntentKey)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Reopen(t.Context(), key, intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			want(t, do(), intent.NotPerformed, intent.ReasonRefused, intent.RetryNever)
		}
		var notNow *intent.NotNowError
		if _, err := e.Reopen(t.Context(), key, intent.Person{Name: "lead"}); !errors.As(err, &notNow) {
			t.Errorf("what has come to nothing was re-opened (%v): a person has to allow a repeat", err)
		}
	})
}

// The bytes of a request are made once: whatever makes them would write others
// now.
func TestMutantRequestIsMadeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &restless{scripted: scripted{caps: strong, answers: []intent.Answer{lost, deduped}, found: []intent.Finding{intent.Absent{}}}}
		e := engineOf(t, act{class: intent.ClassIrreversible, steps: []intent.Step{s}})
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{}`)), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		e.Do(t.Context(), "act", intent.Arguments(`{}`))
		if len(s.sends) != 2 || string(s.sends[0].Request) != string(s.sends[1].Request) {
			t.Errorf("sent %+v, want the same bytes twice", s.sends)
		}
	})
}

// restless writes a request in other bytes each time.
type restless struct {
	scripted

	requests int
}

func (r *restless) Request(intent.Key, []byte) ([]byte, error) {
	r.requests++
	return fmt.Appendf(nil, "request %d", r.requests), nil
}

// A person allows a repeat of one act, not of another that names it.
func TestMutantRepeatOfAnotherAct(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		first := p.do(map[string]any{"amount_cents": 5000})
		if _, err := p.AllowRepeat(r.ctx, r.key(first), intent.Person{Name: "lead"}); err != nil {
			t.Fatal(err)
		}
		other := map[string]any{"amount_cents": 6000, "expected_refunded_cents": 5000, "again_after": first.RefundID}
		want(t, p.do(other), intent.NotPerformed, intent.ReasonRepeatNotAllowed, intent.RetryNever)
		r.wantEffects("refund", 1)
		other["amount_cents"] = 5000
		want(t, p.do(other), intent.Performed, "", intent.RetryNotNeeded)
	})
}

// A repeat of what is still pending is not allowed: either may come to pass.
func TestMutantRepeatOfWhatIsPending(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.fault("refunds.create", "pending_then_succeeded", 1, time.Minute)
		first := p.do(map[string]any{"amount_cents": 5000})
		var notNow *intent.NotNowError
		if _, err := p.AllowRepeat(r.ctx, r.key(first), intent.Person{Name: "lead"}); !errors.As(err, &notNow) {
			t.Errorf("got %v, want that it does not apply to a pending refund", err)
		}
		r.later(2 * time.Minute)
	})
}

// unknownRefund is a refund that did not reach the provider and could not be
// looked up.
func (r *rig) unknownRefund(p *process, changes map[string]any) intent.Key {
	r.t.Helper()
	r.faultOnce("refunds.create", "timeout_before_accept")
	p.at = func(point intent.Point) {
		if point == intent.PointClaimed {
			r.fault("refunds.list", "down", 0, 0)
		}
	}
	unknown := p.do(changes)
	want(r.t, unknown, intent.Unknown, intent.ReasonLookupDown, intent.RetryNever)
	p.at = nil
	return r.key(unknown)
}

// A person's word, and its correction: what they named by mistake is forgotten.
func TestMutantCorrectedWord(t *testing.T) {
	bubble(t, func(r *rig) {
		p, lead := r.process("P1"), intent.Person{Name: "lead"}
		key := r.unknownRefund(p, nil)
		if _, err := p.Resolve(r.ctx, key, lead, "re_typo"); err != nil {
			t.Fatal(err)
		}
		done := p.do(nil)
		want(t, done, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if done.RefundID != "re_typo" || done.Evidence != intent.EvidencePerson {
			t.Errorf("%s by %s, want what a person said, as such", done.RefundID, done.Evidence)
		}
		if _, err := p.Resolve(r.ctx, key, lead, ""); err != nil {
			t.Fatal(err)
		}
		r.fault("orders.get", "down", 0, 0) // so that the ledger alone answers
		answer := p.do(nil)
		want(t, answer, intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		if answer.RefundID != "" {
			t.Errorf("not performed, and %s is shown for it", answer.RefundID)
		}
	})
}

// The provider shows another effect than the one that a person named, while it
// could not be asked: what it shows counts for more, and they are told.
func TestMutantAnotherEffectThanNamed(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.process("P1")
		r.faultOnce("refunds.create", "accept_then_timeout")
		p.at = func(point intent.Point) {
			if point == intent.PointClaimed {
				r.fault("refunds.list", "down", 0, 0)
			}
		}
		unknown := p.do(nil)
		p.at = nil
		if _, err := p.Resolve(r.ctx, r.key(unknown), intent.Person{Name: "lead"}, "re_typo"); err != nil {
			t.Fatal(err)
		}
		if named := p.do(nil); named.RefundID != "re_typo" || named.Evidence != intent.EvidencePerson || named.ConfirmedAt != "" {
			t.Errorf("got %+v, want what the person said, unconfirmed", named)
		}
		r.clearFaults()
		r.wantEffects("escalation", 1)
		again := p.do(nil)
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if made := r.effects("refund")[0].ID; again.RefundID != made || again.Evidence != intent.EvidenceLookup {
			t.Errorf("got %s by %s, want %s", again.RefundID, again.Evidence, made)
		}
		r.wantEffects("escalation", 2)
	})
}

// The provider shows another effect than the one that was answered: the answer
// stays, does not rest on what was seen, and a person is told.
func TestMutantAnotherEffectThanAnswered(t *testing.T) {
	s := &scripted{
		caps: strong, answers: []intent.Answer{intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.Absent{}},
	}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, ledger *ledgertest.Memory) {
		act := func() intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		want(t, act(), intent.Performed, "", intent.RetryNotNeeded)
		other := made
		other.ID = "BK-9"
		s.found = []intent.Finding{intent.Found{Effect: other}}
		<-time.After(25 * time.Hour)
		again := act()
		want(t, again, intent.AlreadyPerformed, "", intent.RetryNotNeeded)
		if again.BookingID != made.ID || again.Evidence == intent.EvidenceLookup {
			t.Errorf("got %s by %s, want %s", again.BookingID, again.Evidence, made.ID)
		}
		if told := ledger.Escalations(); len(told) != 1 || told[0].Cause != intent.CauseSecondEffect {
			t.Errorf("told %+v, want of the second effect", told)
		}
	}, s)
}

// A sender that was alive when its act was settled, and has died since: its key
// is old, nothing can come of it, and a new one is used.
func TestMutantSenderThatDiedSince(t *testing.T) {
	bubble(t, func(r *rig) {
		p1, p2 := r.process("P1"), r.process("P2")
		wake, answer := r.stopAt(p1, intent.PointClaimed)
		r.later(2 * time.Minute)
		want(t, p2.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.ledger.Kill("P1")
		r.later(25 * time.Hour)
		want(t, p2.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		close(wake)
		<-answer
		r.wantEffects("refund", 1)
	})
}
