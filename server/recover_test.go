package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/server"
)

// faulty are the ways in which a handler can let its caller down.
var faulty = map[string]handler{
	"panic": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("secret") },
	"err": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("dial secret")
	},
	"nil": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil },
	"exit": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		runtime.Goexit()
		return nil, nil
	},
	"garbage": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"secret`)}, nil
	},
}

func TestFaultOfAHandlerBecomesTheFallback(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })

	fallback := func(_ context.Context, req mcp.CallToolRequest) *mcp.CallToolResult {
		return mcp.NewToolResultText("not_performed: " + req.Params.Name)
	}
	said := map[string]string{"panic": "secret", "err": "dial secret", "nil": "no result"}
	for tool, want := range said {
		log.Reset()
		synctest.Test(t, func(t *testing.T) {
			s := server.New("counterfoil", "0", "", server.Recover(fallback), panics)
			s.AddTool(toolNamed(tool), faulty[tool])
			r := connect(t, s)
			r.call(1, tool)
			if got := r.text(1); got != "not_performed: "+tool {
				t.Errorf("%s: got %q", tool, got)
			}
		})
		if !strings.Contains(log.String(), "tool="+tool) || !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log says %q", tool, &log)
		}
		if tool == "panic" && !strings.Contains(log.String(), "recover_test.go") {
			t.Errorf("the log has no stack: %s", &log)
		}
	}
}

func TestFaultOfTheFallbackShowsNothing(t *testing.T) {
	t.Parallel()
	fallbacks := map[string]func(context.Context, mcp.CallToolRequest) *mcp.CallToolResult{
		"panics":  func(context.Context, mcp.CallToolRequest) *mcp.CallToolResult { panic("secret") },
		"nothing": func(context.Context, mcp.CallToolRequest) *mcp.CallToolResult { return nil },
	}
	for name, fallback := range fallbacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := server.Recover(fallback)(faulty["panic"])(t.Context(), mcp.CallToolRequest{})
			if result != nil || err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, %v", result, err)
			}
		})
	}
}

// panics is a middleware inside Recover that has its own fault.
func panics(next mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Params.Name == "panic" {
			panic("secret")
		}
		return next(ctx, req)
	}
}

func toolNamed(name string) mcp.Tool { return mcp.NewTool(name) }

// recordsContext answers after d and keeps what had become of its context.
func recordsContext(d time.Duration, into *atomic.Value) handler {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := takes(d)(ctx, req)
		into.Store("context: <nil>")
		if ctx.Err() != nil {
			into.Store("context: " + ctx.Err().Error())
		}
		return result, err
	}
}
