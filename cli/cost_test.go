package cli_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/cli"
	"counterfoil/server"
)

var costRounds = flag.Int("costs", 0, "TestCosts: how many rounds to measure; with -update they are written to docs/PERFORMANCE.md")

// wire sends one message and returns the answer to it.
type wire func(message string) string

// costed is one kind of call; message is asked for anew each time.
type costed struct {
	name    string
	wire    wire
	message func() string
	want    string // what the answer contains
}

// The calls that are measured, in the order of the table. The first is what the
// others are compared with: a tool of the MCP library's own server that returns
// the bytes of a repeat, without a middleware, a schema check or a ledger.
func costedCalls(tb testing.TB, wires wires) []costed {
	tb.Helper()
	repeat := refundMessage("11800")
	refunds := 0
	return []costed{
		{"a no-op on the bare library", wires.bare, always(toolCall("noop", "{}")), "already_performed"},
		{"the same no-op behind this server", wires.noop, always(toolCall("noop", "{}")), "already_performed"},
		{"a read of the ledger (list_effects)", wires.ours, always(toolCall("list_effects", `{"ticket_id":"T-9"}`)), `"found"`},
		{"a repeat of a performed refund", wires.ours, always(repeat), "already_performed"},
		{"a refund, performed at the sandbox", wires.ours, func() string {
			refunds++ // cents: no two are one intent
			return toolCall("issue_refund", fmt.Sprintf(`{"ticket_id":"T-4188","order_id":"SU-88510","item_id":"SOFA-LINEN-3",`+
				`"amount_cents":%d,"expected_refunded_cents":%d}`, refunds, refunds*(refunds-1)/2))
		}, `"performed"`},
	}
}

func always(message string) func() string { return func() string { return message } }

// mostRefunds is how many refunds of 1, 2, 3 … cents stay under the ticket's
// ceiling of 15000.
const mostRefunds = 170

// wires lead to the three servers over one transport.
type wires struct{ bare, noop, ours wire }

// noop makes a server's one tool, which answers with a repeat's own bytes.
func noop(s *mcpserver.MCPServer, result json.RawMessage) *mcpserver.MCPServer {
	tool := mcp.NewToolWithRawSchema("noop", "Does nothing.", json.RawMessage(`{"type":"object"}`))
	s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(result))}, StructuredContent: result}, nil
	})
	return s
}

// repeatResult is what a repeat of the incident's refund is answered.
func repeatResult(ours wire) json.RawMessage {
	ours(refundMessage("11800"))
	var reply struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	if err := json.Unmarshal([]byte(ours(refundMessage("11800"))), &reply); err != nil {
		panic(err)
	}
	return reply.Result.StructuredContent
}

func onStdio(tb testing.TB) wires {
	tb.Helper()
	r := newRig(tb)
	ours := piped(tb, func(in io.Reader, out io.Writer) {
		cli.Run([]string{"serve", "--log-level", "error"}, cli.Process{
			In: in, Out: out, Err: io.Discard,
			Getenv:  func(name string) string { return r.env[name] },
			Signals: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
	})
	result := repeatResult(ours)
	return wires{
		bare: piped(tb, func(in io.Reader, out io.Writer) {
			_ = mcpserver.NewStdioServer(noop(mcpserver.NewMCPServer("bare", "1"), result)).Listen(tb.Context(), in, out)
		}),
		noop: piped(tb, func(in io.Reader, out io.Writer) {
			_ = server.Stdio(tb.Context(), server.StdioOptions{MCP: noop(server.New("noop", "1", ""), result), In: in, Out: out})
		}),
		ours: ours,
	}
}

// piped runs a server on two pipes and speaks to it a line at a time.
func piped(tb testing.TB, serve func(in io.Reader, out io.Writer)) wire {
	tb.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer out.Close()
		serve(in, out)
	}()
	tb.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		<-ended
	})
	lines := bufio.NewReader(fromServer)
	return func(message string) string {
		if _, err := io.WriteString(toServer, message+"\n"); err != nil {
			tb.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			tb.Fatal(err)
		}
		return line
	}
}

func onHTTP(tb testing.TB) wires {
	tb.Helper()
	r := newRig(tb)
	ours := posted(tb, r.serveHTTP("--log-level", "error").url)
	result := repeatResult(ours)
	bare := mcpserver.NewStreamableHTTPServer(noop(mcpserver.NewMCPServer("bare", "1"), result), mcpserver.WithStateLess(true))
	return wires{
		bare: posted(tb, listening(tb, func(l net.Listener) {
			s := &http.Server{Handler: bare, ReadHeaderTimeout: time.Minute}
			tb.Cleanup(func() { s.Close() })
			_ = s.Serve(l)
		})),
		noop: posted(tb, listening(tb, func(l net.Listener) {
			_ = server.HTTP(tb.Context(), server.HTTPOptions{MCP: noop(server.New("noop", "1", ""), result), Listener: l})
		})),
		ours: ours,
	}
}

// listening serves on a port of loopback and returns the endpoint's address.
func listening(tb testing.TB, serve func(net.Listener)) string {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	go serve(l)
	return "http://" + l.Addr().String() + server.Path
}

// posted speaks to an endpoint over one connection that stays open.
func posted(tb testing.TB, url string) wire {
	tb.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	tb.Cleanup(client.CloseIdleConnections)
	return func(message string) string {
		req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			tb.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := client.Do(req)
		if err != nil {
			tb.Fatal(err)
		}
		defer resp.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(resp.Body); err != nil {
			tb.Fatal(err)
		}
		return text.String()
	}
}

// once makes one call, and times it.
func (c costed) once(tb testing.TB) time.Duration {
	tb.Helper()
	message := c.message()
	began := time.Now()
	answer := c.wire(message)
	took := time.Since(began)
	if !strings.Contains(answer, c.want) {
		tb.Fatalf("%s: %s was answered %s", c.name, message, answer)
	}
	return took
}

var transports = []struct {
	name string
	open func(testing.TB) wires
}{{"stdio", onStdio}, {"HTTP", onHTTP}}

// What a whole call costs, next to a no-op on the bare library, in one run with
// the calls by turns. Nothing is held against a time: a machine may be busy.
func TestCosts(t *testing.T) {
	rounds := max(*costRounds, 3)
	table := &strings.Builder{}
	fmt.Fprintf(table, "%s, %s/%s, %d CPUs; mcp-go v1.2.1; %d rounds of 20 calls of each kind, 1 refund a round; medians.\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds)
	table.WriteString("| transport | call | p50 | p99 | p50, as a multiple of the bare no-op |\n| --- | --- | --- | --- | --- |\n")
	for _, transport := range transports {
		calls := costedCalls(t, transport.open(t))
		took := make([][]time.Duration, len(calls))
		for round := range rounds {
			for i, c := range calls {
				times := 20
				if i == len(calls)-1 {
					times = min(1, max(0, mostRefunds-round))
				}
				for range times {
					took[i] = append(took[i], c.once(t))
				}
			}
		}
		for i, c := range calls {
			slices.Sort(took[i])
			fmt.Fprintf(table, "| %s | %s | %v | %v | %.2f |\n", transport.name, c.name,
				at(took[i], 50).Round(time.Microsecond), at(took[i], 99).Round(time.Microsecond),
				float64(at(took[i], 50))/float64(at(took[0], 50)))
		}
	}
	t.Log("\n" + table.String())
	if *costRounds > 0 && *update {
		inDocument(t, "../docs/PERFORMANCE.md", "go test ./cli -run TestCosts -costs 150 -update", table.String())
	}
}

// at is a percentile of sorted times.
func at[T cmp.Ordered](sorted []T, percent int) T { return sorted[(len(sorted)-1)*percent/100] }

func BenchmarkCall(b *testing.B) {
	for _, transport := range transports {
		b.Run(transport.name, func(b *testing.B) {
			for _, c := range costedCalls(b, transport.open(b)) {
				b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
					if c.want == `"performed"` && b.N > mostRefunds {
						b.Skip("the ticket's ceiling allows ", mostRefunds)
					}
					for b.Loop() {
						c.once(b)
					}
				})
			}
		})
	}
}
