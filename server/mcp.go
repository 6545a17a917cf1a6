package server

import mcpserver "github.com/mark3labs/mcp-go/server"

// New returns an MCP server that offers tools and nothing else. Middleware is
// applied outermost first, so Recover belongs at its head.
//
// Left out on purpose: the library's schema validation (its input messages
// echo the client's bytes, its output check would replace the result of a
// refund that was paid), tasks (a panic in one ends the process), and
// sampling, roots and logging, which the protocol has deprecated.
func New(name, version, instructions string, middleware ...mcpserver.ToolHandlerMiddleware) *mcpserver.MCPServer {
	const listChanged = false // the catalog is fixed when the process starts
	s := mcpserver.NewMCPServer(name, version,
		mcpserver.WithInstructions(instructions),
		mcpserver.WithToolCapabilities(listChanged),
	)
	s.Use(asSent)
	s.Use(middleware...)
	return s
}
