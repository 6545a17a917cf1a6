package intent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// unsure is a ledger that makes a commit and answers it with an error, once,
// where a test says so; meanwhile others may go on.
type unsure struct {
	intent.Ledger

	hit       func(intent.Change) bool
	meanwhile func()
}

func (u *unsure) Commit(ctx context.Context, c intent.Change) (intent.Row, error) {
	row, err := u.Ledger.Commit(ctx, c)
	if err != nil || u.hit == nil || !u.hit(c) {
		return row, err
	}
	u.hit = nil
	u.meanwhile()
	return intent.Row{}, errors.New("disk I/O error")
}

// The repeat within a call has been claimed, whatever the disk said: it is sent,
// and not left to the sweeper behind an answer that nothing happened.
func TestSimFoundRepeatThatWasClaimedAllTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{caps: strong, answers: []intent.Answer{lost, intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.Absent{}}}
		ledger := &unsure{Ledger: ledgertest.NewMemory("test").Process("P1"), meanwhile: func() {}}
		ledger.hit = func(c intent.Change) bool { return c.Row.State == intent.StateInFlight && c.Row.Sends == 2 }
		e := engineOn(t, ledger, act{class: intent.ClassReversible, steps: []intent.Step{s}}, nil)
		want(t, e.Do(t.Context(), "act", intent.Arguments(`{}`)), intent.Performed, "", intent.RetryNotNeeded)
		if ledger.hit != nil || len(s.sends) != 2 {
			t.Errorf("%d sends, error given %v; want 2, true", len(s.sends), ledger.hit == nil)
		}
	})
}

// A record that nothing left has been made, whatever the disk said, and another
// process has claimed since: that one's send is not taken back for the first.
func TestSimFoundRecordThatWasMadeIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &held{&scripted{
			caps:    strong,
			answers: []intent.Answer{intent.AnsweredNotSent{}, intent.AnsweredPerformed{Effect: made}},
			found:   []intent.Finding{intent.Absent{}},
		}, make(chan struct{}), make(chan struct{})}
		op, memory := act{class: intent.ClassIrreversible, steps: []intent.Step{h}}, ledgertest.NewMemory("test")
		do := func(e *intent.Engine) intent.Result { return e.Do(t.Context(), "act", intent.Arguments(`{}`)) }
		second := make(chan intent.Result)
		ledger := &unsure{Ledger: memory.Process("P1"), meanwhile: func() {
			go func() { second <- do(engineOn(t, memory.Process("P2"), op, nil)) }()
			<-h.begun
		}}
		ledger.hit = func(c intent.Change) bool { return c.Row.State == intent.StateNotPerformed }
		first := do(engineOn(t, ledger, op, nil))
		if first.Outcome == intent.Performed {
			t.Errorf("first: %s", first.Verdict)
		}
		rows, err := memory.Process("reader").List(t.Context(), 9)
		if err != nil || rows[0].State != intent.StateInFlight || rows[0].Sends != 1 {
			t.Errorf("%v: %s with %d sends; want in_flight with one", err, rows[0].State, rows[0].Sends)
		}
		close(h.goOn)
		want(t, <-second, intent.Performed, "", intent.RetryNotNeeded)
		attempts, err := memory.Process("reader").Attempts(t.Context(), rows[0].Key)
		if err != nil || len(attempts) != 2 {
			t.Errorf("%d attempts, %v; want 2", len(attempts), err)
		}
	})
}
