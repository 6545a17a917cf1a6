package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// ErrUnfinished reports that Stdio returned while a call was still running.
// What that call had claimed is left to the next process.
var ErrUnfinished = errors.New("left while a call was still running")

// Drainer is the engine, as far as leaving goes.
type Drainer interface {
	// Leave begins the leaving and returns at once: claims are refused after
	// claimFor, and what was claimed is finished within finishWithin. It may be
	// called again; the stricter call holds.
	Leave(claimFor, finishWithin time.Duration)
	// Wait returns when nothing that was claimed is still running, detached
	// work included, or when ctx ends.
	Wait(ctx context.Context)
}

// StdioOptions says what Stdio serves, and over what.
type StdioOptions struct {
	MCP     *mcpserver.MCPServer
	In      io.Reader        // os.Stdin when nil
	Out     io.Writer        // stdout, which nothing else may write to
	Log     *slog.Logger     // silent when nil; must not write to Out
	Engine  Drainer          // nothing to drain when nil
	Signals <-chan os.Signal // any signal means leave; see Signals
	// ParentPID names the process that started this one; os.Getppid when nil.
	ParentPID func() int
}

// Stdio serves one client, one JSON-RPC message a line, until it is time to
// leave. It returns nil when every message it took was answered and the engine
// is at rest, and ErrUnfinished when that did not come about in time.
//
// The end of input is not a cancellation: every line before it is served and
// answered. A signal, the end of ctx, an output that broke and the loss of the
// parent process end the reading at once; what was read is still answered. At
// most 3.8 s after leaving began Stdio returns, whatever hangs, and cancels
// the contexts of the calls that are left.
//
// A call that the client cancels before it runs is never run and gets no
// reply. One that is running has its context cancelled; what it answers is
// sent all the same, since it is the truth and the client may still want it.
func Stdio(ctx context.Context, opts StdioOptions) error {
	opts = opts.withDefaults()
	// Calls do not live under ctx: its end means "leave", not "drop the calls".
	life, die := context.WithCancel(context.Background())
	defer die()
	session := mcpserver.NewInProcessSession("stdio", nil)
	if err := opts.MCP.RegisterSession(life, session); err != nil {
		return fmt.Errorf("register the stdio session: %w", err)
	}
	defer opts.MCP.UnregisterSession(life, session.SessionID())
	life = opts.MCP.WithContext(life, session)
	gone := make(chan struct{})
	defer close(gone)

	p := newPump(opts, gone)
	go p.out.run(session.ClientNotifications(), gone)
	go p.read(opts.In)
	return p.run(ctx, life)
}

func (o StdioOptions) withDefaults() StdioOptions {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Engine == nil {
		o.Engine = atRest{}
	}
	return o
}

// atRest is an engine with nothing to finish.
type atRest struct{}

func (atRest) Leave(time.Duration, time.Duration) {}
func (atRest) Wait(context.Context)               {}
