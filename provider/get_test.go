package provider_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
)

var quiet = log.New(io.Discard, "", 0)

func TestGet(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		raw  string
		want provider.Reply
	}{
		"an answer": {
			"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
			provider.Responded{Status: 404, Header: http.Header{"Content-Length": {"2"}}, Body: []byte("{}")},
		},
		"dropped":      {"", provider.Lost{Detail: "connection closed"}},
		"body cut off": {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", provider.Lost{Detail: "body cut off"}},
		"endless":      {"HTTP/1.1 200 OK\r\n\r\n{}", provider.Lost{Detail: "body without a length"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listen(t, answering(tt.raw))
			got := newClient(t, provider.Options{}).Get(t.Context(), "http://"+w.addr, nil)
			w.wait()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if w.conns != 1 {
				t.Errorf("%d connections, want 1: repeating is the caller's", w.conns)
			}
		})
	}
}

func TestGetRefusedConnection(t *testing.T) {
	t.Parallel()

	w := listen(t, drain)
	w.wait()
	got := newClient(t, provider.Options{}).Get(t.Context(), "http://"+w.addr, nil)
	if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: "connection refused"}), got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestGetTimesOut(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]string{
		"before the answer":    "http://marketplace.test",
		"in the TLS handshake": "https://marketplace.test",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, provider.Options{Timeout: 3 * time.Second, Dial: piped(drain)})
				start := time.Now()
				got := c.Get(t.Context(), url, nil)
				if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: "timeout"}), got); diff != "" {
					t.Errorf("reply (-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("took %v, want 3s", took)
				}
			})
		})
	}
}

// A connection that was kept alive serves the next read.
func TestGetKeepsConnections(t *testing.T) {
	t.Parallel()

	w := listen(t, func(conn net.Conn) {
		for {
			if _, err := takeRequest(conn); err != nil {
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	c := newClient(t, provider.Options{})
	for range 3 {
		if _, ok := c.Get(t.Context(), "http://"+w.addr, nil).(provider.Responded); !ok {
			t.Error("no answer")
		}
	}
	c.Close()
	w.wait()
	if w.conns != 1 {
		t.Errorf("%d connections for three reads, want 1", w.conns)
	}
}

// Nor is a read repeated behind the caller's back.
func TestDroppedConnectionIsNotReadAgain(t *testing.T) {
	t.Parallel()

	var requests int
	w := listen(t, func(conn net.Conn) {
		for {
			if _, err := takeRequest(conn); err != nil {
				return
			}
			if requests++; requests == 2 {
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	c := newClient(t, provider.Options{})
	c.Get(t.Context(), "http://"+w.addr, nil)
	got := c.Get(t.Context(), "http://"+w.addr, nil)
	c.Close()
	w.wait()
	if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: "connection closed"}), got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
	if requests != 2 {
		t.Errorf("%d requests for two reads", requests)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)
	c := provider.NewClient(func() time.Time { return now }, provider.Options{})
	tests := map[string]time.Duration{
		"":                              0,
		"1":                             time.Second,
		" 30 ":                          30 * time.Second,
		"0":                             0,
		"-5":                            0,
		"1.5":                           0,
		"soon":                          0,
		"4000":                          time.Hour,
		"4294967295":                    time.Hour,
		"99999999999999999999":          0,
		"Tue, 17 Mar 2026 14:33:07 GMT": time.Minute,
		"Tue, 17 Mar 2026 14:00:00 GMT": 0,
		"Wed, 17 Mar 2027 14:33:07 GMT": time.Hour,
	}
	for value, want := range tests {
		if got := c.RetryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}
