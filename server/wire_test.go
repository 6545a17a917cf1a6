package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/server"
)

func TestMalformedLinesAreRefusedAndTheConnectionKept(t *testing.T) {
	t.Parallel()
	const (
		parse   = -32700
		request = -32600
		params  = -32602
	)
	tests := []struct {
		name string
		line string
		code int
		id   string
	}{
		{"not JSON", `hello`, parse, "null"},
		{"cut short", `{"jsonrpc":"2.0","id":1,"method":"ping"`, parse, "null"},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, parse, "null"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"pay\",\"arguments\":{\"a\":\"\xff\"}}}", parse, "null"},
		{"too long", callLine(1, "pay"+strings.Repeat(" ", 1<<20)), request, "null"},
		{"batch", "[" + callLine(1, "pay") + "," + callLine(2, "pay") + "]", request, "null"},
		{"number", `42`, request, "null"},
		{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"pay"}}`, request, "null"},
		{"jsonrpc twice", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}`, request, "1"},
		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"pay"}}`, request, "1"},
		{"method twice, once escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call","params":{"name":"pay"}}`, request, "1"},
		{"method in two cases", `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{"name":"pay"}}`, request, "1"},
		{"params twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"},"params":{"name":"pay"}}`, request, "1"},
		{"params with a long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"pay"}}`, request, "1"},
		{"name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"pay"}}`, params, "1"},
		{"arguments in two cases", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{},"Arguments":{}}}`, params, "1"},
		{"params a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["pay"]}`, params, "1"},
		{"name a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, params, "1"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"pay"}}`, request, "null"},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"pay"}}`, request, "null"},
		{"no version", `{"id":1,"method":"tools/call","params":{"name":"pay"}}`, request, "1"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, request, "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := connect(t, tools(map[string]handler{"pay": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					t.Error("the tool was run")
					return mcp.NewToolResultText("paid"), nil
				}, "look": says("looked")}))
				r.send(tt.line)
				got := r.next()
				if got.Error == nil || got.Error.Code != tt.code || string(got.ID) != tt.id {
					t.Errorf("got %s, want error %d for id %s", got.raw, tt.code, tt.id)
				}
				if strings.Contains(got.raw, "json:") || strings.Contains(got.raw, "Go ") {
					t.Errorf("%s shows the inside of the server", got.raw)
				}
				r.call(7, "look")
				if got := r.text(7); got != "looked" {
					t.Errorf("then got %q", got)
				}
				r.end()
				r.mustLeave(0)
				r.mustBeSilent()
			})
		})
	}
}

func TestLinesThatCallForNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(nil))
		r.send("", " \t", "\r",
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pay"}}`,
			`{"jsonrpc":"2.0","method":"no/such/notification"}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
		r.mustBeSilent()
		r.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r")
		if got := r.reply("1"); got.Error != nil {
			t.Errorf("got %s", got.raw)
		}
	})
}

func TestLongestLine(t *testing.T) {
	t.Parallel()
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	longest := ping + strings.Repeat(" ", 1<<20-len(ping))
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(nil))
		r.send(longest+"\r", longest)
		for range 2 {
			if got := r.next(); got.Error != nil {
				t.Errorf("1 MiB: got %s", got.raw)
			}
		}
		r.send(longest + " ")
		if got := r.next(); got.Error == nil {
			t.Errorf("1 MiB and a byte: got %s", got.raw)
		}
	})
}

// zeros is an input of n bytes without a line's end.
type zeros struct{ n int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.n)
	clear(p[:n])
	z.n -= n
	return n, nil
}

func TestOversizedLineIsSkippedInBoundedMemory(t *testing.T) {
	var out bytes.Buffer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := server.Stdio(t.Context(), server.StdioOptions{MCP: tools(nil), In: &zeros{64 << 20}, Out: &out})
	runtime.ReadMemStats(&after)
	if err != nil || !strings.Contains(out.String(), "longer than 1 MiB") {
		t.Errorf("got %v and %s", err, &out)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("a line of 64 MiB took %d bytes", used)
	}
}

// A client finds its call again by the id, to the last digit.
func TestIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(nil))
		for _, id := range []string{`0`, `-1`, `9007199254740993`, `1.5`, `"1"`, `""`, `"ü ✓"`} {
			r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
			if got := r.next(); string(got.ID) != id || got.Error != nil {
				t.Errorf("asked as %s, got %s", id, got.raw)
			}
		}
	})
}

func TestArgumentsReachTheToolAsTheyWere(t *testing.T) {
	t.Parallel()
	const arguments = `{"a":1,"a":2.0,"b":"\ud800 <&>","c":9007199254740993}`
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"pay": func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(string(req.Params.RawArguments)), nil
		}}))
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":` + arguments + `}}`)
		if got := r.text(1); got != arguments {
			t.Errorf("got  %s\nwant %s", got, arguments)
		}
	})
}

func TestErrorsAreCleanAndShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	tests := []struct {
		name   string
		method string
		params string
		code   int
	}{
		{"unknown tool", "tools/call", `{"name":"refund_everything"}`, -32602},
		{"unknown tool with a long name", "tools/call", fmt.Sprintf(`{"name":%q}`, long), -32602},
		{"no tool", "tools/call", `{}`, -32602},
		{"unknown method", "tools/destroy", `{}`, -32601},
		{"long method", long, `{}`, -32601},
		{"resources", "resources/list", `{}`, -32601},
		{"prompts", "prompts/list", `{}`, -32601},
		{"logging", "logging/setLevel", `{"level":"debug"}`, -32601},
		{"tasks", "tasks/list", `{}`, -32601},
		{"completions", "completion/complete", `{}`, -32601},
		{"bad cursor", "tools/list", `{"cursor":7}`, -32602},
		{"a tool that returns an error", "tools/call", `{"name":"err"}`, -32603},
		{"a tool that panics", "tools/call", `{"name":"panic"}`, -32603},
		{"a tool that ends its goroutine", "tools/call", `{"name":"exit"}`, -32603},
		{"a tool that answers nothing", "tools/call", `{"name":"nil"}`, -32603},
		{"a result that is not JSON", "tools/call", `{"name":"garbage"}`, -32603},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := connect(t, tools(faulty))
				r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, tt.method, tt.params))
				got := r.reply("1")
				if got.Error == nil || got.Error.Code != tt.code {
					t.Fatalf("got %s, want error %d", got.raw, tt.code)
				}
				for _, inside := range []string{"json:", "Go struct", "secret", "goroutine", "mcp."} {
					if strings.Contains(got.raw, inside) {
						t.Errorf("%s shows %q", got.raw, inside)
					}
				}
				if len(got.raw) > 400 {
					t.Errorf("an error of %d bytes", len(got.raw))
				}
				r.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				r.reply("2")
			})
		})
	}
}

// A note that a tool sends goes out before its result, after which a client
// no longer listens.
func TestNotificationsPrecedeTheResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := tools(nil)
		s.AddTool(toolNamed("tell"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": 1})
			return mcp.NewToolResultText(fmt.Sprint(err)), nil
		})
		r := connect(t, s)
		r.send(initialize("2025-11-25"))
		r.reply("0")
		for id := 1; id <= 50; id++ {
			r.call(id, "tell")
			if got := r.next(); got.Method != "notifications/progress" {
				t.Fatalf("got %s first", got.raw)
			}
			if got := r.next(); string(got.ID) != fmt.Sprint(id) {
				t.Fatalf("got %s second", got.raw)
			}
		}
	})
}

// FuzzStdio: whatever a client sends, what it gets is one JSON-RPC message a
// line, and the request after it is answered.
func FuzzStdio(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"a":[1]}}}`,
		`{"jsonrpc":"2.0","id":"a","id":2,"Method":"ping"}`,
		`[{"jsonrpc":"2.0"}]`, "\xff", "{", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		in := io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`))
		err := server.Stdio(t.Context(), server.StdioOptions{MCP: tools(map[string]handler{"pay": says("paid")}), In: in, Out: &out})
		if err != nil {
			t.Fatal(err)
		}
		answered := false
		for line := range strings.Lines(out.String()) {
			var a answer
			if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" || (a.Error == nil) == (a.Result == nil) {
				t.Fatalf("stdout carries %q", line)
			}
			answered = answered || string(a.ID) == `"last"` && a.Error == nil
		}
		if !answered {
			t.Fatalf("the last request went unanswered: %s", &out)
		}
	})
}
