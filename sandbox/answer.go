package sandbox

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// manner is how an answer leaves; the zero value is whole.
type manner int

const (
	whole   manner = iota
	halved         // the first half of the body's bytes
	dropped        // nothing; the connection is closed
	never          // nothing; the connection stays open
)

// answer is what a handler has decided to send, and how.
type answer struct {
	status     int
	body       any
	replayed   bool   // an earlier request with this key had this answer
	retryAfter string // seconds; "" for no such header
	manner     manner
	delay      time.Duration // before anything is sent
}

// deliver sends the answer, or does what its manner says instead.
func (s *Sandbox) deliver(w http.ResponseWriter, r *http.Request, a answer) {
	switch {
	case a.manner == dropped:
		drop(w)
		return
	case a.manner == never:
		s.held.wait(r, nil)
		drop(w)
		return
	case a.delay > 0 && !s.pause(r, a.delay):
		drop(w)
		return
	}
	body, err := json.Marshal(a.body)
	if err != nil {
		s.log.Error("encode an answer", "error", err)
		a, body = answer{status: http.StatusInternalServerError}, []byte(`{}`)
	}
	if a.manner == halved {
		body = body[:len(body)/2]
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if a.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if a.retryAfter != "" {
		h.Set("Retry-After", a.retryAfter)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // a client that has gone is no concern of the marketplace
}

// pause waits for d. It reports false if the client or the server went first.
func (s *Sandbox) pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return s.held.wait(r, timer.C)
}

// drop closes the connection without having written a byte.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's own way, for HTTP/2
	}
	_ = conn.Close()
}

// held are the handlers that a fault keeps from answering.
type held struct {
	mu    sync.Mutex
	over  chan struct{} // closed when those that wait now are to end
	ended bool
}

func (h *held) init() { h.over = make(chan struct{}) }

// wait reports true once the channel until receives, and false when the client
// has gone, the server has ended or release was called before that.
func (h *held) wait(r *http.Request, until <-chan time.Time) bool {
	h.mu.Lock()
	over := h.over
	h.mu.Unlock()
	select {
	case <-until:
		return true
	case <-r.Context().Done():
	case <-over:
	}
	return false
}

// release ends those that wait now.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		close(h.over)
		h.over = make(chan struct{})
	}
}

// end ends those that wait now and every later one at once.
func (h *held) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		close(h.over)
		h.ended = true
	}
}

// DropConnections closes, without an answer, every connection that a fault is
// holding open now.
func (s *Sandbox) DropConnections() { s.held.release() }
