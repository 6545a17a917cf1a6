package provider_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
)

func TestRefusedConnectionIsNotSent(t *testing.T) {
	t.Parallel()

	w := listen(t, drain)
	w.wait()
	got := newClient(t, provider.Options{}).Send(t.Context(), post("http://"+w.addr, inAMinute()))
	if diff := cmp.Diff(provider.Reply(provider.NotSent{Detail: "connection refused"}), got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestNotSentBeforeDialling(t *testing.T) {
	t.Parallel()

	bodyless := post("http://marketplace.test", inAMinute())
	bodyless.Body = nil
	tests := map[string]struct {
		write     provider.Write
		cancelled bool
		detail    string
	}{
		"no body":        {bodyless, false, "no body"},
		"no URL":         {post("http://%zz", inAMinute()), false, "no address"},
		"another scheme": {post("ftp://marketplace.test", inAMinute()), false, "no connection"},
		"cancelled":      {post("http://marketplace.test", inAMinute()), true, "cancelled"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, provider.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errNoDial
			}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.cancelled {
				cancel()
			}
			got := c.Send(ctx, tt.write)
			if diff := cmp.Diff(provider.Reply(provider.NotSent{Detail: tt.detail}), got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsOnTheWire(t *testing.T) {
	t.Parallel()

	type seen struct {
		Proto, Method, Expect, Key string
		Close                      bool
		Length                     int64
		Encoding                   []string
	}
	requests := make(chan seen, 2)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests <- seen{
			r.Proto, r.Method, r.Header.Get("Expect"), r.Header.Get("Idempotency-Key"),
			r.Close, r.ContentLength, r.TransferEncoding,
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig
	c := newClient(t, provider.Options{TLS: roots})

	w := post(s.URL, inAMinute())
	w.Header.Set("Expect", "100-continue")
	for _, got := range []provider.Reply{c.Send(t.Context(), w), c.Get(t.Context(), s.URL, nil)} {
		if r, ok := got.(provider.Responded); !ok || r.Status != http.StatusOK {
			t.Fatalf("reply %#v, want an answer", got)
		}
	}
	want := seen{Proto: "HTTP/1.1", Method: "POST", Key: w.Header.Get("Idempotency-Key"), Close: true, Length: int64(len(w.Body))}
	if diff := cmp.Diff(want, <-requests); diff != "" {
		t.Errorf("the write (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(seen{Proto: "HTTP/1.1", Method: "GET"}, <-requests); diff != "" {
		t.Errorf("the read (-want +got):\n%s", diff)
	}
}

// A request in several parts could be held up between two of them.
func TestRequestIsWrittenInOnePiece(t *testing.T) {
	t.Parallel()

	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
	}))
	defer s.Close()
	var writes atomic.Int32
	var deadline atomic.Bool
	c := newClient(t, provider.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return watchedConn{conn, &writes, &deadline}, err
	}})
	w := post(s.URL, inAMinute())
	w.Body = bytes.Repeat([]byte{' '}, 300<<10)
	if _, ok := c.Send(t.Context(), w).(provider.Responded); !ok {
		t.Error("no answer")
	}
	if got := writes.Load(); got != 1 {
		t.Errorf("%d writes to the socket, want 1", got)
	}
	if !deadline.Load() {
		t.Error("the socket had no deadline")
	}
}

type watchedConn struct {
	net.Conn
	writes   *atomic.Int32
	deadline *atomic.Bool
}

func (c watchedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

func (c watchedConn) SetDeadline(t time.Time) error {
	c.deadline.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

func TestCertificateThatIsNotAcceptedIsNotSent(t *testing.T) {
	t.Parallel()

	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request arrived")
	}))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	defer s.Close()
	got := newClient(t, provider.Options{}).Send(t.Context(), post(s.URL, inAMinute()))
	if diff := cmp.Diff(provider.Reply(provider.NotSent{Detail: "certificate not accepted"}), got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}
