package intent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/policy"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/sandbox"
	"counterfoil/tools"
)

const (
	providerTimeout = 5 * time.Second
	answerWithin    = 20 * time.Second
)

// rig is one marketplace, one ledger in memory, and as many processes on it as
// a history wants, all inside one bubble of simulated time. The marketplace is
// the embedded one, behind its real handler and the real guarded client; only
// the wire is a pipe.
type rig struct {
	t      *testing.T
	ctx    context.Context //nolint:containedctx // the bubble's own, ended with it
	box    *sandbox.Sandbox
	wire   *pipes
	ledger *ledgertest.Memory
	policy atomic.Pointer[policy.Policy]
	market provider.Marketplace
	ids    atomic.Int64
	alter  func(*intent.Options) // of the processes that start from now on
}

// bubble runs a history in simulated time.
func bubble(t *testing.T, history func(r *rig)) {
	bubbleWith(t, nil, history)
}

// bubbleWith runs a history against a marketplace that declares otherwise.
func bubbleWith(t *testing.T, declare map[string]string, history func(r *rig)) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sandbox.db")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		box, err := sandbox.Open(ctx, path, sandbox.Options{Now: time.Now, Declare: declare})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, ctx: ctx, box: box, wire: newPipes()}
		r.policy.Store(ptr(policy.Default()))
		server := &http.Server{Handler: box, BaseContext: func(net.Listener) context.Context { return ctx }}
		served := make(chan struct{})
		go func() { defer close(served); _ = server.Serve(r.wire) }()
		client := provider.NewClient(time.Now, provider.Options{Timeout: providerTimeout, Dial: r.wire.dial})
		market, err := adapter.Connect(ctx, adapter.Options{BaseURL: "http://sandbox.test", HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		r.market = *market
		r.ledger = ledgertest.NewMemory(market.Account)
		history(r)
		cancel()
		client.Close()
		_ = server.Close()
		<-served
		synctest.Wait()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
}

func ptr[T any](v T) *T { return &v }

// process is one engine on the rig's ledger.
type process struct {
	*intent.Engine
	r     *rig
	owner string
	at    func(intent.Point)
}

// process starts an engine that owns its claims as owner.
func (r *rig) process(owner string) *process {
	return r.processOn(r.ledger.Process(owner), owner)
}

func (r *rig) processOn(ledger intent.Ledger, owner string) *process {
	r.t.Helper()
	p := &process{r: r, owner: owner}
	options := intent.Options{
		Ledger: ledger, Desk: tools.Step(r.market.Desk), Environment: r.market.Environment,
		Operations: tools.Operations(r.market, func() policy.Policy { return *r.policy.Load() }),
		Told:       tools.ToldBy(ledger, r.market),
		Now:        time.Now, NewID: func() string { return fmt.Sprintf("claim-%d", r.ids.Add(1)) },
		ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
		At: func(point intent.Point) {
			if p.at != nil {
				p.at(point)
			}
		},
		Fault: func(where string, err error) { r.t.Logf("%s: fault at %s: %v", owner, where, err) },
	}
	if r.alter != nil {
		r.alter(&options)
	}
	engine, err := intent.New(options)
	if err != nil {
		r.t.Fatal(err)
	}
	p.Engine = engine
	return p
}

// refund is a call of issue_refund; changes are applied over the incident's.
func refund(changes map[string]any) intent.Arguments {
	args := map[string]any{
		"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800,
	}
	for name, value := range changes {
		args[name] = value
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return raw
}

// call calls any tool and checks what holds of every answer.
func (p *process) call(tool string, args map[string]any) intent.Result {
	p.r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		p.r.t.Fatal(err)
	}
	began := time.Now()
	result := p.Do(p.r.ctx, tool, raw)
	checkAnswer(p.r.t, result)
	if took := time.Since(began); took > answerWithin {
		p.r.t.Errorf("%s answered after %v, want within %v", tool, took, answerWithin)
	}
	return result
}

// do calls issue_refund and checks what holds of every answer.
func (p *process) do(changes map[string]any) intent.Result {
	p.r.t.Helper()
	began := time.Now()
	result := p.Do(p.r.ctx, "issue_refund", refund(changes))
	checkAnswer(p.r.t, result)
	if took := time.Since(began); took > answerWithin {
		p.r.t.Errorf("answered after %v, want within %v", took, answerWithin)
	}
	return result
}

// checkAnswer checks what holds of every answer, whatever happened.
func checkAnswer(t *testing.T, r intent.Result) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	never := r.Retry == intent.RetryNever || r.Retry == intent.RetryNotNeeded
	if r.DoNotRetry != never {
		t.Errorf("do_not_retry %v with retry %s", r.DoNotRetry, r.Retry)
	}
	if (r.RetryAfterSeconds > 0) != (r.Retry == intent.RetryWait) {
		t.Errorf("retry_after_seconds %d with retry %s", r.RetryAfterSeconds, r.Retry)
	}
	if r.Outcome == intent.Unknown && strings.Contains(strings.ToLower(string(raw)), "fail") {
		t.Errorf("an unknown speaks of failing: %s", raw)
	}
	if (r.Outcome == intent.NotPerformed || r.Outcome == intent.Unknown) && r.Reason == "" {
		t.Errorf("no reason: %s", raw)
	}
	if r.Verdict == "" || r.Note == "" {
		t.Errorf("no verdict or no note: %s", raw)
	}
}

// fault makes the marketplace misbehave.
func (r *rig) fault(operation, mode string, times int, delay time.Duration) {
	r.t.Helper()
	err := r.box.AddFault(r.ctx, sandbox.Fault{Operation: operation, Mode: mode, Times: times, Delay: delay})
	if err != nil {
		r.t.Fatal(err)
	}
}

// faultOnce is a fault for one request with the default delay.
func (r *rig) faultOnce(operation, mode string) { r.fault(operation, mode, 1, 0) }

func (r *rig) clearFaults() {
	if err := r.box.ClearFaults(r.ctx); err != nil {
		r.t.Fatal(err)
	}
}

// effects counts effects of a kind at the authority.
func (r *rig) effects(kind string) []sandbox.Effect {
	r.t.Helper()
	books, err := r.box.Effects(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	var of []sandbox.Effect
	for _, e := range books.Effects {
		if e.Kind == kind {
			of = append(of, e)
		}
	}
	return of
}

// wantEffects checks the count that matters, at the authority.
func (r *rig) wantEffects(kind string, want int) {
	r.t.Helper()
	if got := r.effects(kind); len(got) != want {
		r.t.Errorf("the authority has %d %ss, want %d: %+v", len(got), kind, want, got)
	}
}

// want checks an answer's outcome, reason and retry.
func want(t *testing.T, got intent.Result, outcome intent.Outcome, reason intent.Reason, retry intent.Retry) {
	t.Helper()
	if got.Outcome != outcome || got.Reason != reason || got.Retry != retry {
		t.Errorf("got %s, %q, %s; want %s, %q, %s\n%s\n%s", got.Outcome, got.Reason, got.Retry, outcome, reason, retry, got.Verdict, got.Note)
	}
}

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	down   atomic.Bool
	posts  atomic.Int64
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if p.down.Load() {
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	}
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return &counted{Conn: client, posts: &p.posts}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "sandbox.test:80" }

// counted counts the writes' requests that pass a connection.
type counted struct {
	net.Conn
	posts *atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	if strings.HasPrefix(string(b), "POST ") {
		c.posts.Add(1)
	}
	return c.Conn.Write(b)
}
