package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/server"
)

// site is a server on a real socket. What hangs in a test hangs for a minute.
type site struct {
	t       *testing.T
	addr    string
	client  *http.Client
	engine  *engine
	signals chan os.Signal
	done    chan error
}

// open serves over HTTP until the test ends.
func open(t *testing.T, s *mcpserver.MCPServer, with ...func(*server.HTTPOptions)) *site {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	h := &site{
		t: t, addr: listener.Addr().String(), client: &http.Client{Transport: transport, Timeout: time.Minute},
		engine: &engine{}, signals: make(chan os.Signal, 4), done: make(chan error, 1),
	}
	opts := server.HTTPOptions{MCP: s, Listener: listener, Engine: h.engine, Signals: h.signals}
	for _, change := range with {
		change(&opts)
	}
	ctx, leave := context.WithCancel(context.Background())
	go func() { h.done <- server.HTTP(ctx, opts) }()
	t.Cleanup(func() {
		leave()
		transport.CloseIdleConnections()
	})
	return h
}

// got is what a request was answered.
type got struct {
	status int
	header http.Header
	body   string
}

// do makes one request; headers are given as "Name: value".
func (h *site) do(ctx context.Context, method, path string, body io.Reader, headers ...string) (got, error) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+h.addr+path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return got{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(text)}, err
}

// post sends one message and has to be answered.
func (h *site) post(message string, headers ...string) got {
	h.t.Helper()
	g, err := h.do(h.t.Context(), http.MethodPost, server.Path, strings.NewReader(message), headers...)
	if err != nil {
		h.t.Fatal(err)
	}
	return g
}

func (h *site) get(path string) got {
	h.t.Helper()
	g, err := h.do(h.t.Context(), http.MethodGet, path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return g
}

// later posts a message and goes on; the answer comes through the channel.
func (h *site) later(ctx context.Context, message string) <-chan got {
	answer := make(chan got, 1)
	go func() {
		g, err := h.do(ctx, http.MethodPost, server.Path, strings.NewReader(message))
		if err != nil {
			g.body = err.Error()
		}
		answer <- g
	}()
	return answer
}

func (g got) reply(t *testing.T) answer {
	t.Helper()
	a := answer{raw: g.body}
	if err := json.Unmarshal([]byte(g.body), &a); err != nil || a.JSONRPC != "2.0" {
		t.Fatalf("got %d %q, which is not JSON-RPC", g.status, g.body)
	}
	return a
}

// mustSay wants a result with one text.
func (g got) mustSay(t *testing.T, want string) {
	t.Helper()
	if g.status != http.StatusOK {
		t.Fatalf("got %d %s", g.status, g.body)
	}
	if text := g.reply(t).text(t); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

// mustRefuse wants a status and a JSON-RPC error.
func (g got) mustRefuse(t *testing.T, status, code int) {
	t.Helper()
	a := g.reply(t)
	if g.status != status || a.Error == nil || a.Error.Code != code {
		t.Errorf("got %d %s, want %d and error %d", g.status, g.body, status, code)
	}
}

// left waits for HTTP to return.
func (h *site) left() error {
	h.t.Helper()
	return receive(h.t, h.done)
}

func (h *site) mustLeave() {
	h.t.Helper()
	if err := h.left(); err != nil {
		h.t.Errorf("left with %v", err)
	}
}

func (h *site) mustGiveUp() {
	h.t.Helper()
	if err := h.left(); !errors.Is(err, server.ErrUnfinished) {
		h.t.Errorf("left with %v, want ErrUnfinished", err)
	}
}

// receive waits for what has to come.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatal("waited for a minute")
		panic("unreachable")
	}
}
