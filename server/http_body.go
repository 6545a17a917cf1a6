package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// declined is a request that is answered without the MCP library.
type declined struct {
	status int
	refusal
}

// mostBodies bounds, in bytes, what the bodies of all requests hold at a time.
const mostBodies = 32 << 20

// bodies counts what is held of request bodies, as it comes in: a length that is
// only announced takes nothing.
type bodies struct{ held atomic.Int64 }

// read reads a request's body, in memory bounded by maxLine whatever is sent: one
// that says it is longer is declined before a byte of it is read. What it holds
// is given back by done.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) (text []byte, done func(), no *declined) {
	in := &heldReader{Reader: http.MaxBytesReader(w, r.Body, maxLine), bodies: b}
	text, no = body(in, r)
	return text, func() { b.held.Add(-in.taken) }, no
}

// errCrowded: the bodies of all requests hold as much as they may.
var errCrowded = errors.New("too much at once")

// heldReader counts what it reads.
type heldReader struct {
	io.Reader
	bodies *bodies
	taken  int64
}

func (h *heldReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.taken += int64(n)
	if h.bodies.held.Add(int64(n)) > mostBodies {
		return n, errCrowded
	}
	return n, err
}

func body(in io.Reader, r *http.Request) ([]byte, *declined) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &declined{http.StatusUnsupportedMediaType, refusal{mcp.INVALID_REQUEST, "Invalid request: Content-Type is application/json"}}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &declined{http.StatusUnsupportedMediaType, refusal{mcp.INVALID_REQUEST, "Invalid request: a body is sent as it is, without a Content-Encoding"}}
	}
	if r.ContentLength > maxLine {
		return nil, tooLarge()
	}
	var read bytes.Buffer
	_, err := read.ReadFrom(in)
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return nil, tooLarge()
	case errors.Is(err, errCrowded):
		return nil, tooMany()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &declined{http.StatusRequestTimeout, refusal{mcp.INVALID_REQUEST, "Invalid request: the body did not come in time"}}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, &declined{http.StatusBadRequest, refusal{mcp.INVALID_REQUEST, "Invalid request: the body broke off"}}
	}
	return read.Bytes(), nil
}

// tooMany is the answer where there is no room for a request now.
func tooMany() *declined {
	return &declined{http.StatusServiceUnavailable, refusal{tooManyCalls, "Too many calls at once: nothing of this one was begun. Make it again in a second"}}
}

func tooLarge() *declined {
	return &declined{http.StatusRequestEntityTooLarge, refusal{mcp.INVALID_REQUEST, "Invalid request: the message is longer than 1 MiB"}}
}
