package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
)

// declined is a request that is answered without the MCP library.
type declined struct {
	status int
	refusal
}

// body reads a request's body, in memory bounded by maxLine whatever is sent:
// one that says it is longer is declined before a byte of it is read.
func body(w http.ResponseWriter, r *http.Request) ([]byte, *declined) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &declined{http.StatusUnsupportedMediaType, refusal{mcp.INVALID_REQUEST, "Invalid request: Content-Type is application/json"}}
	}
	if r.ContentLength > maxLine {
		return nil, tooLarge()
	}
	var read bytes.Buffer
	if r.ContentLength > 0 {
		read.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := read.ReadFrom(http.MaxBytesReader(w, r.Body, maxLine))
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return nil, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &declined{http.StatusRequestTimeout, refusal{mcp.INVALID_REQUEST, "Invalid request: the body did not come in time"}}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, &declined{http.StatusBadRequest, refusal{mcp.INVALID_REQUEST, "Invalid request: the body broke off"}}
	}
	return read.Bytes(), nil
}

func tooLarge() *declined {
	return &declined{http.StatusRequestEntityTooLarge, refusal{mcp.INVALID_REQUEST, "Invalid request: the message is longer than 1 MiB"}}
}
