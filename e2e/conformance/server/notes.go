package main

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mountNotes adds the tools that tell of their progress and would like to log.
func mountNotes(s *mcpserver.MCPServer) {
	s.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("Tells how far it is.")),
		func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
				return mcp.NewToolResultText("nobody asked how far it is"), nil
			}
			for _, done := range []int{0, 50, 100} {
				if err := progress(ctx, s, req.Params.Meta.ProgressToken, done); err != nil {
					return nil, err
				}
			}
			return mcp.NewToolResultText("told how far it is"), nil
		})
	s.AddTool(mcp.NewTool("test_logging_tool", mcp.WithDescription("Tries to log.")),
		func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			note := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "conformance", "a line for the client")
			return mcp.NewToolResultText("tried to log"), s.SendLogMessageToClient(ctx, note)
		})
}

// progress sends one note and returns when it is being written: the library
// loses the last one before a result where it has taken the note and is not
// writing it yet.
func progress(ctx context.Context, s *mcpserver.MCPServer, token mcp.ProgressToken, done int) error {
	value := observed{value: done, written: make(chan struct{}), once: new(sync.Once)}
	err := s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress),
		map[string]any{"progressToken": token, "progress": value, "total": 100})
	if err != nil {
		return err
	}
	select {
	case <-value.written:
	case <-ctx.Done():
	}
	return nil
}

// observed is a number that tells when it is encoded.
type observed struct {
	value   int
	written chan struct{}
	once    *sync.Once
}

// MarshalJSON is of json.Marshaler.
func (o observed) MarshalJSON() ([]byte, error) {
	o.once.Do(func() { close(o.written) })
	return json.Marshal(o.value)
}
