package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/cli"
	"counterfoil/provider"
)

const (
	right = "correct horse battery"
	other = "staple battery horse"
)

// types has a person type these lines at the terminal, one after the other.
func (r *rig) types(lines ...string) *[]string {
	asked := &[]string{}
	r.ask = func(_ context.Context, prompt string) (string, error) {
		*asked = append(*asked, prompt)
		if len(lines) == 0 {
			return "", errors.New("nobody answers")
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}
	return asked
}

func TestOperatorInit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		typed []string
		says  string
	}{
		{"too short", []string{"elevenchars"}, "the secret has 11 characters; take at least 12"},
		{"blanks", []string{strings.Repeat(" ", 20)}, "the secret has 0 characters"},
		{"mistyped", []string{right, other}, "not the same"},
		{"given up", nil, "nobody answers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.types(tt.typed...)
			if got := r.must(1, "operator", "init"); !strings.Contains(got.err, tt.says) {
				t.Errorf("said %q", got.err)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "operator.hash")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was set: %v", err)
			}
		})
	}
}

func TestOperatorsSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(1, "operator", "check")
	r.must(1, "operator", "change")
	r.must(2, "operator", "init", right) // never an argument
	if got := r.must(1, "operator", "init"); !strings.Contains(got.err, "no terminal") {
		t.Errorf("without a terminal it says %q", got.err)
	}
	asked := r.types(right, right)
	got := r.must(0, "operator", "init")
	if len(*asked) != 2 || strings.Contains(got.out+got.err, right) {
		t.Errorf("asked %q, printed %q", *asked, got.out)
	}
	path := filepath.Join(r.dir, "operator.hash")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "$argon2id$") || strings.Contains(string(text), right) {
		t.Errorf("kept %q, %v", text, err)
	}
	r.types(right, right)
	if got := r.must(1, "operator", "init"); !strings.Contains(got.err, "set already") {
		t.Errorf("said %q", got.err)
	}

	r.types(right)
	r.must(0, "operator", "check")
	r.must(0, "operator", "check", "--secret-file", written(t, right+"\r\n"))
	if got := r.must(1, "operator", "check", "--secret-file", written(t, other)); !strings.Contains(got.err, "not the operator's secret") {
		t.Errorf("said %q", got.err)
	}
	r.must(2, "operator", "check", "--secret-file", written(t, "a\nb"))
	r.must(2, "operator", "check", "--secret-file", filepath.Join(r.dir, "none"))

	r.types(right, other, other)
	r.must(0, "operator", "change")
	r.must(0, "operator", "change", "--secret-file", written(t, other), "--new-secret-file", written(t, right))
	r.types(right)
	r.must(0, "operator", "check")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("changed: %v, %v", info, err)
	}
	r.must(1, "operator", "change", "--secret-file", written(t, right), "--new-secret-file", written(t, "short"))
}

// Once it is set, a person's verbs ask for the secret, on the sandbox too, and
// the row says that it was shown.
func TestVerbsAskForTheSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(1, sofa...)
	key := r.waiting()[0]
	r.must(0, "approvals", "decline", key, "--as", "ines")
	r.types(right, right)
	r.must(0, "operator", "init")

	r.ask = nil
	for _, verb := range [][]string{
		{"approvals", "approve", key},
		{"approvals", "decline", key},
		{"resolve", key, "--not-performed"},
		{"release", key},
		{"reopen", key},
		{"allow-repeat", key},
		{"ledger", "erase", "--ticket", "T-4188"},
	} {
		if got := r.must(1, verb...); !strings.Contains(got.err, "no terminal") || got.out != "" {
			t.Errorf("%v without the secret: %q, %q", verb, got.out, got.err)
		}
	}
	r.types(other)
	if got := r.must(1, "reopen", key); !strings.Contains(got.err, "not the operator's secret") {
		t.Errorf("said %q", got.err)
	}
	r.types(right)
	r.must(0, "reopen", key, "--as", "ines")
	r.must(0, "allow-repeat", lampKey(r), "--secret-file", written(t, right+"\n"))

	var shown []string
	decisions, _ := fields(t, r.must(0, "ledger", "show", key, "--json").out)["decisions"].([]any)
	for _, d := range decisions {
		d, _ := d.(map[string]any)
		shown = append(shown, fmt.Sprint(d["verb"], " ", d["secret"]))
	}
	if diff := cmp.Diff([]string{"decline false", "reopen true"}, shown); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if text := r.must(0, "ledger", "show", key).out; !strings.Contains(text, "with the operator's secret") {
		t.Errorf("shown: %s", text)
	}
}

// lampKey is an act that was performed, and so may be allowed once more.
func lampKey(r *rig) string {
	r.t.Helper()
	args := []string{"call", "issue_refund", "ticket_id=T-4188", "order_id=SU-88510", "item_id=LAMP-BRASS-1", "amount_cents=4900", "--json"}
	return fields(r.t, r.must(0, args...).out)["intent_key"].(string)
}

// To name another data directory, with a secret of one's own in it, is no way
// round the secret beside the ledger.
func TestSecretBesideTheLedger(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(1, sofa...)
	key := r.waiting()[0]
	r.types(right, right)
	r.must(0, "operator", "init")
	ledgers, err := filepath.Glob(filepath.Join(r.dir, "*.ledger.db"))
	if err != nil || len(ledgers) != 1 {
		t.Fatal(ledgers, err)
	}
	boxes, err := os.ReadFile(filepath.Join(r.dir, "sandbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	mine := newRig(t)
	if err := os.MkdirAll(mine.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine.dir, "sandbox.db"), boxes, 0o600); err != nil {
		t.Fatal(err)
	}
	mine.types(other, other)
	mine.must(0, "operator", "init")
	got := mine.must(1, "approvals", "approve", key, "--ledger", ledgers[0], "--secret-file", written(t, other))
	if !strings.Contains(got.err, "not the operator's secret") {
		t.Errorf("said %q", got.err)
	}
}

func TestNeedsSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		market provider.Marketplace
		want   bool
	}{
		{"sandbox", provider.Marketplace{Environment: "sandbox"}, false},
		{"test", provider.Marketplace{Environment: "test"}, false},
		{"real", provider.Marketplace{Environment: "test", Real: true}, true},
		{"live", provider.Marketplace{}, true},
	}
	for _, tt := range tests {
		if got := cli.NeedsSecret(tt.market); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	line := cli.HashOf(right)
	if line == cli.HashOf(right) {
		t.Error("two hashes of one secret are the same: no salt")
	}
	if fits, err := cli.HashFits(line+"\n", right); err != nil || !fits {
		t.Errorf("the right one: %v, %v", fits, err)
	}
	begin := time.Now()
	if fits, err := cli.HashFits(line, other); err != nil || fits {
		t.Errorf("a wrong one: %v, %v", fits, err)
	}
	if took := time.Since(begin); took < 10*time.Millisecond {
		t.Errorf("a wrong one is told in %v: it was not hashed", took)
	}
	for _, bad := range []string{
		"", "secret", "$2a$10$abcdefghijklmnopqrstuv", strings.Replace(line, "m=65536", "m=99999999", 1),
		strings.Replace(line, "t=3", "t=0", 1), strings.Replace(line, "p=4", "p=0", 1), line[:len(line)-8], line + "$",
	} {
		if fits, err := cli.HashFits(bad, right); err == nil || fits {
			t.Errorf("%q: %v, %v", bad, fits, err)
		}
	}
}
