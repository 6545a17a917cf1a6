package server

import (
	"context"
	"encoding/json"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
)

// call is one message that was taken and has not been answered yet.
type call struct {
	id     json.RawMessage
	cancel context.CancelFunc
}

// begin takes a message; it returns at once, and the call's end comes through
// the writer.
func (p *pump) begin(ctx context.Context, m message) {
	ctx, cancel := context.WithCancel(ctx)
	c := &call{id: m.id, cancel: cancel}
	p.inFlight[c] = struct{}{}
	go p.serve(ctx, c, m)
}

// cancelRequest cancels whatever is in flight under that id.
func (p *pump) cancelRequest(key string) {
	for c := range p.inFlight {
		if key != "" && idKey(c.id) == key {
			c.cancel()
		}
	}
}

// serve ends in exactly one reply, even if a handler leaves its goroutine.
func (p *pump) serve(ctx context.Context, c *call, m message) {
	var body mcp.JSONRPCMessage
	if m.id != nil {
		body = errorReply(m.id, mcp.INTERNAL_ERROR, errInternal.Error())
	}
	defer func() {
		c.cancel()
		if r := recover(); r != nil {
			p.opts.Log.Error("request panicked", "panic", r, "stack", string(debug.Stack()))
		}
		select {
		case p.out.replies <- reply{call: c, body: body}:
		case <-p.gone:
		}
	}()
	body = p.answer(ctx, m)
}

// answer returns the reply that is due, or nil for none.
func (p *pump) answer(ctx context.Context, m message) mcp.JSONRPCMessage {
	if m.refusal != nil {
		return errorReply(m.id, m.refusal.code, m.refusal.reason)
	}
	leave, ok := p.lanes.enter(ctx, p.lanes.of(m, p.opts.MCP))
	if !ok {
		return nil
	}
	defer leave()
	answer := p.opts.MCP.HandleMessage(withArguments(ctx, m), m.body)
	if m.id == nil || answer == nil {
		return nil
	}
	return addressed(presentable(answer, m, p.opts.Log), m.id)
}
