package intent_test

import (
	"context"
	"sync"
	"testing"
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
