package provider_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
)

func TestSendByIsKept(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)
	tests := map[string]struct {
		sendBy time.Time
		sent   bool
	}{
		"never set":   {time.Time{}, false},
		"long past":   {now.Add(-72 * time.Hour), false},
		"just past":   {now.Add(-1), false},
		"now":         {now, false},
		"just before": {now.Add(1), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listen(t, func(conn net.Conn) {
				answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")(conn)
				drain(conn)
			})
			c := provider.NewClient(func() time.Time { return now }, provider.Options{})
			got := c.Send(t.Context(), post("http://"+w.addr, tt.sendBy))
			w.wait()
			if !tt.sent {
				if diff := cmp.Diff(provider.Reply(provider.NotSent{Detail: "send_by has passed"}), got); diff != "" {
					t.Errorf("reply (-want +got):\n%s", diff)
				}
				if w.conns != 1 || w.bytes != 0 {
					t.Errorf("%d connections and %d bytes on the wire, want 1 and 0", w.conns, w.bytes)
				}
				return
			}
			if _, ok := got.(provider.Responded); !ok || w.bytes == 0 {
				t.Errorf("reply %#v after %d bytes, want an answer", got, w.bytes)
			}
		})
	}
}

// A machine that sleeps while a connection is being made wakes up after send_by.
func TestSendByIsReadAfterDialling(t *testing.T) {
	t.Parallel()

	var asleep atomic.Bool
	start := time.Now()
	now := func() time.Time {
		if asleep.Load() {
			return start.Add(60 * time.Hour)
		}
		return start
	}
	w := listen(t, drain)
	c := provider.NewClient(now, provider.Options{
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			defer asleep.Store(true)
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	})
	got := c.Send(t.Context(), post("http://"+w.addr, start.Add(time.Minute)))
	w.wait()
	if _, ok := got.(provider.NotSent); !ok || w.bytes != 0 {
		t.Errorf("reply %#v after %d bytes, want nothing sent", got, w.bytes)
	}
}

// An answer that nobody asked for is no proof of anything.
func TestUnsolicitedAnswerAfterSendByIsNoAnswer(t *testing.T) {
	t.Parallel()

	w := listen(t, func(conn net.Conn) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		drain(conn)
	})
	c := newClient(t, provider.Options{})
	got := c.Send(t.Context(), post("http://"+w.addr, time.Now().Add(-time.Second)))
	w.wait()
	if _, ok := got.(provider.NotSent); !ok || w.bytes != 0 {
		t.Errorf("reply %#v after %d bytes, want nothing sent", got, w.bytes)
	}
}

// Whoever hangs, and wherever, the timeout holds.
func TestSendTimesOut(t *testing.T) {
	t.Parallel()

	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"
	answerAndHang := func(raw string) provider.Dial {
		return piped(func(conn net.Conn) {
			answering(raw)(conn)
			drain(conn)
		})
	}
	tests := map[string]struct {
		url  string
		dial provider.Dial
		want provider.Reply
	}{
		"while dialling": {
			"http://marketplace.test",
			func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
			provider.NotSent{Detail: "timeout"},
		},
		"in the TLS handshake": {"https://marketplace.test", piped(drain), provider.NotSent{Detail: "timeout"}},
		"while nobody reads": {
			"http://marketplace.test",
			func(context.Context, string, string) (net.Conn, error) {
				ours, _ := net.Pipe()
				return ours, nil
			},
			provider.Lost{Detail: "timeout"},
		},
		"before the answer":  {"http://marketplace.test", answerAndHang(""), provider.Lost{Detail: "timeout"}},
		"in the header":      {"http://marketplace.test", answerAndHang("HTTP/1.1 200"), provider.Lost{Detail: "timeout"}},
		"in the body":        {"http://marketplace.test", answerAndHang(ok + "{"), provider.Lost{Detail: "timeout"}},
		"while it continues": {"http://marketplace.test", answerAndHang("HTTP/1.1 102 Processing\r\n\r\n"), provider.Lost{Detail: "timeout"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, provider.Options{Timeout: 3 * time.Second, Dial: tt.dial})
				start := time.Now()
				got := c.Send(t.Context(), post(tt.url, inAMinute()))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("reply (-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("took %v, want 3s", took)
				}
			})
		})
	}
}

// What is dialled too late is closed without a byte: by then the write was
// reported as not sent.
func TestLateConnectionIsNotUsed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		read := make(chan int, 1)
		late := piped(func(conn net.Conn) {
			n, _ := io.Copy(io.Discard, conn)
			read <- int(n)
		})
		c := newClient(t, provider.Options{
			Timeout: 3 * time.Second,
			Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-time.After(10 * time.Second)
				return late(ctx, network, addr)
			},
		})
		got := c.Send(t.Context(), post("http://marketplace.test", inAMinute()))
		if diff := cmp.Diff(provider.Reply(provider.NotSent{Detail: "timeout"}), got); diff != "" {
			t.Errorf("reply (-want +got):\n%s", diff)
		}
		if n := <-read; n != 0 {
			t.Errorf("%d bytes on the wire afterwards", n)
		}
	})
}

func TestCancelledAfterSendingIsLost(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	w := listen(t, func(conn net.Conn) {
		takeRequest(conn)
		cancel()
		drain(conn)
	})
	got := newClient(t, provider.Options{}).Send(ctx, post("http://"+w.addr, inAMinute()))
	if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: "cancelled"}), got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}
