package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
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

// The policy is read again when it changes; what cannot be read lifts nothing;
// without a file the built-in one holds.
func TestServeReadsPolicyAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.serve("serve")
	asks := func(item string, cents int, want any) {
		t.Helper()
		if got := c.call("issue_refund", refundOf(item, cents)); got["reason"] != want {
			t.Errorf("%d cents of %s: %v, want %v", cents, item, got, want)
		}
	}
	r.policy("refund_ceilings: {USD: {per_refund_cents: 100, per_ticket_cents: 50000}}")
	asks("HOOK-OAK-2", 101, "approval_required")
	r.policy("refund_ceilings: {USD: everything}")
	asks("SHELF-OAK-4", 101, "approval_required")
	if err := os.Remove(r.dir + "/policy.yaml"); err != nil {
		t.Fatal(err)
	}
	asks("SHELF-OAK-4", 101, nil)
	c.sig <- syscall.SIGTERM
	got := <-c.ended
	if got.code != 0 {
		t.Errorf("ended with %d", got.code)
	}
	for _, says := range []string{"the policy cannot be read", "the policy's file is gone"} {
		if n := strings.Count(got.err, says); n != 1 {
			t.Errorf("said %d times that %s, want once:\n%s", n, says, got.err)
		}
	}
}

// While its file cannot be read, a policy that was lifted above the built-in one
// falls back to it.
func TestServeDistrustsHighPolicyItCannotRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.serve("serve")
	r.policy("refund_ceilings: {USD: {per_refund_cents: 50000, per_ticket_cents: 50000}}")
	if got := c.call("issue_refund", refundOf("HOOK-OAK-2", 101))["outcome"]; got != "performed" {
		t.Errorf("under the high ceiling: %v", got)
	}
	sofa := map[string]any{"ticket_id": "T-4188", "order_id": "SU-88510", "item_id": "SOFA-LINEN-3", "amount_cents": 15001}
	r.policy("refund_ceilings: {USD: everything}")
	if got := c.call("issue_refund", sofa)["reason"]; got != "approval_required" {
		t.Errorf("above the built-in ceiling: %v", got)
	}
	r.policy("refund_ceilings: {USD: {per_refund_cents: 50000, per_ticket_cents: 50000}}")
	if got := c.call("issue_refund", sofa)["outcome"]; got != "performed" {
		t.Errorf("once it can be read again: %v", got)
	}
}

// A file of the same time and size is another policy all the same.
func TestServeReadsPolicyOfSameStamp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.serve("serve")
	at := time.Unix(1_700_000_000, 0)
	write := func(text string) {
		t.Helper()
		r.policy(text)
		if err := os.Chtimes(r.dir+"/policy.yaml", at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("refund_ceilings: {USD: {per_refund_cents: 9000, per_ticket_cents: 9000}}")
	if got := c.call("issue_refund", refundOf("SHELF-OAK-4", 101))["outcome"]; got != "performed" {
		t.Errorf("under the ceiling: %v", got)
	}
	write("refund_ceilings: {USD: {per_refund_cents: 1000, per_ticket_cents: 1000}}")
	if got := c.call("issue_refund", refundOf("HOOK-OAK-2", 1001))["reason"]; got != "approval_required" {
		t.Errorf("over the new ceiling: %v", got)
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

// What waits for its next try is not passed over in silence.
func TestSweepTellsOfTheOutbox(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.must(0, "sweep").out; strings.Contains(got, "outbox") {
		t.Errorf("with nothing queued it printed %s", got)
	}
	r.must(0, "sandbox", "fault", "escalations.create", "down")
	r.must(3, "call", "escalate_to_human", "ticket_id=T-4127", "reason=safety", "summary=Sharp edges.")
	r.must(0, "sandbox", "reset", "--faults")
	got := r.must(0, "sweep").out
	if said := regexp.MustCompile(`people told 0, .*\n1 message to people waits in the outbox; the next try is due at 20\S+Z\n$`); !said.MatchString(got) {
		t.Errorf("printed %s", got)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	got := newRig(t).must(0, "version").out
	if !strings.HasPrefix(got, "counterfoil 0.") {
		t.Errorf("printed %q", got)
	}
	if flag := newRig(t).must(0, "--version").out; flag != got {
		t.Errorf("--version printed %q, version %q", flag, got)
	}
}
