package intent_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// scripted is an authority of one step whose answers a test writes down. It
// keeps what it was sent.
type scripted struct {
	mu      sync.Mutex
	caps    intent.Capabilities
	answers []intent.Answer  // one a send; the last one stays
	found   []intent.Finding // one a lookup; the last one stays
	sends   []intent.Order
	lookups int
}

func (s *scripted) Provider() string                  { return "scripted" }
func (s *scripted) Capabilities() intent.Capabilities { return s.caps }

func (s *scripted) Request(_ intent.Key, payload []byte) ([]byte, error) { return payload, nil }

func (s *scripted) Send(_ context.Context, o intent.Order) intent.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sends = append(s.sends, o)
	return next(&s.answers)
}

func (s *scripted) Lookup(context.Context, intent.Subject) intent.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	return next(&s.found)
}

func next[T any](script *[]T) T {
	first := (*script)[0]
	if len(*script) > 1 {
		*script = (*script)[1:]
	}
	return first
}

// act is an operation over scripted steps.
type act struct {
	class intent.Class
	steps []intent.Step
}

func (a act) Tool() string              { return "act" }
func (a act) Class() intent.Class       { return a.class }
func (a act) Field() intent.EffectField { return intent.BookingID }
func (a act) Steps() []intent.Step      { return a.steps }

func (a act) Locate(args intent.Arguments) intent.Locator {
	return intent.Locator{Ticket: intent.Resource{Kind: "ticket", ID: "T-1"}, Given: []intent.Fact{{Name: "args", Value: string(args)}}}
}

func (a act) Read(_ context.Context, args intent.Arguments) intent.Reading {
	ticket := intent.Resource{Kind: "ticket", ID: "T-1"}
	facts := []intent.Fact{{Name: "args", Value: string(args)}}
	return intent.Readable{
		Facts: facts, Spelled: facts, Scope: "scope", Anchor: ticket, Resources: []intent.Resource{ticket},
		Ticket: "T-1", Payload: args,
	}
}

func (a act) Judge(intent.Readable, intent.View) intent.Judgement { return intent.Allowed{} }

func (a act) Describe(intent.Act) intent.Description {
	return intent.Description{Noun: "act", What: "act", Twice: "happen twice", Done: "Done.", Pending: "Pending.", Working: "We are on it."}
}

var (
	made    = intent.Effect{ID: "BK-1", Status: "booked", Final: true}
	strong  = intent.Capabilities{Dedupe: 24 * time.Hour, Lookup: intent.LookupReadAfterWrite, LandsWithin: 30 * time.Second}
	lost    = intent.AnsweredAmbiguous{Detail: "timeout"}
	deduped = intent.AnsweredPerformed{Effect: made, Replayed: true}
)

// scriptedEngine is an engine on one scripted operation, in simulated time.
func scriptedEngine(t *testing.T, class intent.Class, run func(t *testing.T, e *intent.Engine, ledger *ledgertest.Memory), steps ...*scripted) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		op := act{class: class}
		for _, s := range steps {
			op.steps = append(op.steps, s)
		}
		ledger := ledgertest.NewMemory("test")
		run(t, engineOn(t, ledger.Process("P1"), op, nil), ledger)
	})
}

// engineOn is an engine of one operation on a ledger; at, if it is given, learns
// of its points.
func engineOn(t *testing.T, ledger intent.Ledger, op intent.Operation, at func(intent.Point)) *intent.Engine {
	t.Helper()
	e, err := intent.New(intent.Options{
		Ledger: ledger, Operations: []intent.Operation{op}, Now: time.Now, At: at,
		NewID: uuid.NewString, ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What a lost answer comes to, by what the provider declares and shows.
func TestCapabilitiesDecide(t *testing.T) {
	weak := strong
	weak.Dedupe = 0
	short := strong
	short.Dedupe = 10 * time.Second
	unbounded := strong
	unbounded.LandsWithin = 0
	delayed := strong
	delayed.Lookup, delayed.LookupDelay = intent.LookupDelayed, 8*time.Second
	hours := delayed
	hours.LookupDelay = 3 * time.Hour
	absent := []intent.Finding{intent.Absent{}}
	tests := []struct {
		name    string
		class   intent.Class
		caps    intent.Capabilities
		found   []intent.Finding
		answers []intent.Answer
		outcome intent.Outcome
		reason  intent.Reason
		sends   int
	}{
		{"irreversible, absent", intent.ClassIrreversible, strong, absent, []intent.Answer{lost}, intent.NotPerformed, intent.ReasonAbsent, 1},
		{"irreversible, no class given", "", strong, absent, []intent.Answer{lost}, "", "", 0},
		{"reversible, absent, then made", intent.ClassReversible, strong, absent, []intent.Answer{lost, intent.AnsweredPerformed{Effect: made}}, intent.Performed, "", 2},
		{"reversible, absent, then deduplicated", intent.ClassReversible, strong, absent, []intent.Answer{lost, deduped}, intent.Performed, "", 2},
		{"reversible, lost twice", intent.ClassReversible, strong, absent, []intent.Answer{lost}, intent.NotPerformed, intent.ReasonAbsent, 2},
		{"reversible, no deduplication", intent.ClassReversible, weak, absent, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupWeak, 1},
		{"reversible, key kept too shortly", intent.ClassReversible, short, absent, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupWeak, 1},
		{"landing unbounded", intent.ClassReversible, unbounded, absent, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupWeak, 1},
		{"no lookup", intent.ClassReversible, intent.Capabilities{Dedupe: time.Hour}, []intent.Finding{intent.LookupUnsupported{}}, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupWeak, 1},
		{"lookup in time after its delay", intent.ClassIrreversible, delayed, absent, []intent.Answer{lost}, intent.NotPerformed, intent.ReasonAbsent, 1},
		{"lookup delayed by hours", intent.ClassIrreversible, hours, absent, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupWeak, 1},
		{"lookup down after the send", intent.ClassIrreversible, strong, []intent.Finding{intent.Absent{}, intent.LookupFailed{}}, []intent.Answer{lost}, intent.Unknown, intent.ReasonLookupDown, 1},
		{"lookup down before the claim", intent.ClassIrreversible, strong, []intent.Finding{intent.LookupFailed{}}, []intent.Answer{lost}, intent.NotPerformed, intent.ReasonUnreachable, 0},
		{"found after the send", intent.ClassIrreversible, strong, []intent.Finding{intent.Absent{}, intent.Found{Effect: made}}, []intent.Answer{lost}, intent.Performed, "", 1},
		{"other facts after the send", intent.ClassIrreversible, strong, []intent.Finding{intent.Absent{}, intent.FoundOther{Effect: made}}, []intent.Answer{lost}, intent.Unknown, intent.ReasonMismatch, 1},
		{"found before the claim", intent.ClassIrreversible, strong, []intent.Finding{intent.Found{Effect: made}}, []intent.Answer{lost}, intent.AlreadyPerformed, "", 0},
		{"not sent", intent.ClassIrreversible, strong, absent, []intent.Answer{intent.AnsweredNotSent{}}, intent.NotPerformed, intent.ReasonNotSent, 1},
		{"refused", intent.ClassIrreversible, strong, absent, []intent.Answer{intent.AnsweredRefused{Permanent: true}}, intent.NotPerformed, intent.ReasonRefused, 1},
		{"an answer of no kind", intent.ClassIrreversible, strong, absent, []intent.Answer{nil}, intent.NotPerformed, intent.ReasonAbsent, 1},
	}
	for _, tt := range tests {
		if tt.class == "" {
			continue // see TestClassIsRequired
		}
		t.Run(tt.name, func(t *testing.T) {
			s := &scripted{caps: tt.caps, answers: tt.answers, found: tt.found}
			scriptedEngine(t, tt.class, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
				got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
				checkAnswer(t, got)
				if got.Outcome != tt.outcome || got.Reason != tt.reason || len(s.sends) != tt.sends {
					t.Errorf("got %s %q after %d sends, want %s %q after %d", got.Outcome, got.Reason, len(s.sends), tt.outcome, tt.reason, tt.sends)
				}
				for _, o := range s.sends {
					if o.Key != s.sends[0].Key || string(o.Request) != string(s.sends[0].Request) {
						t.Error("a repeat bears another key or other bytes")
					}
				}
			}, s)
		})
	}
}

func TestClassIsRequired(t *testing.T) {
	t.Parallel()
	_, err := intent.New(intent.Options{
		Ledger: ledgertest.NewMemory("test").Process("P1"), Operations: []intent.Operation{act{steps: []intent.Step{&scripted{}}}},
		Now: time.Now, ProviderTimeout: time.Second, AnswerWithin: 10 * time.Second,
	})
	if err == nil {
		t.Error("an operation without a class was taken")
	}
}

// A refusal settles its own attempt only: an earlier one may still land.
func TestRefusalWhileAnEarlierAttemptIsOpen(t *testing.T) {
	s := &scripted{
		caps:    strong,
		answers: []intent.Answer{lost, intent.AnsweredRefused{Permanent: true, Code: "already_refunded"}},
		found:   []intent.Finding{intent.Absent{}, intent.Absent{}, intent.Absent{}, intent.Found{Effect: made}},
	}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, _ *ledgertest.Memory) {
		e.Do(t.Context(), "act", intent.Arguments(`{}`))
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		if got.Outcome == intent.NotPerformed || got.BookingID != "BK-1" {
			t.Errorf("got %s %s, want the effect that the lookup shows", got.Outcome, got.Verdict)
		}
	}, s)
}

// An act of two steps is performed when the first is; the second follows by
// itself, under its own key and row, and escalates on its own.
func TestStepsFollow(t *testing.T) {
	first := &scripted{caps: strong, answers: []intent.Answer{intent.AnsweredPerformed{Effect: made}}, found: []intent.Finding{intent.Absent{}}}
	second := &scripted{
		caps: strong, found: []intent.Finding{intent.Absent{}},
		answers: []intent.Answer{intent.AnsweredPerformed{Effect: intent.Effect{ID: "TR-1", Status: "done", Final: true}}},
	}
	scriptedEngine(t, intent.ClassIrreversible, func(t *testing.T, e *intent.Engine, ledger *ledgertest.Memory) {
		got := e.Do(t.Context(), "act", intent.Arguments(`{}`))
		if got.Outcome != intent.Performed || len(second.sends) != 0 {
			t.Fatalf("got %s with %d sends of step 2", got.Outcome, len(second.sends))
		}
		for range 2 {
			if _, err := e.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(second.sends) != 1 || second.sends[0].Key == first.sends[0].Key {
			t.Errorf("step 2 was sent %d times, want once under its own key", len(second.sends))
		}
		rows, err := ledger.Process("P1").List(t.Context(), 10)
		if err != nil || len(rows) != 2 || rows[0].State != intent.StatePerformed || rows[1].State != intent.StatePerformed {
			t.Errorf("rows %+v (%v), want two performed", rows, err)
		}
	}, first, second)
}

// A reversible effect that was undone may be repeated by name, without a person.
func TestRepeatOfAnUndoneEffect(t *testing.T) {
	t.Parallel()
	undone := made
	undone.Undone = true
	tests := []struct {
		name    string
		found   intent.Finding
		outcome intent.Outcome
	}{
		{"it stands", intent.Found{Effect: made}, intent.NotPerformed},
		{"it is undone", intent.Found{Effect: undone}, intent.Performed},
		{"it cannot be looked up", intent.LookupFailed{}, intent.NotPerformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &scripted{
				caps:    strong,
				answers: []intent.Answer{intent.AnsweredPerformed{Effect: made}, intent.AnsweredPerformed{Effect: intent.Effect{ID: "BK-2", Final: true}}},
				found:   []intent.Finding{intent.Absent{}, intent.Absent{}, tt.found},
			}
			e := againEngine(t, s)
			if first := e.Do(t.Context(), "act", intent.Arguments(`{}`)); first.Outcome != intent.Performed {
				t.Fatalf("got %+v", first)
			}
			got := e.Do(t.Context(), "act", intent.Arguments(`{"again":"BK-1"}`))
			if got.Outcome != tt.outcome {
				t.Errorf("got %s %q (%s), want %s", got.Outcome, got.Reason, got.Verdict, tt.outcome)
			}
		})
	}
}

// againAct reads again_after out of its arguments.
type againAct struct{ act }

func (a againAct) Locate(args intent.Arguments) intent.Locator {
	loc := a.act.Locate(intent.Arguments(`{}`))
	if string(args) != `{}` {
		loc.Again = "BK-1"
	}
	return loc
}

func (a againAct) Read(ctx context.Context, _ intent.Arguments) intent.Reading {
	return a.act.Read(ctx, intent.Arguments(`{}`))
}

func againEngine(t *testing.T, s *scripted) *intent.Engine {
	t.Helper()
	e, err := intent.New(intent.Options{
		Ledger:     ledgertest.NewMemory("test").Process("P1"),
		Operations: []intent.Operation{againAct{act{class: intent.ClassReversible, steps: []intent.Step{s}}}},
		Now:        time.Now, NewID: func() string { return "claim" },
		ProviderTimeout: 100 * time.Millisecond, AnswerWithin: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
