package provider_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
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

func TestAnswersThatDoNotCount(t *testing.T) {
	t.Parallel()

	const ok = "HTTP/1.1 200 OK\r\n"
	huge := strconv.Itoa(1<<20 + 1)
	tests := map[string]struct {
		raw    string
		detail string
	}{
		"dropped":                {"", "connection closed"},
		"half a status line":     {"HTTP/1.1 2", "no answer"},
		"no HTTP":                {"SSH-2.0-OpenSSH_9.9\r\n", "no answer"},
		"header cut off":         {ok + "Content-Len", "no answer"},
		"body cut off":           {ok + "Content-Length: 20\r\n\r\n{\"id\":\"re_1\"}", "body cut off"},
		"no body at all":         {ok + "Content-Length: 20\r\n\r\n", "body cut off"},
		"chunks cut off":         {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "body cut off"},
		"chunk cut off":          {ok + "Transfer-Encoding: chunked\r\n\r\n9\r\n{}", "body cut off"},
		"chunk length malformed": {ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n", "body cut off"},
		"ends with the socket":   {ok + "\r\n{}", "body without a length"},
		"announced too large":    {ok + "Content-Length: " + huge + "\r\n\r\n", "body too large"},
		"protocol switched":      {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n{}", "protocol switched"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listen(t, answering(tt.raw))
			got := newClient(t, provider.Options{}).Send(t.Context(), post("http://"+w.addr, inAMinute()))
			w.wait()
			if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: tt.detail}), got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if w.conns != 1 {
				t.Errorf("%d connections, want 1", w.conns)
			}
		})
	}
}

func TestDroppedWhileSendingIsLost(t *testing.T) {
	t.Parallel()

	w := listen(t, func(conn net.Conn) { conn.Read(make([]byte, 1)) })
	got := newClient(t, provider.Options{}).Send(t.Context(), post("http://"+w.addr, inAMinute()))
	w.wait()
	if _, ok := got.(provider.Lost); !ok || w.conns != 1 {
		t.Errorf("reply %#v over %d connections, want it lost over 1", got, w.conns)
	}
}

// Whether the client sees that the connection is gone before it writes is a
// matter of luck. What it says must be true either way.
func TestDroppedAtOnce(t *testing.T) {
	t.Parallel()

	for range 50 {
		w := listen(t, func(net.Conn) {})
		var writes atomic.Int32
		var deadline atomic.Bool
		c := newClient(t, provider.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			return watchedConn{conn, &writes, &deadline}, err
		}})
		got := c.Send(t.Context(), post("http://"+w.addr, inAMinute()))
		w.wait()
		switch _, notSent := got.(provider.NotSent); {
		case notSent && writes.Load() != 0:
			t.Errorf("reply %#v after %d writes to the socket", got, writes.Load())
		case !notSent && writes.Load() != 1:
			t.Errorf("reply %#v after %d writes to the socket, want 1", got, writes.Load())
		}
	}
}

func TestBodyIsBounded(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		size    int
		chunked bool
		whole   bool
	}{
		"the most":            {1 << 20, false, true},
		"the most, in chunks": {1 << 20, true, true},
		"one more":            {1<<20 + 1, false, false},
		"one more, in chunks": {1<<20 + 1, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !tt.chunked {
					w.Header().Set("Content-Length", strconv.Itoa(tt.size))
				}
				w.Write(bytes.Repeat([]byte{' '}, tt.size))
			}))
			defer s.Close()
			got := newClient(t, provider.Options{}).Send(t.Context(), post(s.URL, inAMinute()))
			switch r := got.(type) {
			case provider.Responded:
				if !tt.whole || len(r.Body) != tt.size {
					t.Errorf("%d bytes came whole", len(r.Body))
				}
			case provider.Lost:
				if tt.whole || r.Detail != "body too large" {
					t.Errorf("lost: %s", r.Detail)
				}
			case provider.NotSent:
				t.Errorf("not sent: %s", r.Detail)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()

	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if r.URL.Path != "/elsewhere" {
					http.Redirect(w, r, "/elsewhere", status)
				}
			}))
			defer s.Close()
			c := newClient(t, provider.Options{})
			for _, got := range []provider.Reply{
				c.Send(t.Context(), post(s.URL, inAMinute())),
				c.Get(t.Context(), s.URL, nil),
			} {
				if r, ok := got.(provider.Responded); !ok || r.Status != status {
					t.Errorf("reply %#v, want %d", got, status)
				}
			}
			if got := requests.Load(); got != 2 {
				t.Errorf("%d requests, want one write and one read", got)
			}
		})
	}
}

// net/http sends a request that bears an idempotency key again when a
// connection drops that was used before.
func TestDroppedConnectionIsNotSentAgain(t *testing.T) {
	t.Parallel()

	var writes atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return
		}
		writes.Add(1)
		io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	}))
	defer s.Close()
	c := newClient(t, provider.Options{})
	for n := range int32(3) {
		if _, ok := c.Get(t.Context(), s.URL, nil).(provider.Responded); !ok {
			t.Fatal("the read that leaves a connection alive had no answer")
		}
		got := c.Send(t.Context(), post(s.URL, inAMinute()))
		if diff := cmp.Diff(provider.Reply(provider.Lost{Detail: "connection closed"}), got); diff != "" {
			t.Errorf("reply (-want +got):\n%s", diff)
		}
		if got := writes.Load(); got != n+1 {
			t.Errorf("%d requests after %d writes", got, n+1)
		}
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
