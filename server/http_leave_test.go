package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/server"
)

const term = syscall.SIGTERM

// announced is a tool that says when it is running.
func announced(running chan<- struct{}, h handler) handler {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		running <- struct{}{}
		return h(ctx, req)
	}
}

func TestHTTPSignalLetsRunningCallsAnswer(t *testing.T) {
	t.Parallel()
	running, gate := make(chan struct{}, 2), make(chan struct{})
	h := open(t, tools(map[string]handler{"slow": announced(running, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-gate
		return takes(0)(ctx, req)
	})}))
	silent, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr) // and one that says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	first, second := h.later(t.Context(), callLine(1, "slow")), h.later(t.Context(), callLine(2, "slow"))
	receive(t, running)
	receive(t, running)
	h.signals <- term
	for begun := time.Now(); time.Since(begun) < time.Minute; { // until it no longer listens
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	h.engine.mustHaveLeft(t, afterSignal)
	close(gate)
	receive(t, first).mustSay(t, "context: <nil>")
	receive(t, second).mustSay(t, "context: <nil>")
	begun := time.Now()
	h.mustLeave()
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("a silent connection held the leaving up for %v", took)
	}
}

// Calls that wait for a place get their answer at once: the engine refuses them.
func TestHTTPSignalLetsQueuedCallsAnswer(t *testing.T) {
	t.Parallel()
	const places = 64
	var ran atomic.Int64
	running, arrived, gate := make(chan struct{}, places), make(chan struct{}, places+1), make(chan struct{})
	h := open(t, tools(map[string]handler{"gated": announced(running, waitsFor(gate, &ran)), "pay": says("refused")}), func(o *server.HTTPOptions) {
		o.Admit = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				arrived <- struct{}{}
				next.ServeHTTP(w, r)
			})
		}
	})
	held := make([]<-chan got, 0, places)
	for id := range places {
		held = append(held, h.later(t.Context(), callLine(id, "gated")))
	}
	for range places {
		receive(t, arrived)
		receive(t, running)
	}
	queued := h.later(t.Context(), callLine(places, "pay"))
	receive(t, arrived)
	h.signals <- term
	receive(t, queued).mustSay(t, "refused")
	close(gate)
	for _, answer := range held {
		receive(t, answer).mustSay(t, "done")
	}
	h.mustLeave()
}

func TestHTTPLeavingIsBounded(t *testing.T) {
	t.Parallel()
	running := make(chan struct{}, 2)
	h := open(t, tools(map[string]handler{
		"heeds": announced(running, untilCancelled), "hangs": announced(running, takes(time.Minute)),
	}))
	heeds, hangs := h.later(t.Context(), callLine(1, "heeds")), h.later(t.Context(), callLine(2, "hangs"))
	receive(t, running)
	receive(t, running)
	begun := time.Now()
	h.signals <- term
	// The answer of a call whose context has ended is an answer all the same.
	receive(t, heeds).mustSay(t, "context: context canceled")
	h.mustGiveUp()
	if took := time.Since(begun); took < 3*time.Second || took > 4*time.Second {
		t.Errorf("left after %v, want within 4s", took)
	}
	if got := receive(t, hangs); got.status >= http.StatusInternalServerError {
		t.Errorf("a call that was left behind was answered %d", got.status)
	}
}

func TestHTTPLeavingWaitsForDetachedWork(t *testing.T) {
	t.Parallel()
	h := open(t, tools(nil))
	finish := make(chan struct{})
	h.engine.detached.Go(func() { <-finish })
	h.signals <- term
	select {
	case err := <-h.done:
		t.Fatalf("left at once, with %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	h.mustLeave()
}

func TestHTTPBrokenListenerLeaves(t *testing.T) {
	t.Parallel()
	var listener net.Listener
	h := open(t, tools(nil), func(o *server.HTTPOptions) { listener = o.Listener })
	_ = listener.Close()
	if err := h.left(); err == nil || !strings.Contains(err.Error(), "serve HTTP") {
		t.Errorf("left with %v", err)
	}
	h.engine.mustHaveLeft(t, afterSignal)
}

// Why it left is still said where a call hangs until the end.
func TestHTTPBrokenListenerAndACallThatHangs(t *testing.T) {
	t.Parallel()
	var listener net.Listener
	running := make(chan struct{}, 1)
	h := open(t, tools(map[string]handler{"hangs": announced(running, takes(time.Minute))}), func(o *server.HTTPOptions) { listener = o.Listener })
	hangs := h.later(t.Context(), callLine(1, "hangs"))
	receive(t, running)
	_ = listener.Close()
	if err := h.left(); !errors.Is(err, server.ErrUnfinished) || !strings.Contains(err.Error(), "serve HTTP") {
		t.Errorf("left with %v", err)
	}
	receive(t, hangs)
}

// What net/http has to say is for the operator: it takes no more connections.
func TestHTTPListenerInTrouble(t *testing.T) {
	t.Parallel()
	var log logged
	h := open(t, tools(nil), func(o *server.HTTPOptions) {
		o.Listener, o.Log = &full{Listener: o.Listener}, slog.New(slog.NewTextHandler(&log, nil))
	})
	if got := h.get("/healthz"); got.status != http.StatusOK {
		t.Errorf("after it: %d", got.status)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "too many open files") {
		t.Errorf("the log has %q", log.String())
	}
}

// full is a listener that has no room for the first connection.
type full struct {
	net.Listener
	tried atomic.Bool
}

func (l *full) Accept() (net.Conn, error) {
	if !l.tried.Swap(true) {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
