package provider

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"time"
)

// Write is one request that may change something.
type Write struct {
	Method string // POST when empty
	URL    string
	Header http.Header
	Body   []byte    // never empty: net/http feels free to repeat a bodyless request
	SendBy time.Time // no byte passes at or after it, by the wall clock
	// StatusAlone is for a receiver whose status says all: once that has come, a
	// body need not end, and none is returned. It is not for an authority, whose
	// body says which effect it speaks of.
	StatusAlone bool
}

// Send puts exactly one request on the wire, or none. Each write has a
// connection of its own, because net/http repeats a request that bears an
// idempotency key when a connection drops that was used before.
func (c *Client) Send(ctx context.Context, w Write) Reply {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if len(w.Body) == 0 {
		return NotSent{Detail: "no body"}
	}
	req, err := w.request(ctx)
	if err != nil {
		return NotSent{Detail: "no address"}
	}
	g := &gate{now: c.now, sendBy: w.SendBy}
	once := c.once(ctx, g, len(w.Body))
	defer once.CloseIdleConnections()

	read := readWhole
	if w.StatusAlone {
		read = readNothing
	}
	reply := roundTrip(once, req, read)
	switch passed, late := g.shut(); {
	case passed:
		return reply
	case late:
		return NotSent{Detail: "send_by has passed"}
	}
	return notSent(reply)
}

func (w Write) request(ctx context.Context) (*http.Request, error) {
	method := w.Method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, w.URL, bytes.NewReader(w.Body))
	if err != nil {
		return nil, err
	}
	req.Header = headerOf(w.Header)
	req.Header.Del("Expect") // a request in two parts could be sent by half
	req.GetBody = nil        // nobody is to read it again
	req.Close = true
	return req, nil
}

// once is a transport for one request. Its dialler keeps to the write's own
// context, which net/http would detach it from, and its buffer takes the whole
// request, so that no part of it waits behind the gate for another.
func (c *Client) once(ctx context.Context, g *gate, body int) *http.Transport {
	t := c.transport()
	t.DisableKeepAlives = true
	t.WriteBufferSize = body + maxHeader
	t.DialContext = func(_ context.Context, network, addr string) (net.Conn, error) {
		conn, err := c.connect(ctx, network, addr)
		return g.admit(conn, err)
	}
	t.DialTLSContext = func(_ context.Context, network, addr string) (net.Conn, error) {
		conn, err := c.connect(ctx, network, addr)
		if err == nil {
			conn, err = c.secure(ctx, conn, addr)
		}
		return g.admit(conn, err)
	}
	return t
}

// notSent is what remains of a reply when the gate let nothing through. Even an
// answer is none then: it cannot be one to this request.
func notSent(r Reply) NotSent {
	switch r := r.(type) {
	case NotSent:
		return r
	case Lost:
		if r.Detail != noAnswer {
			return NotSent(r)
		}
	case Responded:
	}
	return NotSent{Detail: "no connection"}
}
