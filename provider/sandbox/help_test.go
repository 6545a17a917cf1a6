package sandbox_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/sandbox"
)

const orderKey = "0123456789abcdef0123456789abcdef"

// key is a new intent's.
func key(name string) intent.Key {
	return intent.DeriveKey("sandbox-test", "test", []intent.Fact{{Name: "name", Value: name}})
}

// pipes is a listener whose connections are in memory, so that a whole
// marketplace fits into a bubble of simulated time.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
	close func()
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.over) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.over:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open opens a marketplace of the test's own.
func open(t *testing.T, declare map[string]string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Open(t.Context(), filepath.Join(t.TempDir(), "sandbox.db"), sandbox.Options{Now: time.Now, Declare: declare})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// simulated serves the marketplace inside a bubble and connects to it.
func simulated(t *testing.T, declare map[string]string) (*sandbox.Sandbox, *provider.Marketplace) {
	t.Helper()
	s := open(t, declare)
	l := newPipes()
	server := &http.Server{Handler: s}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return s, connect(t, "http://marketplace.test", l.dial)
}

func connect(t *testing.T, url string, dial provider.Dial) *provider.Marketplace {
	t.Helper()
	c := provider.NewClient(time.Now, provider.Options{Dial: dial})
	t.Cleanup(c.Close)
	m, err := adapter.Connect(t.Context(), adapter.Options{BaseURL: url, HTTP: c})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// act is one write of any kind, so that a table can hold all kinds.
type act struct {
	send   func(intent.Key, string) intent.Answer // under a provider key
	lookup func(intent.Key) intent.Finding
}

func actOf[T any](t *testing.T, w provider.Writer[T], v T) act {
	t.Helper()
	return act{
		send: func(k intent.Key, idempotency string) intent.Answer {
			body, err := w.Request(k, v)
			if err != nil {
				t.Fatal(err)
			}
			return w.Send(t.Context(), intent.Order{
				Intent: k, Key: idempotency, Request: body, SendBy: time.Now().Add(time.Minute),
			}, v)
		},
		lookup: func(k intent.Key) intent.Finding {
			return w.Lookup(t.Context(), intent.Subject{Intent: k}, v)
		},
	}
}

var (
	aRefund = provider.Refund{
		TicketID: "T-4127", OrderID: "SU-88421", ItemID: "SHELF-OAK-4", Units: []int{1},
		Cents: 11800, Currency: "USD", Reason: "cracked",
	}
	aMessage     = provider.Message{TicketID: "T-4127", To: "S-ASHCOMBE", Text: "A shelf came cracked:\n<photo> & more."}
	aPickup      = provider.Pickup{TicketID: "T-4127", OrderID: "SU-88421", Date: "2026-03-20"}
	aReplacement = provider.Replacement{TicketID: "T-4188", OrderID: "SU-88510", ItemID: "RUG-JUTE-2", Units: []int{2, 1}}
	aHandoff     = intent.Handoff{TicketID: "T-4127", Reason: "unclear_facts", Summary: "who broke it?"}
)
