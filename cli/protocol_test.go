package cli_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the generated sections of docs/PROTOCOL.md and docs/PERFORMANCE.md")

// hostile is one input that no client in its right mind sends.
type hostile struct {
	name    string
	message string
	header  string // over HTTP alone: there is no such thing on stdio
	classes string // of the principal who sends it, over HTTP alone
}

var hostiles = []hostile{
	{name: "not JSON", message: `refund it, please`},
	{name: "a batch", message: "[" + toolCall("get_order", `{"order_id":"SU-88421"}`) + "]"},
	{name: "an unknown method", message: `{"jsonrpc":"2.0","id":1,"method":"tools/destroy","params":{}}`},
	{name: "a tool that does not exist", message: toolCall("drain_account", `{}`)},
	{name: "wrong types: `params` a list", message: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["issue_refund"]}`},
	{name: "wrong types: arguments a list", message: toolCall("issue_refund", `[]`)},
	{name: "wrong types: `ticket_id` a number", message: strings.Replace(refundMessage(`11800`), `"T-4127"`, `4127`, 1)},
	{name: "duplicate keys: `method`", message: strings.Replace(refundMessage(`11800`), `"id":1`, `"id":1,"method":"ping"`, 1)},
	{name: "duplicate keys: `name`", message: strings.Replace(refundMessage(`11800`), `"params":{`, `"params":{"name":"get_order",`, 1)},
	{name: "duplicate keys: `amount_cents`", message: refundMessage(`100,"amount_cents":11800`)},
	{name: "a message of 2 MiB", message: toolCall("escalate_to_human", `{"ticket_id":"T-4127","reason":"other","summary":"`+strings.Repeat("a", 2<<20)+`"}`)},
	{name: "arguments of 100 KiB", message: toolCall("escalate_to_human", `{"ticket_id":"T-4127","reason":"other","summary":"`+strings.Repeat("a", 100<<10)+`"}`)},
	{name: "10,000-deep nesting", message: refundMessage(nested(10_000))},
	{name: "1,000-deep nesting", message: refundMessage(nested(1_000))},
	{name: "invalid UTF-8", message: strings.Replace(refundMessage(`11800`), "T-4127", "T-4127\xff", 1)},
	{name: "half a surrogate pair", message: strings.Replace(refundMessage(`11800`), "T-4127", `T-4127\ud800`, 1)},
	{name: "amount 118.5", message: refundMessage(`118.5`)},
	{name: "amount 1e2", message: refundMessage(`1e2`)},
	{name: "amount \"11800\"", message: refundMessage(`"11800"`)},
	{name: "amount -1", message: refundMessage(`-1`)},
	{name: "amount 2^53+1", message: refundMessage(`9007199254740993`)},
	{name: "amount 1e999", message: refundMessage(`1e999`)},
	{name: "a principal without the class (on stdio there are no principals)", message: refundMessage(`11800`), classes: "read"},
	{name: "a token that nobody was given", message: refundMessage(`11800`), header: "Authorization: Bearer cf_aaaaaaaa_" + strings.Repeat("a", 52)},
	{name: "`Mcp-Session-Id` forged", message: refundMessage(`-1`), header: "Mcp-Session-Id: mcp-session-4711"},
	{name: "`Origin` of another site", message: refundMessage(`11800`), header: "Origin: https://evil.example"},
	{name: "`Host` rebound", message: refundMessage(`11800`), header: "Host: evil.example"},
}

func toolCall(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
}

// refundMessage is the incident's call, but for the amount.
func refundMessage(amount string) string {
	return toolCall("issue_refund", `{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4","amount_cents":`+amount+`}`)
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// Every hostile input gets a clear answer, the same on both transports; nothing
// is sent, memory stays bounded, and the next good call is served.
func TestProtocolTable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	pipe, site := r.pipe(), r.site()
	var table strings.Builder
	table.WriteString("| what is sent | over HTTP | what is answered |\n| --- | --- | --- |\n")
	for _, h := range hostiles {
		if h.classes != "" {
			_, token := r.newToken("agent", h.classes)
			h.header = bearer(token)
		}
		status, answer := site.send(h.message, h.header)
		over := strconv.Itoa(status)
		if h.header == "" {
			if diff := cmp.Diff(pipe.send(h.message), answer); diff != "" {
				t.Errorf("%s: the transports differ (-stdio +HTTP):\n%s", h.name, diff)
			}
		} else {
			over += ", HTTP only"
		}
		if len(answer) > 2000 {
			t.Errorf("%s: an answer of %d bytes", h.name, len(answer))
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", h.name, over, inWords(answer))
	}
	if books := r.must(0, "sandbox", "effects", "--json").out; !strings.HasPrefix(books, `{"effects":[],`) {
		t.Errorf("something was sent: %s", books)
	}
	for name, cmd := range map[string]*exec.Cmd{"stdio": pipe.cmd, "HTTP": site.cmd} {
		mustBeSmall(t, name, cmd)
	}
	if got := inWords(pipe.send(refundMessage(`11800`))); !strings.HasPrefix(got, "result: performed") {
		t.Errorf("then, on stdio: %s", got)
	}
	if _, answer := site.send(refundMessage(`11800`), ""); !strings.HasPrefix(inWords(answer), "result: already_performed") {
		t.Errorf("then, over HTTP: %s", answer)
	}
	inDocument(t, "../docs/PROTOCOL.md", "go test ./cli -run TestProtocolTable -update", table.String())
}

// mustBeSmall bounds what a process has held at its most. The race detector's
// own memory is many times that.
func mustBeSmall(t *testing.T, name string, cmd *exec.Cmd) {
	t.Helper()
	const most = 64 << 10 // kB
	peak := peakMemory(t, strconv.Itoa(cmd.Process.Pid))
	t.Logf("%s: at most %s held, through the whole table", name, peak)
	var kB int
	if _, err := fmt.Sscanf(peak, "%d kB", &kB); err == nil && kB > most && !raced() {
		t.Errorf("%s held %s", name, peak)
	}
}

func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return !ok || slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// inWords is an answer as the document shows it.
func inWords(answer string) string {
	var reply struct {
		Error *struct {
			Code    int
			Message string
		}
		Result struct {
			IsError           bool
			StructuredContent struct{ Verdict, Outcome, Reason string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return strings.TrimSpace(answer)
	}
	if reply.Error != nil {
		return fmt.Sprintf("error %d: %s", reply.Error.Code, reply.Error.Message)
	}
	said := reply.Result.StructuredContent
	code := said.Outcome
	if said.Reason != "" {
		code += ", " + said.Reason
	}
	return fmt.Sprintf("result: %s: %s", code, said.Verdict)
}

// inDocument compares the section of a document that a command generated.
func inDocument(t *testing.T, path, command, section string) {
	t.Helper()
	begin, end := "<!-- generated: "+command+" -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no generated section", path)
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+section+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case old != section:
		t.Errorf("%s is out of date; run the test with -update (-document +now):\n%s", path, cmp.Diff(old, section))
	}
}

// pipe is a process that serves on stdio.
type pipe struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func (r *rig) pipe() *pipe {
	r.t.Helper()
	cmd := r.child("serve", "--log-level", "error")
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return &pipe{r.t, cmd, in, bufio.NewReader(out)}
}

// send sends one line and returns the next.
func (p *pipe) send(line string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// site is a process that serves over HTTP.
type site struct {
	t   testing.TB
	cmd *exec.Cmd
	url string
}

func (r *rig) site() *site {
	r.t.Helper()
	cmd := r.child("serve", "--http", "127.0.0.1:0", "--log-level", "error")
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return &site{r.t, cmd, listeningOn(r.t, out)}
}

// listeningOn reads the address that the first line names.
func listeningOn(t testing.TB, out io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok || !strings.HasSuffix(url, "/mcp") {
		t.Fatalf("it began with %q, %v", line, err)
	}
	return url
}

// send posts one message.
func (s *site) send(message, header string) (status int, answer string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(message))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if name, value, ok := strings.Cut(header, ": "); ok {
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
