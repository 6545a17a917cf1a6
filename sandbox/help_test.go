package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"counterfoil/sandbox"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock {
	return &clock{at: time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// market is one process's server over a file.
type market struct {
	t     testing.TB
	box   *sandbox.Sandbox
	clock *clock
	url   string
	path  string
}

func newMarket(t testing.TB, declare string) *market {
	t.Helper()
	return openMarket(t, seeded(t), newClock(), declare)
}

// template is a marketplace as it is seeded. Tests begin with copies of it,
// since seeding is slow under the race detector.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sandbox.db")
	box, err := sandbox.Open(context.Background(), path, sandbox.Options{Now: time.Now})
	if err != nil {
		return nil, err
	}
	if err := box.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // closed, so there is no lock to lose
})

// seeded returns the path of a new copy of the template.
func seeded(t testing.TB) string {
	t.Helper()
	b, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sandbox.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openMarket(t testing.TB, path string, c *clock, declare string) *market {
	t.Helper()
	declared, err := sandbox.ParseDeclarations(declare)
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.Open(t.Context(), path, sandbox.Options{Now: c.now, Declare: declared})
	if err != nil {
		t.Fatal(err)
	}
	m := serveMarket(t, box, c)
	m.path = path
	return m
}

func serveMarket(t testing.TB, box *sandbox.Sandbox, c *clock) *market {
	srv := httptest.NewServer(box.Handler())
	t.Cleanup(func() {
		box.DropConnections()
		srv.Close()
		if err := box.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &market{t: t, box: box, clock: c, url: srv.URL}
}

// reply is what a client got. cut means no complete answer came.
type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
	cut    bool
}

func (r reply) code() string {
	e, _ := r.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

func (r reply) text(member string) string {
	s, _ := r.body[member].(string)
	return s
}

// more is has_more of a list.
func (r reply) more() bool {
	more, _ := r.body["has_more"].(bool)
	return more
}

func (r reply) data(t testing.TB) []map[string]any {
	t.Helper()
	list, ok := r.body["data"].([]any)
	if !ok {
		t.Fatalf("no data in %d %s", r.status, r.raw)
	}
	var objects []map[string]any
	for _, o := range list {
		objects = append(objects, o.(map[string]any))
	}
	return objects
}

// send makes one request on a connection of its own. headers alternate names
// and values.
func (m *market) send(ctx context.Context, method, path, body string, headers ...string) reply {
	m.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, m.url+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return reply{cut: true}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	r := reply{status: res.StatusCode, header: res.Header, raw: string(raw), cut: err != nil}
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&r.body); err != nil {
		r.body = nil
	}
	return r
}

func (m *market) get(path string) reply {
	m.t.Helper()
	return m.send(m.t.Context(), "GET", path, "")
}

func (m *market) post(path, key, body string) reply {
	m.t.Helper()
	return m.send(m.t.Context(), "POST", path, body, "Idempotency-Key", key)
}

func (m *market) fault(operation, mode string, times int, delay time.Duration) {
	m.t.Helper()
	f := sandbox.Fault{Operation: operation, Mode: mode, Times: times, Delay: delay}
	if err := m.box.AddFault(m.t.Context(), f); err != nil {
		m.t.Fatal(err)
	}
}

func (m *market) books() sandbox.Books {
	m.t.Helper()
	b, err := m.box.Effects(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return b
}

func (m *market) balance(seller string) int64 {
	m.t.Helper()
	for _, s := range m.books().Sellers {
		if s.ID == seller {
			return s.BalanceCents
		}
	}
	m.t.Fatalf("no seller %s", seller)
	return 0
}

// unanswered posts, waits until the sandbox has dealt with the request, which
// done reports, and then goes away. It reports whether no byte of an answer came.
func (m *market) unanswered(path, key, body string, done func() bool) bool {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	defer cancel()
	answered := make(chan reply, 1)
	go func() { answered <- m.send(ctx, "POST", path, body, "Idempotency-Key", key) }()
	for !done() {
		select {
		case r := <-answered:
			return r.cut && r.raw == ""
		default:
		}
	}
	cancel()
	r := <-answered
	return r.cut && r.raw == ""
}

// faultsLeft reports whether any fault is still set.
func (m *market) faultsLeft() bool {
	m.t.Helper()
	faults, err := m.box.Faults(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return len(faults) > 0
}

func asMeaningless(err error) bool {
	var meaningless *sandbox.MeaninglessFaultError
	return errors.As(err, &meaningless)
}

// act is one write of the marketplace: how it is asked for and found again.
type act struct {
	operation string
	kind      string
	path      string // booking stands for a booking's id
	body      string
	list      string // the query that finds it by its intent
	setUp     func(m *market) (booking string)
}

func acts() []act {
	return []act{
		{
			operation: "refunds.create", kind: "refund", path: "/v1/refunds", list: "/v1/refunds?intent=cf1_a",
			body: `{"order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127","amount_cents":11800,"currency":"USD","intent":"cf1_a"}`,
		},
		{
			operation: "messages.create", kind: "message", path: "/v1/messages", list: "/v1/messages?intent=cf1_a",
			body: `{"to":"B-2203","ticket_id":"T-4127","text":"We are looking into it.","intent":"cf1_a"}`,
		},
		{
			operation: "pickups.create", kind: "pickup", path: "/v1/pickups", list: "/v1/pickups?intent=cf1_a",
			body: `{"order_id":"SU-88421","ticket_id":"T-4127","date":"2026-03-20","intent":"cf1_a"}`,
		},
		{
			operation: "replacements.create", kind: "replacement", path: "/v1/replacements", list: "/v1/replacements?intent=cf1_a",
			body: `{"order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127","units":[1],"intent":"cf1_a"}`,
		},
		{
			operation: "escalations.create", kind: "escalation", path: "/v1/escalations", list: "/v1/escalations?intent=cf1_a",
			body: `{"ticket_id":"T-4127","reason":"unclear_facts","summary":"Two stories about one shelf.","intent":"cf1_a"}`,
		},
		{
			operation: "pickups.cancel", kind: "cancelled", path: "/v1/pickups/BOOKING/cancel", list: "/v1/pickups?intent=cf1_a",
			body: `{"ticket_id":"T-4127","intent":"cf1_a"}`,
			setUp: func(m *market) string {
				return m.post("/v1/pickups", "", `{"order_id":"SU-88421","ticket_id":"T-4127","date":"2026-03-20","intent":"cf1_b"}`).text("id")
			},
		},
	}
}

// prepared returns the act with its booking made and its path complete.
func (a act) prepared(m *market) act {
	if a.setUp != nil {
		a.path = strings.Replace(a.path, "BOOKING", a.setUp(m), 1)
	}
	return a
}

// count returns how often the act has truly happened.
func (a act) count(m *market) int {
	m.t.Helper()
	n := 0
	for _, e := range m.books().Effects {
		if e.Kind == a.kind || a.kind == "cancelled" && e.Status == "cancelled" {
			n++
		}
	}
	return n
}

func (a act) do(m *market, key string) reply {
	m.t.Helper()
	return m.post(a.path, key, a.body)
}

func (a act) listed(m *market) int {
	m.t.Helper()
	return len(m.get(a.list).data(m.t))
}

func summary(r reply) string { return fmt.Sprintf("%d %s", r.status, r.code()) }
