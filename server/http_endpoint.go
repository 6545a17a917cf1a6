package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/intent"
)

// endpoint answers MCP messages, one a request. It checks each as Stdio does
// and hands it to the MCP library's handler, which knows the eras: the old one,
// with a handshake, and the one since 2026-07-28, with all in every request.
type endpoint struct {
	catalog *mcpserver.MCPServer
	library http.Handler
	log     *slog.Logger
	calls   *calls
	bodies  *bodies
	lanes   lanes
	access  Access
}

func newEndpoint(opts HTTPOptions, calls *calls, lanes lanes) *endpoint {
	opts.hide(opts.MCP)
	return &endpoint{
		catalog: opts.MCP,
		library: mcpserver.NewStreamableHTTPServer(opts.MCP,
			// No session: a forged id then means nothing, and none is kept.
			mcpserver.WithStateLess(true),
			// Without it, one client could listen to another's notifications.
			mcpserver.WithDisableStreaming(true),
			// The guard's check is stricter, and knows further names.
			mcpserver.WithDisableLocalhostProtection(true),
			mcpserver.WithStreamableHTTPLogger(opts.Log),
		),
		log:    opts.Log,
		calls:  calls,
		bodies: &bodies{},
		lanes:  lanes,
		access: opts.Access,
	}
}

// ServeHTTP answers one request. It does not return before the call that the
// request bears has ended, whatever becomes of the connection.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost { // neither a stream to listen to nor a session to delete
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Method Not Allowed: messages are sent by POST", http.StatusMethodNotAllowed)
		return
	}
	text, done, no := e.bodies.read(w, r)
	defer done()
	if no != nil {
		w.Header().Set("Connection", "close") // what is left of the body is not waited for
		decline(w, nil, no)
		return
	}
	principal, _ := intent.Principal(r.Context())
	leave, ok := e.calls.enter(principal)
	if !ok {
		decline(w, nil, tooMany())
		return
	}
	defer leave()
	e.take(w, r, text).writeTo(w)
}

// decline answers a request of which nothing was begun.
func decline(w http.ResponseWriter, id json.RawMessage, no *declined) {
	if no.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	jsonAnswer(no.status, errorReply(id, no.code, no.reason)).writeTo(w)
}

// take reads a message and returns what it is answered.
func (e *endpoint) take(w http.ResponseWriter, r *http.Request, text []byte) answer {
	m, ok := parse(text)
	switch {
	case !ok:
		return answer{status: http.StatusAccepted}
	case m.refusal != nil:
		return jsonAnswer(http.StatusBadRequest, errorReply(m.id, m.refusal.code, m.refusal.reason))
	case m.method == string(mcp.MethodNotificationCancelled) && m.id == nil:
		// Whose call would it be? Clients count from 1, all of them, and there
		// is no session to tell them apart. To cancel a call is to close it.
		return answer{status: http.StatusAccepted}
	}
	if no := e.throttled(w, r, m); no != nil {
		return jsonAnswer(no.status, errorReply(m.id, no.code, no.reason))
	}
	return e.call(r, m)
}

// call runs a message through its lane and the library.
func (e *endpoint) call(r *http.Request, m message) answer {
	leave, ok := e.lanes.enter(r.Context(), e.lanes.of(m, e.catalog))
	if !ok { // the client is gone
		return answer{status: http.StatusAccepted}
	}
	defer leave()
	return e.presented(e.contained(e.inner(r, m), m), m)
}

// inner is the request that the library gets.
func (e *endpoint) inner(r *http.Request, m message) *http.Request {
	inner := r.WithContext(withArguments(withEnd(r.Context()), m))
	inner.Header = r.Header.Clone()
	inner.Header.Del(mcpserver.HeaderKeySessionID)
	inner.Body = io.NopCloser(bytes.NewReader(m.body))
	inner.ContentLength = int64(len(m.body))
	return inner
}

// contained has the library answer, and returns nil where it did not. It runs
// apart: a handler that panics or ends its goroutine would otherwise take the
// connection with it.
func (e *endpoint) contained(r *http.Request, m message) *recorder {
	ended := make(chan *recorder, 1)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel() // what the library started beside the call, and a panic left behind
	go func() {
		var done *recorder
		defer func() {
			if p := recover(); p != nil {
				e.log.Error("request panicked", "method", clipped(m.method), "panic", p, "stack", string(debug.Stack()))
			}
			ended <- done
		}()
		rec := newRecorder()
		e.library.ServeHTTP(rec, r.WithContext(ctx))
		done = rec
	}()
	return <-ended
}
