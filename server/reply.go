package server

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// maxErrorText bounds the message of a JSON-RPC error, in bytes: the library
// repeats names that the client sent, however long.
const maxErrorText = 200

// errorReply is a JSON-RPC error; a nil id is written as null.
func errorReply(id json.RawMessage, code int, text string) mcp.JSONRPCError {
	reply := mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION,
		Error:   mcp.NewJSONRPCErrorDetails(code, text, nil),
	}
	if id != nil {
		reply.ID = mcp.NewRequestId(id)
	}
	return reply
}

// addressed puts the request's own id on the library's reply. The library
// reads ids through float64, and a client that counts above 2^53 would never
// recognise the answer to its call.
func addressed(reply mcp.JSONRPCMessage, id json.RawMessage) mcp.JSONRPCMessage {
	switch r := reply.(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(id)
		return r
	case mcp.JSONRPCError:
		r.ID = mcp.NewRequestId(id)
		return r
	}
	return reply
}

// presentable rewrites those of the library's errors that show Go types or the
// text of an error of ours; the log keeps what they said.
func presentable(reply mcp.JSONRPCMessage, m message, log *slog.Logger) mcp.JSONRPCMessage {
	r, isError := reply.(mcp.JSONRPCError)
	if !isError {
		return reply
	}
	log.Debug("answered with a JSON-RPC error", "code", r.Error.Code, "error", clipped(r.Error.Message))
	switch {
	case r.Error.Code == mcp.INTERNAL_ERROR:
		log.Error("request met an internal error", "method", clipped(m.method), "error", clipped(r.Error.Message))
		r.Error = mcp.NewJSONRPCErrorDetails(mcp.INTERNAL_ERROR, errInternal.Error(), nil)
	case r.Error.Code == mcp.INVALID_REQUEST, r.Error.Code == mcp.PARSE_ERROR:
		// The envelope has been checked: what is left is in the params.
		r.Error = mcp.NewJSONRPCErrorDetails(mcp.INVALID_PARAMS, "Invalid params: they do not have the form that this method takes", nil)
	case strings.HasSuffix(r.Error.Message, mcpserver.ErrToolNotFound.Error()):
		r.Error.Message = fmt.Sprintf("Unknown tool %.80q: tools/list has the names", m.tool)
	}
	r.Error.Message = clipped(r.Error.Message)
	return r
}

func clipped(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	cut := maxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
