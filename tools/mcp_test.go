package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// exchange gives the library one request and returns the result as it would
// stand on the wire. (The library's stdio server has one session a process, so
// that two in parallel get in each other's way.)
func exchange(t *testing.T, s *mcpserver.MCPServer, method, params string) json.RawMessage {
	t.Helper()
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	line, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(request)))
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error != nil {
		t.Fatalf("%s %s: %s", method, params, reply.Error)
	}
	return reply.Result
}

func mounted(catalog []tools.Tool) *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("counterfoil", "test", mcpserver.WithToolCapabilities(false))
	tools.Mount(s, catalog)
	return s
}

// TestToolsList compares the list that a client gets with the golden file;
// -update rewrites it.
func TestToolsList(t *testing.T) {
	t.Parallel()
	result := exchange(t, mounted(newRig(t).catalog(t)), "tools/list", `{}`)
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	pretty = append(pretty, '\n')
	golden := filepath.Join("testdata", "tools_list.golden.json")
	if *update {
		if err := os.WriteFile(golden, pretty, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(pretty), string(want)); diff != "" {
		t.Errorf("tools/list has changed; look at it and run with -update (-got +golden):\n%s", diff)
	}
}

// TestToolsListBudget: a tool list is in every prompt. It may take 5,000 tokens
// in all, and 2,000 without its output schemas, at four bytes a token.
func TestToolsListBudget(t *testing.T) {
	t.Parallel()
	result := exchange(t, mounted(newRig(t).catalog(t)), "tools/list", `{}`)
	var list struct {
		Tools []map[string]json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	const budget, whole = 2000, 5000
	if size := len(encoded(t, list.Tools)) / 4; size > whole {
		t.Errorf("the whole list takes %d tokens, want at most %d", size, whole)
	}
	tokens := 0
	for _, tool := range list.Tools {
		delete(tool, "outputSchema")
		size := len(encoded(t, tool)) / 4
		t.Logf("%s: %d tokens", tool["name"], size)
		tokens += size
	}
	if tokens > budget {
		t.Errorf("%d tools take %d tokens, want at most %d", len(list.Tools), tokens, budget)
	}
}

// result is a call's result on the wire.
type result struct {
	Content           []struct{ Type, Text string } `json:"content"`
	StructuredContent json.RawMessage               `json:"structuredContent"`
	IsError           bool                          `json:"isError"`
}

func wireCall(t *testing.T, s *mcpserver.MCPServer, params string) result {
	t.Helper()
	var r result
	if err := json.Unmarshal(exchange(t, s, "tools/call", params), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("the content is %+v, want one text", r.Content)
	}
	if !strings.HasPrefix(string(r.StructuredContent), `{"verdict":"`) || !strings.HasPrefix(r.Content[0].Text, `{"verdict":"`) {
		t.Errorf("the verdict does not come first:\n%s\n%s", r.StructuredContent, r.Content[0].Text)
	}
	var structured, text any
	if err := json.Unmarshal(r.StructuredContent, &structured); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(r.Content[0].Text), &text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(structured, text); diff != "" {
		t.Errorf("structuredContent and the text differ:\n%s", diff)
	}
	return r
}

func TestCallOverTheWire(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.order = func(string) provider.Read[provider.Order] { return got(order()) }
	r.do = func(string, intent.Arguments) intent.Result {
		return intent.Result{Verdict: "<Refunded> & done.", Outcome: intent.Performed, DoNotRetry: true, Retry: intent.RetryNotNeeded, Attempts: 1}
	}
	s := mounted(r.catalog(t))
	refund := func(more string) string {
		return `{"name":"issue_refund","arguments":{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4"` + more + `}}`
	}
	tests := []struct {
		name, params, text string
		isError            bool
	}{
		{
			"performed", refund(`,"amount_cents":11800`),
			`{"verdict":"<Refunded> & done.","outcome":"performed","do_not_retry":true,"retry":"not_needed","attempts":1}`, false,
		},
		{
			"a name given twice survives the library", refund(`,"amount_cents":11800,"amount_cents":1`),
			`{"verdict":"Nothing was sent: amount_cents must not be given twice.","outcome":"not_performed","do_not_retry":false,` +
				`"retry":"fix_and_retry","reason":"invalid_arguments","note":"Correct the arguments and call again.","attempts":0,"environment":"sandbox"}`, true,
		},
		{
			"so does 118.0", refund(`,"amount_cents":118.0`),
			`{"verdict":"Nothing was sent: amount_cents must be a whole number of cents, written with digits only, such as 11800.","outcome":"not_performed",` +
				`"do_not_retry":false,"retry":"fix_and_retry","reason":"invalid_arguments","note":"Correct the arguments and call again.","attempts":0,"environment":"sandbox"}`, true,
		},
		{
			"no arguments", `{"name":"get_order"}`,
			`{"verdict":"Nothing was read: order_id is required.","outcome":"invalid_arguments","environment":"sandbox"}`, true,
		},
		{
			"null for arguments", `{"name":"get_order","arguments":null}`,
			`{"verdict":"Nothing was read: the arguments must be one JSON object.","outcome":"invalid_arguments","environment":"sandbox"}`, true,
		},
		{
			"a list for arguments", `{"name":"get_order","arguments":["SU-88421"]}`,
			`{"verdict":"Nothing was read: the arguments must be one JSON object.","outcome":"invalid_arguments","environment":"sandbox"}`, true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := wireCall(t, s, tt.params)
			if diff := cmp.Diff(got.Content[0].Text, tt.text); diff != "" {
				t.Errorf("text (-got +want):\n%s", diff)
			}
			if got.IsError != tt.isError {
				t.Errorf("isError is %v, want %v", got.IsError, tt.isError)
			}
		})
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	fallback := tools.Fallback(newRig(t).catalog(t))
	request := func(name string) mcp.CallToolRequest {
		return mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name}}
	}
	tests := []struct{ tool, want string }{
		{
			"issue_refund",
			`{"verdict":"This call has sent nothing: it met a fault inside this server.","outcome":"not_performed","do_not_retry":false,"retry":"wait_and_retry",` +
				`"retry_after_seconds":2,"reason":"internal_error","note":"Make the same call once more; if it meets the fault again, hand over to a person.",` +
				`"tell_customer":"We are working on it.","attempts":0,"environment":"sandbox"}`,
		},
		{
			"get_order",
			`{"verdict":"What was asked for could not be read just now; this call changed nothing. Ask again.","outcome":"unreachable","environment":"sandbox"}`,
		},
	}
	for _, tt := range tests {
		got := fallback(t.Context(), request(tt.tool))
		text, _ := got.Content[0].(mcp.TextContent)
		if diff := cmp.Diff(text.Text, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.tool, diff)
		}
		if !got.IsError {
			t.Errorf("%s: isError is false", tt.tool)
		}
	}
	if got := fallback(t.Context(), request("no_such_tool")); got != nil {
		t.Errorf("an unknown tool got %+v, want nothing", got)
	}
}

// mute is an answer that cannot be written down.
type mute struct{}

func (mute) IsError() bool                { return false }
func (mute) MarshalJSON() ([]byte, error) { return nil, io.ErrUnexpectedEOF }

// TestUnwritableAnswer: what became of the call is not known to its caller, so
// it must not read as if nothing had happened.
func TestUnwritableAnswer(t *testing.T) {
	t.Parallel()
	tool := newRig(t).tool(t, "issue_refund")
	tool.Call = func(context.Context, []byte) tools.Answer { return mute{} }
	got := wireCall(t, mounted([]tools.Tool{tool}), `{"name":"issue_refund","arguments":{}}`)
	if got.IsError || !strings.Contains(string(got.StructuredContent), `"outcome":"unknown","do_not_retry":true,"retry":"never"`) {
		t.Errorf("got %+v", got)
	}
}
