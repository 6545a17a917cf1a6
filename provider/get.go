package provider

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
)

// Get reads. It may use a connection that was used before. Nothing but a whole
// answer is a Responded; whether anything left is of no interest, so all else
// is a Lost. Repeating a read is for the caller to decide.
func (c *Client) Get(ctx context.Context, url string, header http.Header) Reply {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return Lost{Detail: "no address"}
	}
	// net/http repeats a read whose connection drops, unless it has a body that
	// cannot be read again. This one is empty, and nothing of it is sent.
	req.Body, req.GetBody = io.NopCloser(strings.NewReader("")), nil
	req.Header = headerOf(header)
	// An absence that some cache remembers is not one that counts.
	req.Header.Set("Cache-Control", "no-store")
	return roundTrip(c.reads, req, readWhole)
}

// pool is the transport of all reads. net/http detaches its diallers from the
// request, so they get a bound of their own; the socket has none, since it
// outlives the request.
func (c *Client) pool() *http.Transport {
	t := c.transport()
	t.IdleConnTimeout = idleTimeout
	t.MaxIdleConnsPerHost = 4
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		return c.dial(ctx, network, addr)
	}
	t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		conn, err := c.dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return c.secure(ctx, conn, addr)
	}
	return t
}
