package provider

import (
	"context"
	"crypto/tls"
	"net"
)

// connect dials, and gives the socket the context's deadline too, so that it
// holds whoever hangs.
func (c *Client) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return conn, nil
	}
	if err := conn.SetDeadline(deadline); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// secure turns the connection into a TLS one, its handshake done.
func (c *Client) secure(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	config := c.tls
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			_ = conn.Close()
			return nil, err
		}
		config = config.Clone()
		config.ServerName = host
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}
