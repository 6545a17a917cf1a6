package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// What goes past the MCP library, in the context of a call.
type (
	argumentsKey struct{} // []byte: the arguments as the client wrote them
	endKey       struct{} // context.Context: the one whose end the call is to feel
)

// withArguments keeps the arguments of a call out of the library's hands. It
// would decode them through float64 and refuse a number such as 1e999 with a
// protocol error, before the tool could say which argument is wrong.
func withArguments(ctx context.Context, m message) context.Context {
	if m.method != string(mcp.MethodToolsCall) {
		return ctx
	}
	return context.WithValue(ctx, argumentsKey{}, []byte(m.arguments))
}

// withEnd has a call end with the context called end. The context it returns
// outlives that one: over HTTP the library throws an answer away where its
// own context has ended, though the client may be there to read it.
func withEnd(end context.Context) context.Context {
	lasting := context.WithoutCancel(end) //nolint:forbidigo // the library's alone: the tool's ends with end, in asSent
	return context.WithValue(lasting, endKey{}, end)
}

// asSent is the middleware at the other end: it gives the tool what went past
// the library. A request that was made in this process is left as it is.
func asSent(next mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if raw, ok := ctx.Value(argumentsKey{}).([]byte); ok {
			req.Params.Arguments, req.Params.RawArguments = nil, json.RawMessage(raw)
		}
		if end, ok := ctx.Value(endKey{}).(context.Context); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			stop := context.AfterFunc(end, cancel)
			defer stop()
		}
		return next(ctx, req)
	}
}
