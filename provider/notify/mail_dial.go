package notify

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/wneessen/go-mail"
)

func tlsConfig(o MailOptions) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLSConfig != nil {
		config = o.TLSConfig.Clone()
	}
	config.ServerName = o.Host
	return config
}

// dialWithin opens connections that end when ctx does, whatever the library
// waits for on them.
func dialWithin(ctx context.Context, o MailOptions) mail.DialContextFunc {
	return func(dialling context.Context, network, addr string) (net.Conn, error) {
		plain, err := new(net.Dialer).DialContext(dialling, network, addr)
		if err != nil {
			return nil, err
		}
		conn := &boundConn{Conn: plain}
		conn.stop = context.AfterFunc(ctx, func() { _ = plain.Close() })
		if o.TLS != Implicit {
			return conn, nil
		}
		secured := tls.Client(conn, tlsConfig(o))
		if err := secured.HandshakeContext(dialling); err != nil {
			_ = conn.Close()
			return nil, err
		}
		return secured, nil
	}
}

// boundConn leaves its deadline to its context: the library would move it.
type boundConn struct {
	net.Conn
	stop func() bool
}

func (c *boundConn) SetDeadline(time.Time) error { return nil }

func (c *boundConn) Close() error {
	c.stop()
	return c.Conn.Close()
}
