package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/server"
)

type handler = mcpserver.ToolHandlerFunc

// rig is a client at the other end of Stdio. It belongs in a synctest bubble,
// where waiting takes no time and time is exact.
type rig struct {
	t       *testing.T
	in      *io.PipeWriter
	out     *io.PipeReader
	lines   chan string
	early   map[string]answer // read while waiting for another
	signals chan os.Signal
	parent  atomic.Int64
	engine  *engine
	done    chan error
	begun   time.Time
}

// answer is one line from the server.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// connect starts Stdio and reads all that it writes.
func connect(t *testing.T, s *mcpserver.MCPServer) *rig {
	t.Helper()
	r := connectUnread(t, s)
	go func() {
		lines := bufio.NewReader(r.out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			r.lines <- line
		}
	}()
	return r
}

// connectUnread starts Stdio for a client that does not read.
func connectUnread(t *testing.T, s *mcpserver.MCPServer) *rig {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	r := &rig{
		t:       t,
		in:      toServer,
		out:     fromServer,
		lines:   make(chan string, 10_000),
		early:   make(map[string]answer),
		signals: make(chan os.Signal, 4),
		engine:  &engine{},
		done:    make(chan error, 1),
		begun:   time.Now(),
	}
	r.parent.Store(4711)
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = fromServer.Close()
		<-time.After(2 * time.Hour) // what hangs in a test hangs for one
	})
	go func() {
		r.done <- server.Stdio(context.Background(), server.StdioOptions{
			MCP:       s,
			In:        in,
			Out:       out,
			Engine:    r.engine,
			Signals:   r.signals,
			ParentPID: func() int { return int(r.parent.Load()) },
		})
	}()
	return r
}

func (r *rig) send(lines ...string) {
	r.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(r.in, line+"\n"); err != nil {
			r.t.Fatalf("the server no longer reads: %v", err)
		}
	}
}

// call asks for a tool under an id.
func (r *rig) call(id int, tool string) {
	r.t.Helper()
	r.send(callLine(id, tool))
}

func callLine(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

func (r *rig) end() { _ = r.in.Close() }

// next returns the next line from the server.
func (r *rig) next() answer {
	r.t.Helper()
	select {
	case line := <-r.lines:
		a := answer{raw: line}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" {
			r.t.Fatalf("stdout carries %q, which is not JSON-RPC", line)
		}
		return a
	case <-time.After(time.Minute):
		r.t.Fatal("no line from the server within a minute")
		return answer{}
	}
}

// reply returns the answer to that id, as it is written in JSON.
func (r *rig) reply(id string) answer {
	r.t.Helper()
	for {
		if a, ok := r.early[id]; ok {
			delete(r.early, id)
			return a
		}
		a := r.next()
		r.early[string(a.ID)] = a
	}
}

// text returns the text of the result under that id.
func (r *rig) text(id int) string {
	r.t.Helper()
	return r.reply(fmt.Sprint(id)).text(r.t)
}

func (a answer) text(t *testing.T) string {
	t.Helper()
	var result struct {
		Content []struct{ Text string } `json:"content"`
	}
	if a.Error != nil || json.Unmarshal(a.Result, &result) != nil || len(result.Content) != 1 {
		t.Fatalf("got %s, want a result with one text", a.raw)
	}
	return result.Content[0].Text
}

// left waits for Stdio to return, and says how long after the connection.
func (r *rig) left() (time.Duration, error) {
	r.t.Helper()
	select {
	case err := <-r.done:
		return time.Since(r.begun), err
	case <-time.After(time.Hour):
		r.t.Fatal("Stdio has not returned within an hour")
		return 0, nil
	}
}

// mustLeave wants Stdio to return nil, that long after the connection.
func (r *rig) mustLeave(after time.Duration) {
	r.t.Helper()
	if got, err := r.left(); got != after || err != nil {
		r.t.Errorf("left after %v with %v, want after %v with no error", got, err, after)
	}
}

// mustGiveUp wants Stdio to return ErrUnfinished, that long after the connection.
func (r *rig) mustGiveUp(after time.Duration) {
	r.t.Helper()
	if got, err := r.left(); got != after || !errors.Is(err, server.ErrUnfinished) {
		r.t.Errorf("left after %v with %v, want after %v with ErrUnfinished", got, err, after)
	}
}

// mustBeSilent wants no further line.
func (r *rig) mustBeSilent() {
	r.t.Helper()
	select {
	case line := <-r.lines:
		r.t.Errorf("the server wrote %s", line)
	case <-time.After(500 * time.Millisecond):
	}
}

// engine records how it was told to leave.
type engine struct {
	mu       sync.Mutex
	leaves   [][2]time.Duration
	detached sync.WaitGroup
}

func (e *engine) Leave(claimFor, finishWithin time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leaves = append(e.leaves, [2]time.Duration{claimFor, finishWithin})
}

func (e *engine) Wait(context.Context) { e.detached.Wait() }

// The two ways to leave.
var (
	afterInput  = [2]time.Duration{time.Second, 3 * time.Second}
	afterSignal = [2]time.Duration{0, 3 * time.Second}
)

func (e *engine) mustHaveLeft(t *testing.T, want ...[2]time.Duration) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if fmt.Sprint(e.leaves) != fmt.Sprint(want) {
		t.Errorf("the engine was told to leave %v, want %v", e.leaves, want)
	}
}

// tools returns a server whose write tools are those given.
func tools(handlers map[string]handler) *mcpserver.MCPServer {
	s := server.New("counterfoil", "0.0.0", "Ask for what you need.")
	for name, h := range handlers {
		s.AddTool(mcp.NewTool(name), h)
	}
	return s
}

// readTool adds a tool of the class read, which answers at once.
func readTool(s *mcpserver.MCPServer, name string) {
	s.AddTool(mcp.NewTool(name, mcp.WithReadOnlyHintAnnotation(true)), says("read"))
}

func says(text string) handler {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(text), nil
	}
}

// takes answers after d, whatever becomes of ctx, and says what became of it.
func takes(d time.Duration) handler {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-time.After(d)
		return mcp.NewToolResultText(fmt.Sprint("context: ", ctx.Err())), nil
	}
}

// untilCancelled answers when its context ends.
func untilCancelled(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	<-ctx.Done()
	return mcp.NewToolResultText(fmt.Sprint("context: ", ctx.Err())), nil
}

// waitsFor answers once gate is closed, and counts the calls that ran.
func waitsFor(gate <-chan struct{}, ran *atomic.Int64) handler {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran.Add(1)
		<-gate
		return mcp.NewToolResultText("done"), nil
	}
}
