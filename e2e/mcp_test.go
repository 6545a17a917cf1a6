//go:build unix

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// response is one line of the server's.
type response struct {
	ID     json.RawMessage
	Error  json.RawMessage
	Result *struct {
		IsError bool
		Content []struct {
			Type, Text string
		}
		StructuredContent json.RawMessage
	}
}

func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve NAME [VAR=VALUE…] [FLAG…]")
	}
	name, args := args[0], args[1:]
	line := []string{name}
	for len(args) > 0 && assignment.MatchString(args[0]) {
		line, args = append(line, args[0]), args[1:]
	}
	line = append(append(line, "counterfoil", "serve"), timing(ts)...)
	start(ts, false, append(line, args...))
	handshake(ts, processOf(ts, name))
}

// handshake is the beginning of every session.
func handshake(ts *testscript.TestScript, p *process) {
	send(ts, p, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	if r := responseTo(ts, p, `"hello"`); r.Error != nil {
		ts.Fatalf("initialize: %s", r.Error)
	}
	send(ts, p, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func send(ts *testscript.TestScript, p *process, line string) {
	_, err := io.WriteString(p.in, line+"\n")
	ts.Check(err)
}

func mcp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: mcp NAME call ID TOOL JSON, or: mcp NAME result|error|unanswered|cancel ID")
	}
	p, verb, ids := processOf(ts, args[0]), args[1], span(ts, args[2])
	for _, id := range ids {
		switch verb {
		case "call":
			if len(args) < 4 {
				ts.Fatalf("usage: mcp NAME call ID TOOL JSON")
			}
			send(ts, p, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
				id, args[3], arguments(ts, args[4:])))
		case "result":
			result(ts, responseTo(ts, p, id))
		case "error":
			r := responseTo(ts, p, id)
			if r.Error == nil {
				ts.Fatalf("%s was not answered with an error", id)
			}
			fmt.Fprintf(ts.Stdout(), "%s\n", r.Error)
		case "cancel":
			send(ts, p, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"it took too long"}}`, id))
		case "unanswered":
			if lines, _, _ := p.out.read(); find(lines, id) != nil {
				ts.Fatalf("%s has been answered", id)
			}
		default:
			ts.Fatalf("mcp cannot %s", verb)
		}
	}
}

// span reads 3, 1..9 or any other id.
func span(ts *testscript.TestScript, ids string) []string {
	first, last, ok := strings.Cut(ids, "..")
	if !ok {
		return []string{ids}
	}
	from, err := strconv.Atoi(first)
	ts.Check(err)
	to, err := strconv.Atoi(last)
	ts.Check(err)
	var all []string
	for id := from; id <= to; id++ {
		all = append(all, strconv.Itoa(id))
	}
	return all
}

func responseTo(ts *testscript.TestScript, p *process, id string) *response {
	var r *response
	err := p.find(func(lines []string) bool {
		r = find(lines, id)
		return r != nil
	})
	if err != nil {
		ts.Fatalf("the answer to %s: %v", id, err)
	}
	return r
}

func find(lines []string, id string) *response {
	for _, line := range lines {
		var r response
		if json.Unmarshal([]byte(line), &r) == nil && string(r.ID) == id {
			return &r
		}
	}
	return nil
}

// result checks that both forms of an answer are one, and that it counts as an
// error exactly where nothing happened or nothing was found.
func result(ts *testscript.TestScript, r *response) {
	if r.Result == nil {
		ts.Fatalf("the answer is an error: %s", r.Error)
	}
	content := r.Result.Content
	if len(content) != 1 || content[0].Type != "text" {
		ts.Fatalf("got %d blocks of content, want one of text", len(content))
	}
	var text, structured bytes.Buffer
	ts.Check(json.Compact(&text, []byte(content[0].Text)))
	ts.Check(json.Compact(&structured, r.Result.StructuredContent))
	if text.String() != structured.String() {
		ts.Fatalf("the text is not the structured content:\n%s\n%s", text.String(), structured.String())
	}
	fmt.Fprintf(ts.Stdout(), "%s\n", structured.String())
	answer := heard(ts, structured.Bytes())
	if want := exits[answer.Outcome] == 1; r.Result.IsError != want {
		ts.Fatalf("isError: got %v, want %v for %s", r.Result.IsError, want, answer.Outcome)
	}
}
