package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/sandbox"
)

// pipes is a listener whose connections never leave the process.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// serving runs a sandbox in a bubble of simulated time.
func serving(t *testing.T, fn func(t *testing.T, box *sandbox.Sandbox, l *pipes, stop func())) {
	path := seeded(t)
	synctest.Test(t, func(t *testing.T) {
		box, err := sandbox.Open(t.Context(), path, sandbox.Options{Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- sandbox.Serve(ctx, l, box) }()
		stop := func() {
			cancel()
			if err := <-served; err != nil {
				t.Errorf("serve: %v", err)
			}
			served <- nil
		}
		defer stop()
		fn(t, box, l, stop)
	})
}

// ask sends one refund over c and returns the answer, or the error of waiting
// for one.
func ask(c net.Conn, key string) (string, error) {
	body := acts()[0].body
	_, err := fmt.Fprintf(c, "POST /v1/refunds HTTP/1.1\r\nHost: pipe\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body)
	if err != nil {
		return "", err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.Status + " " + string(b), err
}

func fault(t *testing.T, box *sandbox.Sandbox, mode string, delay time.Duration) {
	t.Helper()
	if err := box.AddFault(t.Context(), sandbox.Fault{Operation: "refunds.create", Mode: mode, Times: 1, Delay: delay}); err != nil {
		t.Fatal(err)
	}
}

func TestSlowTakesItsTime(t *testing.T) {
	serving(t, func(t *testing.T, box *sandbox.Sandbox, l *pipes, _ func()) {
		fault(t, box, "slow", 90*time.Second)
		begun := time.Now()
		c := l.dial()
		defer c.Close()
		answer, err := ask(c, "key-1")
		if err != nil || !strings.HasPrefix(answer, "200") {
			t.Errorf("answer %q, error %v", answer, err)
		}
		if got := time.Since(begun); got != 90*time.Second {
			t.Errorf("answered after %v, want 90s", got)
		}
	})
}

// A request that is held open stays so for hours, and ends without a byte when
// the client hangs up, the handlers are dropped or the server ends.
func TestHeldOpen(t *testing.T) {
	ends := map[string]func(c net.Conn, box *sandbox.Sandbox, stop func()){
		"client":  func(c net.Conn, _ *sandbox.Sandbox, _ func()) { c.Close() },
		"dropped": func(_ net.Conn, box *sandbox.Sandbox, _ func()) { box.DropConnections() },
		"server":  func(_ net.Conn, _ *sandbox.Sandbox, stop func()) { stop() },
	}
	for name, end := range ends {
		for _, mode := range []string{"accept_then_timeout", "timeout_before_accept", "land_late", "slow"} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				serving(t, func(t *testing.T, box *sandbox.Sandbox, l *pipes, stop func()) {
					fault(t, box, mode, 1000*time.Hour)
					c := l.dial()
					defer c.Close()
					type result struct {
						answer string
						err    error
					}
					answered := make(chan result, 1)
					go func() {
						answer, err := ask(c, "key-1")
						answered <- result{answer, err}
					}()
					<-time.After(3 * time.Hour) // of simulated time
					select {
					case r := <-answered:
						t.Fatalf("answered %q, error %v", r.answer, r.err)
					default:
					}
					end(c, box, stop)
					if r := <-answered; r.answer != "" || !(errors.Is(r.err, io.ErrUnexpectedEOF) || errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrClosedPipe)) {
						t.Errorf("answer %q, error %v", r.answer, r.err)
					}
				})
			})
		}
	}
}

// What the client asked for happens although it hung up before the answer.
func TestClientHangsUp(t *testing.T) {
	serving(t, func(t *testing.T, box *sandbox.Sandbox, l *pipes, _ func()) {
		fault(t, box, "land_late", time.Minute)
		c := l.dial()
		go func() { _, _ = ask(c, "key-1") }()
		synctest.Wait()
		c.Close()
		for _, want := range []int{0, 1} {
			b, err := box.Effects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := len(b.Effects); got != want {
				t.Errorf("%d effects, want %d", got, want)
			}
			<-time.After(time.Minute)
		}
	})
}

func TestServeEndsWithItsListener(t *testing.T) {
	m := newMarket(t, "")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := sandbox.Serve(t.Context(), l, m.box); err == nil {
		t.Error("no error from a closed listener")
	}
}
