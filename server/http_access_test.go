package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/server"
)

// asking is a principal in a test's header, and in the context.
type asking struct{}

// known admits whoever names themselves in the header Who, and keeps the tools
// of a principal called reader to those that look.
func known(o *server.HTTPOptions) {
	o.Admit = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Who") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asking{}, r.Header.Get("Who"))))
		})
	}
	o.Hides = func(ctx context.Context, tool string) bool {
		return ctx.Value(asking{}) == "reader" && !strings.HasPrefix(tool, "look")
	}
}

// eras are the two ways to ask for the same.
var eras = map[string]func(h *site, method, params string, headers ...string) got{
	"handshake": func(h *site, method, params string, headers ...string) got {
		return h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params), headers...)
	},
	"stateless": func(h *site, method, params string, headers ...string) got {
		if params != "" {
			params += ","
		}
		return h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params+newEra),
			append(headers, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: "+method)...)
	},
}

// What a principal may not use is not there, in both eras: not listed, and a call
// of it is answered as a call of a tool that does not exist, to the byte.
func TestHTTPHiddenTools(t *testing.T) {
	t.Parallel()
	var paid atomic.Int64
	s := tools(map[string]handler{"pay": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		paid.Add(1)
		return mcp.NewToolResultText("paid"), nil
	}})
	readTool(s, "look")
	readTool(s, "look_again")
	h := open(t, s, known)
	for era, ask := range eras {
		list := func(who string) (names []string) {
			var result struct{ Tools []struct{ Name string } }
			decode(t, ask(h, "tools/list", "", "Who: "+who), &result)
			for _, tool := range result.Tools {
				names = append(names, tool.Name)
			}
			return names
		}
		if diff := cmp.Diff([]string{"look", "look_again"}, list("reader")); diff != "" {
			t.Errorf("%s: a reader's list (-want +got):\n%s", era, diff)
		}
		if diff := cmp.Diff([]string{"look", "look_again", "pay"}, list("payer")); diff != "" {
			t.Errorf("%s: a payer's list (-want +got):\n%s", era, diff)
		}
		call := func(tool, who string) got {
			return ask(h, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, tool), "Who: "+who, "Mcp-Name: "+tool)
		}
		hidden, absent := call("pay", "reader"), call("pax", "reader")
		if hidden.status != absent.status || hidden.body != strings.Replace(absent.body, "pax", "pay", 1) || !strings.Contains(hidden.body, "Unknown tool") {
			t.Errorf("%s: hidden %d %s\nabsent %d %s", era, hidden.status, hidden.body, absent.status, absent.body)
		}
		for _, name := range []string{"Date", "Content-Length"} {
			hidden.header.Del(name)
			absent.header.Del(name)
		}
		if diff := cmp.Diff(absent.header, hidden.header); diff != "" {
			t.Errorf("%s: the headers tell them apart (-absent +hidden):\n%s", era, diff)
		}
		call("look", "reader").mustSay(t, "read")
		if paid.Load() != 0 {
			t.Fatalf("%s: a reader has paid", era)
		}
		call("pay", "payer").mustSay(t, "paid")
		paid.Store(0)
	}
}

func decode(t *testing.T, g got, into any) {
	t.Helper()
	if err := json.Unmarshal(g.reply(t).Result, into); err != nil {
		t.Fatalf("%v in %d %s", err, g.status, g.body)
	}
}

// A write that comes too soon is turned away before anything of it has begun;
// reads, lists, and what is not there for the caller are not counted.
func TestHTTPThrottle(t *testing.T) {
	t.Parallel()
	var paid, asked atomic.Int64
	s := tools(map[string]handler{"pay": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		paid.Add(1)
		return mcp.NewToolResultText("paid"), nil
	}})
	readTool(s, "look")
	h := open(t, s, known, func(o *server.HTTPOptions) {
		o.Wait = func(ctx context.Context) time.Duration {
			if asked.Add(1) == 1 {
				return 0
			}
			if ctx.Value(asking{}) != "payer" {
				t.Errorf("asked for %v", ctx.Value(asking{}))
			}
			return 1500 * time.Millisecond
		}
	})
	h.post(callLine(1, "pay"), "Who: payer").mustSay(t, "paid")
	soon := h.post(callLine(2, "pay"), "Who: payer")
	soon.mustRefuse(t, http.StatusTooManyRequests, -32010)
	if got := soon.header.Get("Retry-After"); got != "2" || !strings.Contains(soon.body, "nothing of this call was begun") || !strings.Contains(soon.body, "in 2 s") {
		t.Errorf("Retry-After %q, %s", got, soon.body)
	}
	for _, message := range []string{callLine(3, "look"), `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":5,"method":"ping"}`, callLine(6, "pax")} {
		if got := h.post(message, "Who: payer"); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", message, got.status, got.body)
		}
	}
	if got := h.post(callLine(7, "pay"), "Who: reader"); !strings.Contains(got.body, "Unknown tool") {
		t.Errorf("hidden: %d %s", got.status, got.body)
	}
	if paid.Load() != 1 || asked.Load() != 2 {
		t.Errorf("%d writes ran, %d were counted", paid.Load(), asked.Load())
	}
}

func TestHTTPPagesAndAdmission(t *testing.T) {
	t.Parallel()
	metrics := server.NewMetrics(func(context.Context) (server.Books, error) { return server.Books{}, nil })
	h := open(t, tools(nil), known, func(o *server.HTTPOptions) {
		o.Metrics = metrics
		o.Open = map[string]http.Handler{"/.well-known/x/mcp": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "open") })}
	})
	for path, status := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/.well-known/x/mcp": 200, "/metrics": 401, "/mcp": 401, "/elsewhere": 404, "/.well-known/x": 404,
	} {
		if got := h.get(path); got.status != status {
			t.Errorf("%s: got %d, want %d", path, got.status, status)
		}
	}
	if got, err := h.do(t.Context(), http.MethodGet, "/metrics", nil, "Who: reader"); err != nil || got.status != http.StatusOK {
		t.Errorf("/metrics: %d, %v", got.status, err)
	}
	if got := h.post("{}", "Host: evil.example", "Who: reader"); got.status != http.StatusForbidden {
		t.Errorf("a name that is not ours: %d", got.status)
	}
}

// A server that listens on every address is called by the one that was dialled,
// by its further names, and by no other.
func TestHTTPHostsOnEveryAddress(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, tools(nil), func(o *server.HTTPOptions) {
		_ = o.Listener.Close()
		o.Listener, o.Hosts = dialledAt{listener, "198.51.100.7"}, []string{"support.example.com"}
	})
	for host, status := range map[string]int{
		"127.0.0.1:" + port: 200, "support.example.com": 200, "Support.Example.Com:443": 200,
		"198.51.100.7:" + port: 200, "198.51.100.8": 403, "192.0.2.1": 403, "example.com": 403, "support.example.com.evil.example": 403,
	} {
		h.addr = "127.0.0.1:" + port
		if got, err := h.do(t.Context(), http.MethodGet, "/healthz", nil, "Host: "+host); err != nil || got.status != status {
			t.Errorf("%s: got %d, %v, want %d", host, got.status, err, status)
		}
	}
}

// dialledAt has its connections come in at another address of this machine.
type dialledAt struct {
	net.Listener
	ip string
}

func (l dialledAt) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return connAt{conn, l.ip}, err
}

type connAt struct {
	net.Conn
	ip string
}

func (c connAt) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.ip), Port: 80} }
