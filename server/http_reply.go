package server

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// recorder takes the library's answer down, so that it can be corrected before
// it leaves. It says that it can flush: the library then writes the
// notifications of a call before its result.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: make(http.Header), status: http.StatusOK} }

func (r *recorder) Header() http.Header               { return r.header }
func (r *recorder) WriteHeader(status int)            { r.status = status }
func (r *recorder) Write(p []byte) (n int, err error) { return r.body.Write(p) }
func (r *recorder) Flush()                            {}

// answer is what a request is answered.
type answer struct {
	status int
	kind   string // its Content-Type
	body   []byte
}

// jsonAnswer never fails: what cannot be encoded is an internal error, which can.
func jsonAnswer(status int, reply mcp.JSONRPCMessage) answer {
	body, err := json.Marshal(reply)
	if err != nil {
		body, _ = json.Marshal(errorReply(nil, mcp.INTERNAL_ERROR, errInternal.Error()))
	}
	return answer{status, "application/json", body}
}

// writeTo sends the answer and sees it out, so that it is on its way when the
// call counts as answered. Where the client is gone it goes nowhere.
func (a answer) writeTo(w http.ResponseWriter) {
	conn := http.NewResponseController(w)
	// The call may have outlasted the server's own deadline.
	_ = conn.SetWriteDeadline(time.Now().Add(writeWithin)) //nolint:forbidigo // a socket's deadline is real time
	h := w.Header()
	if a.kind != "" {
		h.Set("Content-Type", a.kind)
		h.Set("X-Content-Type-Options", "nosniff")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
	_ = conn.Flush()
}

// presented is the library's answer under the request's own id and without the
// inside of this server, as on stdio. A stream stays as the library wrote it: no
// tool sends notes, and a listener's ends with its first. A call that has begun is never answered
// with a 5xx: a client would take that for leave to send it again.
func (e *endpoint) presented(rec *recorder, m message) answer {
	if rec == nil {
		return jsonAnswer(http.StatusOK, errorReply(m.id, mcp.INTERNAL_ERROR, errInternal.Error()))
	}
	switch kind, _, _ := mime.ParseMediaType(rec.header.Get("Content-Type")); kind {
	case "application/json":
		return e.readdressed(rec, m)
	case "text/event-stream": // a listener's, or notes before a result: complete as it is
		return answer{rec.status, kind, acknowledged(rec.body.Bytes(), m)}
	}
	if m.id == nil {
		return answer{status: rec.status}
	}
	if rec.status < http.StatusBadRequest { // no answer to a request that awaits one
		return jsonAnswer(http.StatusOK, errorReply(m.id, mcp.INTERNAL_ERROR, errInternal.Error()))
	}
	return jsonAnswer(rec.status, errorReply(m.id, mcp.INVALID_REQUEST, clipped(string(bytes.TrimSpace(rec.body.Bytes())))))
}

func (e *endpoint) readdressed(rec *recorder, m message) answer {
	var reply struct {
		Result json.RawMessage          `json:"result"`
		Error  *mcp.JSONRPCErrorDetails `json:"error"`
	}
	err := json.Unmarshal(rec.body.Bytes(), &reply)
	switch {
	case err != nil || reply.Result == nil && reply.Error == nil:
		e.log.Error("reply cannot be encoded", "method", clipped(m.method), "error", err)
		return jsonAnswer(http.StatusOK, errorReply(m.id, mcp.INTERNAL_ERROR, errInternal.Error()))
	case reply.Error != nil:
		library := errorReply(m.id, reply.Error.Code, reply.Error.Message)
		library.Error.Data = reply.Error.Data
		return jsonAnswer(rec.status, presentable(library, m, e.log))
	}
	return answer{rec.status, "application/json", resultBody(m.id, reply.Result)}
}

// resultBody writes a result byte for byte: its order is the reader's.
func resultBody(id, result json.RawMessage) []byte {
	text := make([]byte, 0, len(id)+len(result)+40)
	text = append(append(text, `{"jsonrpc":"2.0","id":`...), id...)
	text = append(append(text, `,"result":`...), result...)
	return append(text, '}')
}
