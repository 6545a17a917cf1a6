package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// laneWidth is how many tool calls of one lane run at a time.
const laneWidth = 64

// lane admits a bounded number of calls; the nil lane admits all.
type lane chan struct{}

// lanes keep slow writes from holding up reads, and bound both. What is not a
// tool call has no lane: it is answered from memory.
type lanes struct {
	reads, writes lane
	open          chan struct{} // closed once nothing need wait any more
}

func newLanes() lanes {
	return lanes{
		reads:  make(lane, laneWidth),
		writes: make(lane, laneWidth),
		open:   make(chan struct{}),
	}
}

// of returns the lane of a message. The hint is derived from the tool's safety
// class; a tool without one, or unknown, counts as a write.
func (l lanes) of(m message, catalog *mcpserver.MCPServer) lane {
	if m.method != string(mcp.MethodToolsCall) {
		return nil
	}
	if tool := catalog.GetTool(m.tool); tool != nil {
		if hint := tool.Tool.Annotations.ReadOnlyHint; hint != nil && *hint {
			return l.reads
		}
	}
	return l.writes
}

// enter waits for a place. It is false when ctx ended first, and then the call
// must not run.
func (l lanes) enter(ctx context.Context, lane lane) (leave func(), ok bool) {
	leave = func() {}
	if lane != nil {
		select {
		case lane <- struct{}{}:
			leave = func() { <-lane }
		case <-l.open:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil { // it may have ended while a place came free
		leave()
		return nil, false
	}
	return leave, true
}
