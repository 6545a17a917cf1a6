package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// client is an MCP client of a server that runs in this process.
type client struct {
	t     testing.TB
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan ran
	sig   chan os.Signal
	n     int
}

func (r *rig) serve(args ...string) *client {
	r.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: r.t, in: toServer, out: bufio.NewReader(fromServer), ended: make(chan ran, 1), sig: make(chan os.Signal, 1)}
	server := &rig{t: r.t, dir: r.dir, env: r.env, in: in, out: out, sig: c.sig}
	go func() {
		defer out.Close()
		c.ended <- server.run(args...)
	}()
	c.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	return c
}

// ask sends a request and returns its result.
func (c *client) ask(method string, params any) json.RawMessage {
	c.t.Helper()
	c.n++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.n, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "%s\n", request); err != nil {
		c.t.Fatal(err)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("no answer to %s: %v", method, err)
	}
	var reply struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(line, &reply); err != nil || reply.ID != c.n || reply.Result == nil {
		c.t.Fatalf("%s was answered %s", method, line)
	}
	return reply.Result
}

// call calls a tool and returns its structured content.
func (c *client) call(tool string, args map[string]any) map[string]any {
	c.t.Helper()
	var result struct {
		StructuredContent map[string]any `json:"structuredContent"`
	}
	if err := json.Unmarshal(c.ask("tools/call", map[string]any{"name": tool, "arguments": args}), &result); err != nil {
		c.t.Fatal(err)
	}
	return result.StructuredContent
}

func refundOf(item string, cents int) map[string]any {
	return map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": item, "amount_cents": cents}
}

func TestServe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.serve() // without a command
	if tools := string(c.ask("tools/list", map[string]any{})); !strings.Contains(tools, `"issue_refund"`) || !strings.Contains(tools, `"list_effects"`) {
		t.Errorf("the tools are %s", tools)
	}
	if got := c.call("issue_refund", refundOf("SHELF-OAK-4", 11800)); got["outcome"] != "performed" {
		t.Errorf("got %v", got)
	}
	if got := fields(t, r.must(0, refund("--json")...).out); got["outcome"] != "already_performed" {
		t.Errorf("another process got %v", got)
	}
	c.in.Close()
	if got := <-c.ended; got.code != 0 {
		t.Errorf("ended with %d: %s", got.code, got.err)
	}
}

// The policy is read again when it changes; what cannot be read changes nothing.
func TestServeReadsPolicyAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.serve("serve")
	hook := func(cents int) any { return c.call("issue_refund", refundOf("HOOK-OAK-2", cents))["reason"] }
	r.policy("refund_ceilings: {USD: {per_refund_cents: 100, per_ticket_cents: 15000}}")
	if got := hook(101); got != "approval_required" {
		t.Errorf("over the new ceiling: %v", got)
	}
	r.policy("refund_ceilings: {USD: everything}")
	if got := c.call("issue_refund", refundOf("SHELF-OAK-4", 101))["reason"]; got != "approval_required" {
		t.Errorf("with a policy that cannot be read: %v", got)
	}
	if err := os.Remove(r.dir + "/policy.yaml"); err != nil {
		t.Fatal(err)
	}
	if got := c.call("issue_refund", refundOf("SHELF-OAK-4", 101))["reason"]; got != "approval_required" {
		t.Errorf("with no policy any more: %v", got)
	}
	c.sig <- syscall.SIGTERM
	got := <-c.ended
	if got.code != 0 {
		t.Errorf("ended with %d", got.code)
	}
	if n := strings.Count(got.err, "the policy cannot be read"); n != 2 {
		t.Errorf("warned %d times of the policy, want 2:\n%s", n, got.err)
	}
}

// Without a ledger the server reads, and sends nothing.
func TestServeWithoutLedger(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	account := fields(t, r.must(0, "key", "escalate_to_human", "--facts", "ticket=T-4127", "reason=other", "--json").out)["account"]
	if err := os.WriteFile(r.dir+"/"+account.(string)+".ledger.db", []byte(strings.Repeat("damaged ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := r.serve()
	if got := c.call("get_order", map[string]any{"order_id": "SU-88421"}); got["outcome"] != "found" {
		t.Errorf("got %v", got)
	}
	if got := c.call("issue_refund", refundOf("SHELF-OAK-4", 11800)); got["reason"] != "ledger_unavailable" {
		t.Errorf("got %v", got)
	}
	c.in.Close()
	<-c.ended
}

func TestSweepCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.must(0, "sweep", "--json").out; got != `{"looked":0,"settled":0,"performed":0,"delivered":0,"notified":0}`+"\n" {
		t.Errorf("printed %s", got)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := newRig(t).must(0, "version").out; !strings.HasPrefix(got, "counterfoil 0.") {
		t.Errorf("printed %q", got)
	}
}
