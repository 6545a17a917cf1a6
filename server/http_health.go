package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// healthy says that the process lives and answers; it asks nothing of anybody.
func healthy(w http.ResponseWriter, _ *http.Request) {
	answer{http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n")}.writeTo(w)
}

// Check is one thing that has to be so for calls to be served.
type Check struct {
	Name string
	// Ready returns why it is not so. The reason goes to the log alone.
	Ready func(ctx context.Context) error
}

// How long the checks may take, and how long their finding stands: a probe must
// not cost more than a call.
const (
	readyWithin = 2 * time.Second
	readyFor    = time.Second
)

// readiness answers /readyz.
type readiness struct {
	checks  []Check
	leaving <-chan struct{}
	log     *slog.Logger

	mu   sync.Mutex
	last map[string]string // nil where it no longer stands
	all  bool
}

func newReadiness(checks []Check, leaving <-chan struct{}, log *slog.Logger) *readiness {
	return &readiness{checks: checks, leaving: leaving, log: log}
}

// ServeHTTP answers 200 where all is so, 503 otherwise, and says what is not.
func (r *readiness) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	status := http.StatusOK
	found, all := r.found()
	if !all {
		status = http.StatusServiceUnavailable
	}
	text, _ := json.Marshal(found) // a map of strings can be encoded
	answer{status, "application/json", append(text, '\n')}.writeTo(w)
}

func (r *readiness) found() (found map[string]string, all bool) {
	select {
	case <-r.leaving:
		return map[string]string{"server": "leaving"}, false
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last, r.all = r.look()
		time.AfterFunc(readyFor, r.forget)
	}
	return r.last, r.all
}

func (r *readiness) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = nil
}

// look makes the checks. A probe that went away does not end them: the next
// one gets what they find.
func (r *readiness) look() (found map[string]string, all bool) {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	found, all = make(map[string]string, len(r.checks)), true
	for _, c := range r.checks {
		found[c.Name] = "ok"
		if err := c.Ready(ctx); err != nil {
			r.log.Warn("not ready", "check", c.Name, "error", err)
			found[c.Name], all = "not ready", false
		}
	}
	return found, all
}
