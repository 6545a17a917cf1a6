package provider

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	defaultTimeout = 5 * time.Second
	maxHeader      = 64 << 10 // bytes of an answer's header
	maxBody        = 1 << 20  // bytes of an answer's body
	idleTimeout    = 30 * time.Second
)

// Dial opens a connection to an address, as [net.Dialer.DialContext] does. A
// proxy belongs here: none is taken from the environment.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Options say how a [Client] reaches the outside. The zero value is ready to
// use.
type Options struct {
	// Timeout bounds each write and each read, from dialling to the last byte
	// of the answer; 5 s when zero.
	Timeout time.Duration
	// Dial replaces the system's dialler.
	Dial Dial
	// TLS is what https is spoken with: own roots, client certificates. Its
	// NextProtos are not used.
	TLS *tls.Config
}

// Client is the guarded HTTP client. It speaks HTTP/1.1 alone, follows no
// redirect and repeats nothing of its own accord: what it was asked to send is
// sent once or not at all. It is safe for concurrent use.
type Client struct {
	now     func() time.Time
	timeout time.Duration
	dial    Dial
	tls     *tls.Config
	reads   *http.Transport
}

// NewClient returns a client that reads the wall clock by now.
func NewClient(now func() time.Time, o Options) *Client {
	c := &Client{now: now, timeout: o.Timeout, dial: o.Dial, tls: http1Only(o.TLS)}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.dial == nil {
		c.dial = new(net.Dialer).DialContext
	}
	c.reads = c.pool()
	return c
}

// Close ends the connections that are kept alive for reads. The client can
// still be used.
func (c *Client) Close() { c.reads.CloseIdleConnections() }

// transport is what reads and writes have in common. It leaves bodies
// compressed: their length is what shows that they are whole.
func (c *Client) transport() *http.Transport {
	return &http.Transport{
		Protocols:              http1(),
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

func http1Only(given *tls.Config) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if given != nil {
		config = given.Clone()
	}
	config.NextProtos = []string{"http/1.1"}
	return config
}
