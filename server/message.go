package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is one message from the client, checked and taken apart.
type message struct {
	id        json.RawMessage // as written; nil for a notification
	method    string
	tool      string          // for tools/call: the tool's name
	arguments json.RawMessage // for tools/call: as written; nil for none
	cancels   string          // for notifications/cancelled: the idKey of the request it names
	body      json.RawMessage // what the MCP library gets: only members of JSON-RPC, each once
	refusal   *refusal        // set when the message is answered here, with an error
}

// refusal is why a message is answered with a JSON-RPC error. It never repeats
// what the client sent.
type refusal struct {
	code   int
	reason string
}

// parse reads one message. ok is false for one that calls for nothing at all: a
// client's response, since this server asks its client nothing.
func parse(line []byte) (m message, ok bool) {
	if !utf8.Valid(line) {
		return refused(nil, mcp.PARSE_ERROR, "Parse error: the message is not valid UTF-8"), true
	}
	if !json.Valid(line) {
		return refused(nil, mcp.PARSE_ERROR, "Parse error: the message is not one JSON value, or is nested too deep"), true
	}
	switch bytes.TrimSpace(line)[0] {
	case '{':
	case '[':
		return refused(nil, mcp.INVALID_REQUEST, "Invalid request: batches are not supported, send one message at a time"), true
	default:
		return refused(nil, mcp.INVALID_REQUEST, "Invalid request: a message is a JSON object"), true
	}
	envelope, err := splitObject(line)
	if err == nil && isResponse(envelope) {
		return message{}, false
	}
	id := validID(envelope.get("id"))
	if err != nil {
		return refused(id, mcp.INVALID_REQUEST, "Invalid request: "+err.Error()), true
	}
	return parseEnvelope(envelope, id), true
}

func parseEnvelope(envelope object, id json.RawMessage) message {
	method, isString := stringValue(envelope.get("method"))
	version, _ := stringValue(envelope.get("jsonrpc"))
	switch {
	case misspelt(envelope, "jsonrpc", "id", "method", "params"):
		return refused(id, mcp.INVALID_REQUEST, "Invalid request: jsonrpc, id, method and params are written in lower case")
	case envelope.has("id") && id == nil:
		return refused(nil, mcp.INVALID_REQUEST, "Invalid request: id is a string or a number")
	case version != mcp.JSONRPC_VERSION:
		return refused(id, mcp.INVALID_REQUEST, "Invalid request: jsonrpc is \"2.0\"")
	case !isString:
		return refused(id, mcp.INVALID_REQUEST, "Invalid request: method is a string")
	}
	m := message{id: id, method: method}
	params := envelope.get("params")
	if params != nil && params[0] != '{' {
		return refused(id, mcp.INVALID_PARAMS, "Invalid params: params is an object")
	}
	if params != nil {
		members, err := splitObject(params)
		if err != nil {
			return refused(id, mcp.INVALID_PARAMS, "Invalid params: "+err.Error())
		}
		if method == string(mcp.MethodToolsCall) {
			if misspelt(members, "name", "arguments", "_meta") {
				return refused(id, mcp.INVALID_PARAMS, "Invalid params: name, arguments and _meta are written in lower case")
			}
			m.tool, _ = stringValue(members.get("name"))
			m.arguments = members.get("arguments")
			params = members.without("arguments")
		}
		m.cancels = idKey(members.get("requestId"))
	}
	m.body = libraryBody(id, envelope.get("method"), params)
	return m
}

// libraryBody writes the message anew, so that the MCP library cannot read it
// otherwise than it was checked. A tool's arguments are not in it: see asSent.
func libraryBody(id, method, params json.RawMessage) json.RawMessage {
	body := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		body = append(append(body, `,"id":`...), id...)
	}
	body = append(append(body, `,"method":`...), method...)
	if params != nil {
		body = append(append(body, `,"params":`...), params...)
	}
	return append(body, '}')
}

func refused(id json.RawMessage, code int, reason string) message {
	return message{id: id, refusal: &refusal{code: code, reason: reason}}
}

func isResponse(envelope object) bool {
	return !envelope.has("method") && (envelope.has("result") || envelope.has("error"))
}

// misspelt finds a member that is one of the names in another case, which the
// MCP library would take for it.
func misspelt(obj object, names ...string) bool {
	return slices.ContainsFunc(obj, func(m member) bool {
		return !slices.Contains(names, m.name) && slices.Contains(names, folded(m.name))
	})
}

// validID returns raw if it may be a request's id, and nil otherwise.
func validID(raw json.RawMessage) json.RawMessage {
	if idKey(raw) == "" {
		return nil
	}
	return raw
}

// idKey makes ids comparable: 1 and "1" are two, "a" and "\u0061" are one. It
// is empty for what cannot be an id.
func idKey(raw json.RawMessage) string {
	if text, ok := stringValue(raw); ok {
		return "string " + text
	}
	if len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
		return "number " + string(raw)
	}
	return ""
}

func stringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}
