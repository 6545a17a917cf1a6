package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"counterfoil/cli"
)

// rig is one machine: a data directory, and an environment that names it.
type rig struct {
	t   testing.TB
	dir string
	env map[string]string
	in  io.Reader
	out io.Writer // beside what a run returns
	sig chan os.Signal
	ask func(ctx context.Context, prompt string) (string, error) // nil: no terminal
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	return &rig{t: t, dir: dir, env: map[string]string{"COUNTERFOIL_DATA_DIR": dir}}
}

// ran is how a run ended.
type ran struct {
	out, err string
	code     int
}

// run runs one command.
func (r *rig) run(args ...string) ran {
	r.t.Helper()
	var out, errs buffer
	p := cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &errs,
		Getenv:  func(name string) string { return r.env[name] },
		Signals: func() (<-chan os.Signal, func()) { return r.sig, func() {} },
		Ask:     r.ask,
	}
	if r.in != nil {
		p.In = r.in
	}
	if r.out != nil {
		p.Out = io.MultiWriter(&out, r.out)
	}
	code := cli.Run(args, p)
	return ran{out.String(), errs.String(), code}
}

// must runs a command that has to end with this status.
func (r *rig) must(code int, args ...string) ran {
	r.t.Helper()
	got := r.run(args...)
	if got.code != code {
		r.t.Fatalf("%s: exit %d, want %d\n%s%s", strings.Join(args, " "), got.code, code, got.out, got.err)
	}
	return got
}

// refund is the incident's call, with further arguments.
func refund(more ...string) []string {
	return append([]string{"call", "issue_refund", "ticket_id=T-4127", "order_id=SU-88421", "item_id=SHELF-OAK-4", "amount_cents=11800"}, more...)
}

// quick leaves little time, so that a lost answer costs little.
var quick = []string{"--provider-timeout", "400ms", "--answer-within", "2s"}

// decoded reads a result that was printed for a program.
func decoded[T any](t testing.TB, text string) (v T) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if dec.More() {
		t.Fatalf("more than one result: %s", text)
	}
	return v
}

// fields reads a result without saying which fields it has.
func fields(t testing.TB, text string) map[string]any {
	t.Helper()
	return decoded[map[string]any](t, text)
}

// refundsMade counts at the authority.
func (r *rig) refundsMade() int {
	r.t.Helper()
	type effect struct {
		Kind string `json:"kind"`
	}
	var books struct{ Effects []effect }
	if err := json.Unmarshal([]byte(r.must(0, "sandbox", "effects", "--json").out), &books); err != nil {
		r.t.Fatal(err)
	}
	n := 0
	for _, e := range books.Effects {
		if e.Kind == "refund" {
			n++
		}
	}
	return n
}

// buffer may be written to and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
