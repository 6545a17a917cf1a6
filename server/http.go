package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// Path is where MCP is spoken over HTTP.
const Path = "/mcp"

// HTTPOptions says what HTTP serves, and where.
type HTTPOptions struct {
	MCP      *mcpserver.MCPServer
	Listener net.Listener     // closed when HTTP returns
	Log      *slog.Logger     // silent when nil
	Engine   Drainer          // nothing to drain when nil
	Signals  <-chan os.Signal // any signal means leave; see Signals
	Access                    // who may call, and what
	// Ready are the checks of /readyz.
	Ready []Check
	// Metrics are shown at /metrics; nothing is where it is nil.
	Metrics *Metrics
	// Hosts are further names by which this server is called, without a port.
	// Loopback and the listener's own address always are.
	Hosts []string
	// ReadWithin bounds the reading of one request; 10 s when zero.
	ReadWithin time.Duration
}

// Bounds of the connection. What a call takes is the engine's to bound.
const (
	readHeaderWithin = 5 * time.Second
	readWithin       = 10 * time.Second
	writeWithin      = 10 * time.Second // of one answer, from when it is there
	idleWithin       = 2 * time.Minute
	maxHeader        = 32 << 10 // bytes, and what net/http adds to it
)

// HTTP serves any number of clients, each request for itself, until it is time
// to leave. It returns nil when every call it took was answered and the engine
// is at rest, and ErrUnfinished when that did not come about in time.
//
// A signal and the end of ctx stop the listening at once; what was taken is
// still answered. At most 3.8 s after leaving began HTTP returns, whatever
// hangs.
//
// A connection that closes cancels the contexts of its calls, which ends a
// read; a write that has claimed does not heed it. The call is run to its end
// either way.
func HTTP(ctx context.Context, opts HTTPOptions) error {
	opts = opts.withDefaults()
	return newHTTPRun(opts).run(ctx)
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Engine == nil {
		o.Engine = atRest{}
	}
	if o.Admit == nil {
		o.Admit = func(next http.Handler) http.Handler { return next }
	}
	if o.ReadWithin == 0 {
		o.ReadWithin = readWithin
	}
	return o
}

// routes is all that is served; every path is behind the guard.
func (o HTTPOptions) routes(e *endpoint, leaving <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Path, o.Admit(e))
	mux.HandleFunc("GET /healthz", healthy)
	mux.Handle("GET /readyz", newReadiness(o.Ready, leaving, o.Log))
	if o.Metrics != nil {
		mux.Handle("GET /metrics", o.Admit(o.Metrics.handler()))
	}
	for path, page := range o.Open {
		mux.Handle(path, page)
	}
	return guard(mux, o.Listener.Addr(), o.Hosts)
}
