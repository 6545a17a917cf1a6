package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newToken makes a token and returns it.
func (r *rig) newToken(name, classes string, more ...string) (id, token string) {
	r.t.Helper()
	got := fields(r.t, r.must(0, append([]string{"token", "add", name, "--classes", classes, "--json"}, more...)...).out)
	return got["id"].(string), got["token"].(string)
}

func TestToken(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.must(0, "token", "list").out; got != "There are no tokens.\n" {
		t.Errorf("listed %q", got)
	}
	if got := r.must(0, "token", "list", "--json").out; got != `{"tokens":[]}`+"\n" {
		t.Errorf("listed %q", got)
	}
	r.must(1, "token", "revoke", "aaaaaaaa")
	if _, err := os.Stat(r.dir); err == nil {
		t.Error("looking made something")
	}

	made := r.must(0, "token", "add", "desk-7", "--classes", "read,handoff", "--expires", "720h")
	form := regexp.MustCompile(`^cf_([a-z2-7]{8})_[a-z2-7]{52}\n$`).FindStringSubmatch(made.out)
	if len(form) != 2 || !strings.Contains(made.err, "Token "+form[1]+" is desk-7's, for read,handoff; it expires: 2") {
		t.Fatalf("made %q, %q", made.out, made.err)
	}
	second, token := r.newToken("desk-7", "read")
	list := r.must(0, "token", "list").out + r.must(0, "token", "list", "--json").out
	file, err := os.ReadFile(filepath.Join(r.dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{made.out[12:64], token[12:]} {
		if strings.Contains(list+made.err+string(file), secret) {
			t.Error("a secret is shown or kept")
		}
	}
	for _, text := range []string{form[1], second, "read,handoff", "never", `"classes":["read","handoff"]`, `"expired":false`} {
		if !strings.Contains(list, text) {
			t.Errorf("%q is not in\n%s", text, list)
		}
	}
	if got := r.must(0, "token", "revoke", form[1]); !strings.Contains(got.out, "of desk-7 counts no longer") {
		t.Errorf("said %q", got.out)
	}
	if got := r.must(1, "token", "revoke", form[1]); !strings.Contains(got.err, "there is no such token with that id") {
		t.Errorf("said %q", got.err)
	}
	if got := r.must(1, "token", "revoke", token); strings.Contains(got.out+got.err, token[12:]) {
		t.Errorf("a secret is said: %q", got.err)
	}
	if got := r.must(0, "token", "list").out; strings.Contains(got, form[1]) || !strings.Contains(got, second) {
		t.Errorf("listed %s", got)
	}
	if info, err := os.Stat(filepath.Join(r.dir, "tokens.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTokenAddRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tests := []struct {
		args []string
		says string
	}{
		{[]string{}, "token add takes the principal's name"},
		{[]string{"desk"}, "say with --classes"},
		{[]string{"desk", "--classes", ""}, "say with --classes"},
		{[]string{"desk", "--classes", "write"}, `class "write"`},
		{[]string{"desk", "--classes", "read,read"}, "given twice"},
		{[]string{"two words", "--classes", "read"}, "a principal's name"},
		{[]string{"jwt:sam", "--classes", "read"}, "a principal's name"},
		{[]string{"desk", "--classes", "read", "--expires", "0s"}, "above zero"},
		{[]string{"desk", "--classes", "read", "--expires", "-1h"}, "above zero"},
		{[]string{"desk", "--classes", "read", "--expires", "30 days"}, "invalid"},
	}
	for _, tt := range tests {
		got := r.must(2, append([]string{"token", "add"}, tt.args...)...)
		if !strings.Contains(got.err, tt.says) || got.out != "" {
			t.Errorf("%q: said %q, %q", tt.args, got.out, got.err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "tokens.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

// An agent that has a shell cannot make itself a token; one can be taken away by
// whoever is there.
func TestTokenAddAsksForTheSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.types(right, right)
	r.must(0, "operator", "init")
	r.ask = nil
	add := []string{"token", "add", "desk-7", "--classes", "irreversible"}
	if got := r.must(1, add...); !strings.Contains(got.err, "no terminal") || got.out != "" {
		t.Errorf("without: %q, %q", got.out, got.err)
	}
	r.types(other)
	if got := r.must(1, add...); !strings.Contains(got.err, "not the operator's secret") || got.out != "" {
		t.Errorf("with a wrong one: %q, %q", got.out, got.err)
	}
	r.types(right)
	r.must(0, add...)
	id, _ := r.newToken("desk-7", "read", "--secret-file", written(t, right))
	r.ask = nil
	r.must(0, "token", "revoke", id)
}
