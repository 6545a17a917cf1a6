// Command server is what the conformance suite is run against: the HTTP server
// that counterfoil is served with, and on it the tools, prompts and resources
// that the suite asks every server to have. It is for tests alone; no part of
// it is in the binary that people get.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/server"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	slog.SetDefault(log)
	if err := serve(context.Background(), log); err != nil && !errors.Is(err, server.ErrUnfinished) {
		log.Error("serve", "error", err)
		os.Exit(1)
	}
}

// serve is wired as `counterfoil serve --http` is, and says where it listens.
func serve(ctx context.Context, log *slog.Logger) error {
	signals, stop := server.Signals()
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	metrics := server.NewMetrics(noBooks)
	s := server.New("counterfoil-conformance", "0.0.0", "What the conformance suite asks for.",
		metrics.Middleware(), server.Recover(noFallback))
	mountContents(s)
	mountNotes(s)
	mountQuestions(s)
	mountPrompts(s)
	mountResources(s)
	fmt.Printf("listening on http://%s%s\n", listener.Addr(), server.Path)
	return server.HTTP(ctx, server.HTTPOptions{MCP: s, Listener: listener, Log: log, Signals: signals, Metrics: metrics})
}

func noBooks(context.Context) (server.Books, error) { return server.Books{}, nil }

// noFallback: what a fixture cannot answer is answered with a JSON-RPC error.
func noFallback(context.Context, mcp.CallToolRequest) *mcp.CallToolResult { return nil }

// handler answers a call of a tool.
type handler = mcpserver.ToolHandlerFunc

// gives is a tool that always gives the same.
func gives(result *mcp.CallToolResult) handler {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil }
}
