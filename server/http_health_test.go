package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/server"
)

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		provider error
		status   int
		body     string
	}{
		"ready":     {nil, http.StatusOK, `{"ledger":"ok","provider":"ok"}`},
		"not ready": {errors.New("dial secret"), http.StatusServiceUnavailable, `{"ledger":"ok","provider":"not ready"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			looked := 0
			h := open(t, tools(nil), func(o *server.HTTPOptions) {
				o.Ready = []server.Check{
					{Name: "ledger", Ready: func(context.Context) error { looked++; return nil }},
					{Name: "provider", Ready: func(context.Context) error { return tt.provider }},
				}
			})
			if got := h.get("/healthz"); got.status != http.StatusOK || got.body != "ok\n" {
				t.Errorf("/healthz: got %d %s", got.status, got.body)
			}
			for range 3 {
				if got := h.get("/readyz"); got.status != tt.status || got.body != tt.body+"\n" {
					t.Errorf("/readyz: got %d %s", got.status, got.body)
				}
			}
			if looked > 2 {
				t.Errorf("three probes in a row looked %d times", looked)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	var unreadable error
	metrics := server.NewMetrics(func(context.Context) (server.Books, error) {
		return server.Books{Open: map[string]int{"unknown": 2}, Undelivered: 3}, unreadable
	})
	s := server.New("counterfoil", "0", "", metrics.Middleware())
	answers := func(outcome, evidence string) handler {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, _ := json.Marshal(map[string]string{"outcome": outcome, "evidence": evidence})
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(text)}, nil
		}
	}
	s.AddTool(toolNamed("pay"), answers("performed", "provider_response"))
	s.AddTool(toolNamed("again"), answers("already_performed", "ledger"))
	s.AddTool(toolNamed("err"), faulty["err"])
	h := open(t, s, func(o *server.HTTPOptions) { o.Metrics = metrics })
	for _, tool := range []string{"pay", "pay", "again", "err", "invented"} {
		h.post(callLine(1, tool))
	}
	mustShow(t, h.get("/metrics"),
		`counterfoil_calls_total{outcome="performed",tool="pay"} 2`,
		`counterfoil_calls_total{outcome="already_performed",tool="again"} 1`,
		`counterfoil_calls_total{outcome="none",tool="err"} 1`,
		`counterfoil_repeats_total{evidence="ledger",tool="again"} 1`,
		`counterfoil_call_duration_seconds_count{tool="pay"} 2`,
		`counterfoil_calls_in_flight 0`,
		`counterfoil_open_intents{state="unknown"} 2`,
		`counterfoil_outbox_undelivered 3`,
		`counterfoil_ledger_readable 1`)
	unreadable = errors.New("disk full")
	got := h.get("/metrics")
	mustShow(t, got, `counterfoil_ledger_readable 0`)
	if strings.Contains(got.body, "counterfoil_outbox_undelivered ") || strings.Contains(got.body, "invented") {
		t.Errorf("got %s", got.body)
	}
}

func mustShow(t *testing.T, g got, lines ...string) {
	t.Helper()
	if g.status != http.StatusOK {
		t.Errorf("got %d", g.status)
	}
	for _, line := range lines {
		if !strings.Contains(g.body, line+"\n") {
			t.Errorf("%s is not in\n%s", line, g.body)
		}
	}
}
