package provider_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"counterfoil/provider"
)

// wire is a server below HTTP: it hands each connection to serve and counts
// what arrives.
type wire struct {
	addr string
	wait func()

	mu    sync.Mutex
	conns int
	bytes int
}

// listen serves on a real socket. The counts are final once client connections
// are closed and wait has returned.
func listen(t *testing.T, serve func(net.Conn)) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{addr: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.handle(conn, serve) })
		}
	})
	w.wait = sync.OnceFunc(func() {
		l.Close()
		all.Wait()
	})
	t.Cleanup(w.wait)
	return w
}

func (w *wire) handle(conn net.Conn, serve func(net.Conn)) {
	defer conn.Close()
	w.mu.Lock()
	w.conns++
	w.mu.Unlock()
	serve(countedConn{conn, w})
}

type countedConn struct {
	net.Conn
	wire *wire
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wire.mu.Lock()
	c.wire.bytes += n
	c.wire.mu.Unlock()
	return n, err
}

// piped dials in memory: serve gets the other end.
func piped(serve func(net.Conn)) provider.Dial {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			serve(theirs)
		}()
		return ours, nil
	}
}

// takeRequest reads one whole request.
func takeRequest(conn net.Conn) (*http.Request, error) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, req.Body)
	return req, err
}

// answering reads a request and answers with these bytes.
func answering(raw string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := takeRequest(conn); err == nil {
			io.WriteString(conn, raw)
		}
	}
}

// drain reads until the other end closes.
func drain(conn net.Conn) { io.Copy(io.Discard, conn) }

func post(url string, sendBy time.Time) provider.Write {
	return provider.Write{
		URL:    url,
		Header: http.Header{"Idempotency-Key": {"0123456789abcdef0123456789abcdef"}},
		Body:   []byte(`{"amount_cents":11800}`),
		SendBy: sendBy,
	}
}

func inAMinute() time.Time { return time.Now().Add(time.Minute) }

func newClient(t *testing.T, o provider.Options) *provider.Client {
	t.Helper()
	c := provider.NewClient(time.Now, o)
	t.Cleanup(c.Close)
	return c
}

var errNoDial = errors.New("dialled")
