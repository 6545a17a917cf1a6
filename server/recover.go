package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// errInternal is all that a client learns of a fault that has no result. The
// library sends an error's text to the model as it is.
var errInternal = errors.New("internal error")

// Recover returns the outermost middleware of every tool. Where a handler
// panics, returns an error or returns nothing, the client gets what fallback
// makes of the call; what went wrong goes to the default slog logger, with the
// stack of a panic, and to nobody else.
func Recover(fallback func(ctx context.Context, req mcp.CallToolRequest) *mcp.CallToolResult) mcpserver.ToolHandlerMiddleware {
	return func(next mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if result := contained(ctx, req, next); result != nil {
				return result, nil
			}
			instead := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return fallback(ctx, req), nil
			}
			if result := contained(ctx, req, instead); result != nil {
				return result, nil
			}
			return nil, errInternal
		}
	}
}

// contained runs a handler and returns its result, or nil and a line in the
// log.
func contained(ctx context.Context, req mcp.CallToolRequest, handler mcpserver.ToolHandlerFunc) (result *mcp.CallToolResult) {
	log := slog.Default().With("tool", req.Params.Name)
	defer func() {
		if r := recover(); r != nil {
			log.ErrorContext(ctx, "tool handler panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			result = nil
		}
	}()
	result, err := handler(ctx, req)
	switch {
	case err != nil:
		log.ErrorContext(ctx, "tool handler returned an error", "error", err)
		return nil
	case result == nil:
		log.ErrorContext(ctx, "tool handler returned no result")
	}
	return result
}
