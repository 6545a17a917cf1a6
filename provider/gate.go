package provider

import (
	"errors"
	"net"
	"sync"
	"time"
)

var (
	errLate   = errors.New("send_by has passed")
	errClosed = errors.New("the gate is closed")
)

// gate stands between a write and its connection. It lets the first byte pass
// only before sendBy, over one connection only, and knows afterwards whether
// any byte passed. It reads the wall clock: monotonic time stands still while a
// machine sleeps, and a deadline of seconds would outlive a weekend.
type gate struct {
	now    func() time.Time
	sendBy time.Time

	mu       sync.Mutex
	admitted bool // a connection
	passed   bool // a byte, or it is about to
	late     bool
	closed   bool
}

// admit puts the gate on a connection that was dialled, if it was. Over TLS
// that is the encrypted connection after its handshake, so that only the
// request counts.
func (g *gate) admit(conn net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.admitted {
		_ = conn.Close()
		return nil, errClosed
	}
	g.admitted = true
	return &gatedConn{Conn: conn, gate: g}, nil
}

// pass decides on the next bytes. What it lets pass counts as sent from now on,
// since nobody can tell any more how far they came.
func (g *gate) pass() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosed
	}
	if !g.passed && !g.now().Round(0).Before(g.sendBy.Round(0)) {
		g.late, g.closed = true, true
		return errLate
	}
	g.passed = true
	return nil
}

// shut lets nothing pass from here on, and tells whether anything did. Only
// then is "not sent" proved: the transport may give up on a request while a
// goroutine of its own is still about to write it.
func (g *gate) shut() (passed, late bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return g.passed, g.late
}

type gatedConn struct {
	net.Conn
	gate *gate
}

func (c *gatedConn) Write(p []byte) (int, error) {
	if err := c.gate.pass(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
