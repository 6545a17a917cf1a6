package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/server"
)

func TestHTTPVersionsWithAHandshake(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": says("paid")}))
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			first := h.post(initialize(version))
			var agreed struct {
				ProtocolVersion string
				Capabilities    json.RawMessage
			}
			if err := json.Unmarshal(first.reply(t).Result, &agreed); err != nil {
				t.Fatal(err)
			}
			if agreed.ProtocolVersion != version || string(agreed.Capabilities) != `{"tools":{}}` {
				t.Errorf("agreed on %+v", agreed)
			}
			if id := first.header.Get("Mcp-Session-Id"); id != "" {
				t.Errorf("a session %q was opened", id)
			}
			header := "Mcp-Protocol-Version: " + version
			if got := h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, header); got.status != http.StatusAccepted || got.body != "" {
				t.Errorf("initialized: got %d %s", got.status, got.body)
			}
			if got := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header); !strings.Contains(got.body, `"name":"pay"`) {
				t.Errorf("listed %s", got.body)
			}
			h.post(callLine(2, "pay"), header).mustSay(t, "paid")
		})
	}
}

const newEra = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestHTTPStatelessProtocol(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": says("paid")}))
	const version = "Mcp-Protocol-Version: 2026-07-28"
	ask := func(method, params string, headers ...string) got {
		if params != "" {
			params += ","
		}
		return h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, method, params+newEra),
			append(headers, version, "Mcp-Method: "+method)...)
	}
	if got := ask("tools/list", ""); !strings.Contains(got.body, `"name":"pay"`) {
		t.Errorf("listed %s", got.body)
	}
	ask("tools/call", `"name":"pay","arguments":{}`, "Mcp-Name: pay").mustSay(t, "paid")
	if got := ask("server/discover", ""); !strings.Contains(got.body, `"2026-07-28"`) || got.status != http.StatusOK {
		t.Errorf("discovered %s", got.body)
	}
	ask("tools/destroy", "").mustRefuse(t, http.StatusNotFound, mcp.METHOD_NOT_FOUND)
	// What a header says and what the body says are one.
	ask("tools/call", `"name":"pay","arguments":{}`, "Mcp-Name: look").mustRefuse(t, http.StatusBadRequest, mcp.HEADER_MISMATCH)
	// There is nothing to listen to: acknowledged, and over. Many times, for the
	// library loses an acknowledgement now and then.
	for range 100 {
		listen := ask("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
		if ct := listen.header.Get("Content-Type"); ct != "text/event-stream" || strings.Count(listen.body, "subscriptions/acknowledged") != 1 || !strings.Contains(listen.body, `"id":7`) {
			t.Fatalf("listening: got %s %s", ct, listen.body)
		}
	}
	// An old client at the same endpoint, meanwhile.
	h.post(callLine(2, "pay")).mustSay(t, "paid")
}

func TestHTTPIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": says("paid")}))
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `-0`, `1.50`, `"\u0061"`, `""`} {
		got := h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"pay"}}`, id)).reply(t)
		if string(got.ID) != id {
			t.Errorf("%s came back as %s", id, got.ID)
		}
	}
}

func TestHTTPRefusesWhatStdioRefuses(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		t.Error("the tool was run")
		return nil, nil
	}}))
	tests := map[string]struct {
		body string
		code int
	}{
		"not JSON":       {`hello`, mcp.PARSE_ERROR},
		"nothing":        {``, mcp.PARSE_ERROR},
		"invalid UTF-8":  {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"pay\xff\"}}", mcp.PARSE_ERROR},
		"a batch":        {"[" + callLine(1, "pay") + "]", mcp.INVALID_REQUEST},
		"method twice":   {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"pay"}}`, mcp.INVALID_REQUEST},
		"params twice":   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"params":{"name":"pay"}}`, mcp.INVALID_REQUEST},
		"other spelling": {`{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"pay"}}`, mcp.INVALID_REQUEST},
		"name twice":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"pay"}}`, mcp.INVALID_PARAMS},
		"Arguments":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","Arguments":{}}}`, mcp.INVALID_PARAMS},
		"id an object":   {`{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"pay"}}`, mcp.INVALID_REQUEST},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h.post(tt.body).mustRefuse(t, http.StatusBadRequest, tt.code)
		})
	}
}

func TestHTTPShowsNothingOfItsInside(t *testing.T) {
	t.Parallel()
	h := open(t, tools(faulty))
	long := strings.Repeat("long", 1000)
	for _, message := range []string{
		callLine(1, "panic"), callLine(1, "err"), callLine(1, "nil"), callLine(1, "exit"), callLine(1, "garbage"),
		callLine(1, long), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`, `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
	} {
		got := h.post(message)
		if got.status != http.StatusOK || got.reply(t).Error == nil {
			t.Errorf("got %d %s, want 200 and an error", got.status, got.body)
		}
		for _, inside := range []string{"json:", "Go struct", "secret", "goroutine", "mcp."} {
			if strings.Contains(got.body, inside) {
				t.Errorf("%s shows %q", got.body, inside)
			}
		}
		if len(got.body) > 400 {
			t.Errorf("an error of %d bytes", len(got.body))
		}
	}
	if got := h.post(callLine(1, "x"), "Mcp-Protocol-Version: 1"+long); got.status != http.StatusBadRequest || len(got.body) > 400 {
		t.Errorf("an unknown version: got %d %s", got.status, got.body)
	}
}

func TestHTTPPanicBecomesTheFallback(t *testing.T) {
	t.Parallel()
	s := server.New("counterfoil", "0", "", server.Recover(func(context.Context, mcp.CallToolRequest) *mcp.CallToolResult {
		return mcp.NewToolResultText("not_performed")
	}))
	s.AddTool(toolNamed("panic"), faulty["panic"])
	open(t, s).post(callLine(1, "panic")).mustSay(t, "not_performed")
}

// A body's length is refused before the body is there.
func TestHTTPBodyIsCapped(t *testing.T) {
	t.Parallel()
	h := open(t, tools(nil))
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if got := h.post(ping + strings.Repeat(" ", 1<<20-len(ping))); got.status != http.StatusOK {
		t.Errorf("1 MiB: got %d %s", got.status, got.body)
	}
	for name, send := range map[string]string{
		"announced": "Content-Length: 2097152\r\n\r\n",
		"chunked":   "Transfer-Encoding: chunked\r\n\r\n" + "100001\r\n" + strings.Repeat(" ", 1<<20+1),
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+send)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if resp.StatusCode != http.StatusRequestEntityTooLarge || !resp.Close {
			t.Errorf("%s: got %s", name, resp.Status)
		}
		_ = resp.Body.Close()
		_ = conn.Close()
	}
}

func TestHTTPEndlessBodyInBoundedMemory(t *testing.T) {
	h := open(t, tools(nil))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := h.do(t.Context(), http.MethodPost, server.Path, &zeros{64 << 20})
	runtime.ReadMemStats(&after)
	if err == nil && got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("a body of 64 MiB took %d bytes", used)
	}
}

func TestHTTPMethodsAndTypes(t *testing.T) {
	t.Parallel()
	h := open(t, tools(nil))
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "DESTROY"} {
		got, err := h.do(t.Context(), method, server.Path, nil)
		if err != nil || got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: got %d %v, %v", method, got.status, got.header, err)
		}
	}
	if got := h.post(callLine(1, "x"), "Content-Type: text/plain"); got.status != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: got %d", got.status)
	}
	if got := h.get("/elsewhere"); got.status != http.StatusNotFound {
		t.Errorf("/elsewhere: got %d", got.status)
	}
	if got := h.post("{}", "X-Long: "+strings.Repeat("a", 64<<10)); got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 64 KiB: got %d", got.status)
	}
}

func TestHTTPKnowsWhereARequestComesFrom(t *testing.T) {
	t.Parallel()
	h := open(t, tools(nil))
	tests := map[string]struct {
		header string
		want   int
	}{
		"as a program calls it":    {"X-None: 1", http.StatusOK},
		"localhost":                {"Host: localhost:8787", http.StatusOK},
		"IPv6 loopback":            {"Host: [::1]:8787", http.StatusOK},
		"a page of its own":        {"Origin: http://" + h.addr, http.StatusOK},
		"a rebound name":           {"Host: evil.example:8787", http.StatusForbidden},
		"a name that begins alike": {"Host: localhost.evil.example", http.StatusForbidden},
		"no name":                  {"Host: :8787", http.StatusForbidden},
		"another machine":          {"Host: 10.0.0.1", http.StatusForbidden},
		"another site":             {"Origin: https://evil.example", http.StatusForbidden},
		"another port":             {"Origin: http://127.0.0.1:1", http.StatusForbidden},
		"a page of nowhere":        {"Origin: null", http.StatusForbidden},
		"a browser says so":        {"Sec-Fetch-Site: cross-site", http.StatusForbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := h.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, tt.header); got.status != tt.want {
				t.Errorf("got %d %s, want %d", got.status, got.body, tt.want)
			}
			if got, err := h.do(t.Context(), http.MethodGet, "/healthz", nil, tt.header); err != nil || got.status != tt.want {
				t.Errorf("GET: got %d %s, want %d", got.status, got.body, tt.want)
			}
		})
	}
}

// One client's cancellation names another's call: clients count from 1.
func TestHTTPCancelledIsSwallowed(t *testing.T) {
	t.Parallel()
	gate, running := make(chan struct{}), make(chan struct{})
	h := open(t, tools(map[string]handler{"slow": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(running)
		<-gate
		return mcp.NewToolResultText(fmt.Sprint("context: ", ctx.Err())), nil
	}}))
	answer := h.later(t.Context(), callLine(1, "slow"))
	receive(t, running)
	if got := h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	close(gate)
	receive(t, answer).mustSay(t, "context: <nil>")
}

// A connection that closes ends a read, and is no reason to abandon a write:
// its handler, which does not heed the context, is run to its end.
func TestHTTPClosedConnection(t *testing.T) {
	t.Parallel()
	running, heard, gate, ended := make(chan struct{}, 2), make(chan error, 1), make(chan struct{}), make(chan struct{})
	h := open(t, tools(map[string]handler{
		"read": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			running <- struct{}{}
			<-ctx.Done()
			heard <- ctx.Err()
			return nil, nil
		},
		"write": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			running <- struct{}{}
			<-gate
			close(ended)
			return mcp.NewToolResultText("paid"), nil
		},
	}))
	ctx, closeAll := context.WithCancel(t.Context())
	read, write := h.later(ctx, callLine(1, "read")), h.later(ctx, callLine(2, "write"))
	receive(t, running)
	receive(t, running)
	closeAll()
	receive(t, read)
	receive(t, write)
	if err := receive(t, heard); !errors.Is(err, context.Canceled) {
		t.Errorf("the read heard %v", err)
	}
	h.signals <- term // the leaving waits for what nobody waits for any more
	close(gate)
	receive(t, ended)
	h.mustLeave()
}

// The deadline for reading a request is none for answering it.
func TestHTTPCallOutlastsItsReading(t *testing.T) {
	t.Parallel()
	const within = 50 * time.Millisecond
	h := open(t, tools(map[string]handler{"slow": takes(6 * within)}), func(o *server.HTTPOptions) { o.ReadWithin = within })
	h.post(callLine(1, "slow")).mustSay(t, "context: <nil>")
	h.post(callLine(2, "slow")).mustSay(t, "context: <nil>")
}

func TestHTTPForgedSessionMeansNothing(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("session " + mcpserver.ClientSessionFromContext(ctx).SessionID()), nil
	}}))
	for _, id := range []string{"mcp-session-00000000-0000-0000-0000-000000000000", "another's", "../../etc"} {
		got := h.post(callLine(1, "pay"), "Mcp-Session-Id: "+id)
		got.mustSay(t, "session ")
		if back := got.header.Get("Mcp-Session-Id"); back != "" {
			t.Errorf("the session %q came back", back)
		}
	}
}

func TestHTTPKeepsNothingOfAClient(t *testing.T) {
	h := open(t, tools(nil))
	greet := func(n int) {
		for range n {
			h.post(initialize("2025-06-18"), "Mcp-Session-Id: forged")
		}
	}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	greet(20)
	before := held()
	greet(500)
	if after := held(); after > before+1<<20 {
		t.Errorf("500 clients left %d bytes behind", after-before)
	}
}

// Slow writes hold up no read, and what is too much is refused before it begins.
func TestHTTPManyAtOnce(t *testing.T) {
	t.Parallel()
	const most, tooMany = 256, 20
	var ran atomic.Int64
	gate := make(chan struct{})
	s := tools(map[string]handler{"slow": waitsFor(gate, &ran)})
	readTool(s, "look")
	h := open(t, s)
	answers := make(chan got, most+tooMany)
	send := func(n int) {
		for id := range n {
			answer := h.later(t.Context(), callLine(id, "slow"))
			go func() { answers <- <-answer }()
		}
	}
	send(most / 2) // more than run at a time
	h.post(callLine(1, "look")).mustSay(t, "read")
	send(most/2 + tooMany)
	for range tooMany {
		refused := receive(t, answers)
		if refused.status != http.StatusServiceUnavailable || refused.header.Get("Retry-After") == "" {
			t.Errorf("got %d %v, want 503 and when to come again", refused.status, refused.header)
		}
	}
	close(gate)
	for range most {
		receive(t, answers).mustSay(t, "done")
	}
	if ran.Load() != most {
		t.Errorf("%d calls ran, want %d", ran.Load(), most)
	}
}

func TestHTTPAdmitStandsBeforeTheBody(t *testing.T) {
	t.Parallel()
	h := open(t, tools(nil), func(o *server.HTTPOptions) {
		o.Admit = func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		}
	})
	if got := h.post("not JSON"); got.status != http.StatusUnauthorized {
		t.Errorf("got %d", got.status)
	}
	if got := h.get("/healthz"); got.status != http.StatusOK {
		t.Errorf("/healthz: got %d", got.status)
	}
}
