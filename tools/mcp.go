package tools

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"counterfoil/intent"
)

// Our own names in a tool's _meta. Some clients drop it: nothing rests on them.
const (
	metaClass = "counterfoil/class"
	metaRetry = "counterfoil/retry"
)

// Mount registers tools with an MCP server. A handler never returns an error:
// the library would show its text to the model.
func Mount(s *mcpserver.MCPServer, tools []Tool) {
	for _, t := range tools {
		s.AddTool(described(t), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return callResult(t.Call(ctx, rawArguments(req))), nil
		})
	}
}

// PanicResult is what a client is told where a call of t panicked.
func PanicResult(t Tool) *mcp.CallToolResult { return callResult(t.Fault) }

// Fallback answers a call that panicked, by the name of its tool; it gives nil
// for a tool that is not among tools.
func Fallback(tools []Tool) func(context.Context, mcp.CallToolRequest) *mcp.CallToolResult {
	byName := make(map[string]Tool, len(tools))
	for _, t := range tools {
		byName[t.Name] = t
	}
	return func(_ context.Context, req mcp.CallToolRequest) *mcp.CallToolResult {
		t, ok := byName[req.Params.Name]
		if !ok {
			return nil
		}
		return PanicResult(t)
	}
}

// described is a tool as the library lists it, its schemas as they are. The
// title is among the annotations only: every client looks there in the end, and
// a list is in every prompt.
func described(t Tool) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(t.Name, t.Description, t.Input)
	tool.RawOutputSchema = t.Output
	hints := t.Class.Annotations()
	tool.Annotations = mcp.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    &hints.ReadOnly,
		DestructiveHint: &hints.Destructive,
		IdempotentHint:  &hints.Idempotent,
		OpenWorldHint:   &hints.OpenWorld,
	}
	tool.Meta = mcp.NewMetaFromMap(map[string]any{metaClass: string(t.Class), metaRetry: retryCode(t.Class)})
	return tool
}

// retryCode is the class's retry rule for a program; the description has it in
// words.
func retryCode(c intent.Class) string {
	switch c {
	case intent.ClassRead, intent.ClassHandoff:
		return "always"
	case intent.ClassReversible:
		return "when_told"
	case intent.ClassIrreversible:
	}
	return "once_when_told"
}

// rawArguments are the bytes as the client sent them: the library keeps them
// beside what it decoded, in which a name given twice has become one. A request
// that was made in this process has no bytes, and no name twice.
func rawArguments(req mcp.CallToolRequest) []byte {
	if len(req.Params.RawArguments) > 0 || req.Params.Arguments == nil {
		return req.Params.RawArguments
	}
	raw, err := plainJSON(req.Params.Arguments)
	if err != nil {
		return []byte("null") // refused as no object
	}
	return raw
}

// callResult carries the same JSON twice, since some clients show a model only
// the one and some only the other.
func callResult(a Answer) *mcp.CallToolResult {
	body, err := Encode(a)
	if err != nil {
		a = &intent.Result{
			Verdict:    "What became of this call cannot be shown. Do not ask again: look with list_effects.",
			Outcome:    intent.Unknown,
			DoNotRetry: true,
			Retry:      intent.RetryNever,
		}
		body, _ = Encode(a) // plain strings: it cannot but succeed
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(string(body))},
		StructuredContent: json.RawMessage(body),
		IsError:           a.IsError(),
	}
}
