package intent_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"counterfoil/intent"
)

// simLog keeps a history: one event a line, formatted only if it is shown.
type simLog struct {
	mu     sync.Mutex
	events []simEvent
}

type simEvent struct {
	at     time.Time
	lane   string
	format string
	args   []any
}

// logf adds an event. What args point to must not change afterwards.
func (w *simWorld) logf(l *simLane, format string, args ...any) {
	who := "-"
	if l != nil {
		who = l.who
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.log.events = append(w.log.events, simEvent{time.Now(), who, format, args})
}

// simKey is a key that is shortened when it is shown.
type simKey intent.Key

func (k simKey) String() string { return intent.Key(k).String()[4:12] }

// speaksOf reports whether an event is about one of these keys, or about none.
// An event that names another key beside one of them ties that one to them.
func (e *simEvent) speaksOf(keys map[string]bool) bool {
	about, others := true, []string{}
	for _, arg := range e.args {
		if k, ok := arg.(simKey); ok {
			about = false
			others = append(others, k.String())
		}
	}
	for _, k := range others {
		if !keys[k] {
			continue
		}
		for _, other := range others {
			keys[other] = true
		}
		return true
	}
	return about
}

func (w *simWorld) short(key intent.Key) simKey { return simKey(key) }

// simFault is the first invariant that was broken.
type simFault struct {
	mu        sync.Mutex
	invariant string
	what      string
	events    int // how long the history was by then
}

func (w *simWorld) violate(invariant, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	w.logf(nil, "VIOLATED %s: %s", invariant, what)
	w.fault.mu.Lock()
	defer w.fault.mu.Unlock()
	if w.fault.invariant == "" {
		w.log.mu.Lock()
		defer w.log.mu.Unlock()
		w.fault.invariant, w.fault.what, w.fault.events = invariant, what, len(w.log.events)
	}
}

// broken reports whether the history is over before its end.
func (w *simWorld) broken() bool {
	w.fault.mu.Lock()
	defer w.fault.mu.Unlock()
	return w.fault.invariant != "" || w.over.Load()
}

// history is the log up to the violation, without what does not speak of its
// key.
func (w *simWorld) history(most int) string {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	key := ""
	if i := strings.Index(w.fault.what, "cf1_"); i >= 0 && len(w.fault.what) >= i+12 {
		key = w.fault.what[i+4 : i+12]
	}
	var lines []string
	keys := map[string]bool{key: true}
	for i, e := range w.log.events {
		if w.fault.events > 0 && i >= w.fault.events {
			break
		}
		text := fmt.Sprintf(e.format, e.args...)
		if key != "" && !*simWhole && !e.speaksOf(keys) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%14.3fs  %-14s %s", e.at.Sub(start).Seconds(), e.lane, text))
	}
	if most = max(most, 20); len(lines) > most && !*simWhole {
		lines = slices.Concat(lines[:8], []string{fmt.Sprintf("  … %d events …", len(lines)-most)}, lines[len(lines)-most+8:])
	}
	return strings.Join(lines, "\n")
}
