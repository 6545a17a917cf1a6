package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// Access says who may call over HTTP, and what. In its zero value everybody may
// call everything.
type Access struct {
	// Admit decides who may call: it stands before the endpoint and the metrics,
	// after the checks of where a request comes from and before its body is read.
	Admit func(next http.Handler) http.Handler
	// Hides tells whether a tool is kept from whoever calls under ctx. It is then
	// not listed, and a call of it is answered as one of a tool that does not
	// exist.
	Hides func(ctx context.Context, tool string) bool
	// Wait is 0 where whoever calls under ctx may write now, which counts as
	// done; else how long it is until they may. It is asked before anything of
	// the call has begun, and never for a read.
	Wait func(ctx context.Context) time.Duration
	// Open are further pages that need no admission, by their path.
	Open map[string]http.Handler
}

func (a Access) hides(ctx context.Context, tool string) bool {
	return a.Hides != nil && a.Hides(ctx, tool)
}

// hide keeps tools from whoever may not use them. The library asks this of a
// list and of a call alike, in both eras.
func (a Access) hide(s *mcpserver.MCPServer) {
	if a.Hides == nil {
		return
	}
	mcpserver.WithToolFilter(func(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
		return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return a.Hides(ctx, t.Name) })
	})(s)
}

// Codes of JSON-RPC errors, from the range that MCP leaves to implementations.
const (
	tooManyWrites = -32010
	tooManyCalls  = -32011
)

// throttled is the answer to a write that comes too soon, or nil. What the
// caller may not use is not counted: it is answered as a tool that is not there.
func (e *endpoint) throttled(w http.ResponseWriter, r *http.Request, m message) *declined {
	write := e.lanes.of(m, e.catalog) == e.lanes.writes && e.catalog.GetTool(m.tool) != nil && !e.access.hides(r.Context(), m.tool)
	if !write || e.access.Wait == nil {
		return nil
	}
	wait := e.access.Wait(r.Context())
	if wait <= 0 {
		return nil
	}
	seconds := int((wait + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", fmt.Sprint(seconds))
	return &declined{http.StatusTooManyRequests, refusal{tooManyWrites, fmt.Sprintf(
		"Too many writes: nothing of this call was begun. The same call may be made again in %d s", seconds)}}
}
