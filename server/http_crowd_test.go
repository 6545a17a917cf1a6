package server_test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/intent"
	"counterfoil/server"
)

// Whoever announces a body and does not send it holds nothing: no memory, and
// nobody's place. Not parallel, for it measures.
func TestHTTPAnnouncedBodiesHoldNothing(t *testing.T) {
	h := open(t, tools(map[string]handler{"pay": says("paid")}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 300 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{", h.addr); err != nil {
			t.Fatal(err)
		}
	}
	h.post(callLine(1, "pay")).mustSay(t, "paid")
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 64<<20 {
		t.Errorf("300 bodies of one byte hold %d bytes", used)
	}
}

// What all bodies together hold is bounded; a client beyond that is told to come
// again, and everybody is served once there is room. Bodies that meet can turn
// each other away, so they are sent until there is no room left.
func TestHTTPBodiesAreBoundedTogether(t *testing.T) {
	h := open(t, tools(map[string]handler{"pay": says("paid")}), func(o *server.HTTPOptions) { o.ReadWithin = time.Hour })
	var conns []net.Conn
	served := func() bool {
		got := h.post(callLine(1, "pay"))
		if got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		return got.status == http.StatusOK
	}
	for served() {
		if len(conns) == 1000 {
			t.Fatal("a thousand bodies of a megabyte are held")
		}
		conns = append(conns, allButOne(t, h.addr, 1<<20))
	}
	if len(conns) < 32 {
		t.Errorf("no room beside %d bodies of a megabyte", len(conns))
	}
	for _, conn := range conns {
		conn.Close()
	}
	for !served() {
		runtime.Gosched()
	}
}

// allButOne posts a body of that many bytes and keeps its last one back.
func allButOne(t *testing.T, addr string, size int) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", addr, size); err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Write(make([]byte, size-1)) // fails where it was turned away already
	return conn
}

// One principal can fill neither a lane nor the server.
func TestHTTPShareOfOnePrincipal(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	gate := make(chan struct{})
	catalog := tools(map[string]handler{"pay": says("paid")})
	catalog.AddTool(mcp.NewTool("look", mcp.WithReadOnlyHintAnnotation(true)), waitsFor(gate, &running))
	h := open(t, catalog, func(o *server.HTTPOptions) {
		o.Admit = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.WithContext(intent.WithPrincipal(r.Context(), r.Header.Get("Principal"))))
			})
		}
	})
	const share = 32
	answers := make(chan got, share)
	for id := range share {
		go func() { answers <- h.post(callLine(id, "look"), "Principal: greedy") }()
	}
	for running.Load() < share {
		runtime.Gosched()
	}
	h.post(callLine(100, "look"), "Principal: greedy").mustRefuse(t, http.StatusServiceUnavailable, -32011)
	h.post(callLine(101, "pay"), "Principal: other").mustSay(t, "paid")
	h.post(callLine(102, "pay")).mustSay(t, "paid")
	close(gate)
	for range share {
		receive(t, answers).mustSay(t, "done")
	}
	h.post(callLine(103, "look"), "Principal: greedy").mustSay(t, "done")
}

// A body that is not as it says it is kept from the reader.
func TestHTTPContentEncoding(t *testing.T) {
	t.Parallel()
	h := open(t, tools(map[string]handler{"pay": says("paid")}))
	for coding, want := range map[string]int{"gzip": http.StatusUnsupportedMediaType, "br": http.StatusUnsupportedMediaType, "identity": http.StatusOK} {
		if got := h.post(callLine(1, "pay"), "Content-Encoding: "+coding); got.status != want {
			t.Errorf("%s: got %d %s, want %d", coding, got.status, got.body, want)
		}
	}
}
