package provider_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"counterfoil/provider"
)

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

// Who asks for the status alone has it as soon as the header has come, and not
// before.
func TestStatusAlone(t *testing.T) {
	t.Parallel()

	const ok = "HTTP/1.1 200 OK\r\n"
	tests := map[string]struct {
		raw  string
		want provider.Reply
	}{
		"no body":              {ok + "Content-Length: 0\r\n\r\n", responded(http.StatusOK)},
		"ends with the socket": {ok + "\r\n{}", responded(http.StatusOK)},
		"HTTP/1.0":             {"HTTP/1.0 200 OK\r\n\r\nok", responded(http.StatusOK)},
		"cut off":              {ok + "Content-Length: 20\r\n\r\n{}", responded(http.StatusOK)},
		"announced too large":  {ok + "Content-Length: 1048577\r\n\r\n", responded(http.StatusOK)},
		"larger than drained":  {ok + "\r\n" + strings.Repeat(".", 2<<20), responded(http.StatusOK)},
		"a refusal, cut off":   {"HTTP/1.1 500 Oh\r\nContent-Length: 20\r\n\r\n{}", responded(http.StatusInternalServerError)},
		"header cut off":       {ok + "Content-Len", provider.Lost{Detail: "no answer"}},
		"protocol switched":    {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", provider.Lost{Detail: "protocol switched"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listen(t, answering(tt.raw))
			post := post("http://"+w.addr, inAMinute())
			post.StatusAlone = true
			got := newClient(t, provider.Options{}).Send(t.Context(), post)
			w.wait()
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(provider.Responded{}, "Header")); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// A body that never ends takes the time of the write, and not its answer.
func TestStatusAloneOfABodyWithoutEnd(t *testing.T) {
	t.Parallel()

	w := listen(t, func(conn net.Conn) {
		if _, err := takeRequest(conn); err == nil {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\nwait")
			drain(conn)
		}
	})
	post := post("http://"+w.addr, inAMinute())
	post.StatusAlone = true
	got := newClient(t, provider.Options{Timeout: time.Second}).Send(t.Context(), post)
	w.wait()
	if r, ok := got.(provider.Responded); !ok || r.Status != http.StatusOK {
		t.Errorf("reply %#v, want the status", got)
	}
}

func responded(status int) provider.Reply { return provider.Responded{Status: status} }

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
