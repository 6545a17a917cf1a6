//go:build unix

package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// between stands between counterfoil and its marketplace, and does what the
// marketplace itself never does.
type between struct {
	*httputil.ReverseProxy
	addr   string
	server *http.Server

	mu       sync.Mutex
	listener net.Listener
	inUse    bool // the next write is done, and answered as one whose key is in use
	unplugs  bool // nobody gets through any more, once the next lookup has
	writes   int
}

const keyInUse = `{"error":{"code":"idempotency_key_in_use","message":"the first request with this idempotency key is still in progress"}}`

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	lookup := r.URL.Query().Has("intent")
	b.mu.Lock()
	write := r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/")
	inUse := b.inUse && write
	if write {
		b.writes++
		b.inUse = false
	}
	if b.unplugs && lookup {
		b.unplugs = false
		_ = b.listener.Close() // who is connected stays so
	}
	b.mu.Unlock()
	if !inUse {
		b.ReverseProxy.ServeHTTP(w, r)
		return
	}
	b.ReverseProxy.ServeHTTP(unheard{}, r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusConflict)
	fmt.Fprint(w, keyInUse)
}

// plug lets everybody through.
func (b *between) plug() error {
	var err error
	if b.listener, err = net.Listen("tcp", b.addr); err != nil {
		return err
	}
	b.addr = b.listener.Addr().String()
	go func() { _ = b.server.Serve(b.listener) }() // until it is unplugged
	return nil
}

// unheard is an answer that nobody reads.
type unheard struct{}

func (unheard) Header() http.Header            { return http.Header{} }
func (unheard) Write(text []byte) (int, error) { return len(text), nil }
func (unheard) WriteHeader(int)                {}

func stand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: between in_use|unplug|plug, or: between writes N")
	}
	s := stageOf(ts)
	if s.between == nil {
		s.between = newBetween(ts)
	}
	b := s.between
	b.mu.Lock()
	defer b.mu.Unlock()
	switch args[0] {
	case "in_use":
		b.inUse = true
	case "unplug":
		b.unplugs = true
	case "plug":
		ts.Check(b.plug())
	case "writes":
		if got := strconv.Itoa(b.writes); got != args[1] {
			ts.Fatalf("writes: got %s, want %s", got, args[1])
		}
	default:
		ts.Fatalf("between cannot %s", args[0])
	}
}

// newBetween stands before the marketplace at COUNTERFOIL_SANDBOX_URL, and takes
// its place there.
func newBetween(ts *testscript.TestScript) *between {
	market, err := url.Parse(ts.Getenv("COUNTERFOIL_SANDBOX_URL"))
	ts.Check(err)
	b := &between{addr: "127.0.0.1:0"}
	b.ReverseProxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(market) }}
	b.server = &http.Server{Handler: b}
	ts.Check(b.plug())
	ts.Defer(func() { _ = b.server.Close() })
	ts.Setenv("COUNTERFOIL_SANDBOX_URL", "http://"+b.addr)
	return b
}
