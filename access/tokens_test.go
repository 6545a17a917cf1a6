package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/access"
	"counterfoil/intent"
)

var reader = access.Principal{Name: "desk-7", Classes: []intent.Class{intent.ClassRead}}

func newTokens(t *testing.T) (tokens *access.Tokens, c *clock, path string) {
	t.Helper()
	path, c = filepath.Join(t.TempDir(), "tokens.json"), newClock()
	return access.NewTokens(path, c.now), c, path
}

func add(t *testing.T, tokens *access.Tokens, p access.Principal, lasts time.Duration) (access.Token, string) {
	t.Helper()
	token, text, err := tokens.Add(t.Context(), p, lasts)
	if err != nil {
		t.Fatal(err)
	}
	return token, text
}

func TestTokens(t *testing.T) {
	t.Parallel()
	tokens, c, path := newTokens(t)
	if n, err := tokens.Valid(); n != 0 || err != nil {
		t.Errorf("before the first: %d, %v", n, err)
	}
	first, text := add(t, tokens, reader, 0)
	_, second := add(t, tokens, access.Principal{Name: "desk-7", Classes: []intent.Class{intent.ClassHandoff}}, time.Hour)
	for token, class := range map[string]intent.Class{text: intent.ClassRead, second: intent.ClassHandoff} {
		want := access.Principal{Name: "desk-7", Classes: []intent.Class{class}}
		got, err := tokens.Verify(t.Context(), token)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || !tokens.Reads(token) {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}

	c.pass(time.Hour - time.Second)
	if _, err := tokens.Verify(t.Context(), second); err != nil {
		t.Errorf("within its time: %v", err)
	}
	c.pass(time.Second)
	if _, err := tokens.Verify(t.Context(), second); why(err) != "has expired" {
		t.Errorf("after its time: %v", err)
	}
	if n, err := tokens.Valid(); n != 1 || err != nil {
		t.Errorf("one has expired: %d, %v", n, err)
	}

	// Another process revokes it: it does not count at the very next check.
	if _, err := access.NewTokens(path, c.now).Revoke(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); why(err) != "is not known" {
		t.Errorf("revoked: %v", err)
	}
	if _, err := tokens.Revoke(t.Context(), first.ID); !errors.Is(err, access.ErrNoToken) {
		t.Errorf("revoked twice: %v", err)
	}
}

// What is in the file is no token, and the file is its owner's alone.
func TestTokensFileHoldsNoSecret(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	var texts []string
	for range 3 {
		_, text := add(t, tokens, reader, 0)
		texts = append(texts, text)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if len(text) != 3+8+1+52 || strings.Contains(string(file), text[12:]) || text[12:] == texts[(i+1)%3][12:] {
			t.Errorf("token %q, in %s", text, file)
		}
	}
	for _, name := range []string{path, path + ".lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) != 1 {
		t.Errorf("beside the file lies %v", left)
	}
}

func TestTokensRefused(t *testing.T) {
	t.Parallel()
	tokens, _, _ := newTokens(t)
	_, text := add(t, tokens, reader, 0)
	id, secret := text[3:11], text[12:]
	_, other := add(t, tokens, reader, 0)
	for _, token := range []string{
		"", "cf_", "cf_" + id, "cf_" + id + "_", secret, "CF_" + id + "_" + secret, text + "a", text[:len(text)-1], " " + text, text + "\n",
		"cf_" + id + "_" + strings.ToUpper(secret), "cf_" + id + "_" + other[12:], "cf_" + other[3:11] + "_" + secret,
		"cf_aaaaaaaa_" + secret, "cf_aaaaaaaa_" + strings.Repeat("a", 52), "cf_" + id + "_" + strings.Repeat("a", 52),
		"cf_" + strings.Repeat("a", 1<<16),
	} {
		if p, err := tokens.Verify(t.Context(), token); why(err) != "is not known" || p.Name != "" {
			t.Errorf("%.80q: %v, %v", token, p, err)
		}
	}
}

// A file that cannot be understood shuts the door; it never opens it, and what
// was known of it before does not count either.
func TestTokensFileDamaged(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	_, text := add(t, tokens, reader, 0)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string { return strings.Replace(string(good), from, to, 1) }
	var doc map[string]any
	if err := json.Unmarshal(good, &doc); err != nil {
		t.Fatal(err)
	}
	doc["tokens"] = append(doc["tokens"].([]any), doc["tokens"].([]any)[0])
	twice, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ text, says string }{
		"empty":              {"", "no file of tokens"},
		"half":               {string(good[:len(good)/2]), "no file of tokens"},
		"more":               {string(good) + "}", "something follows"},
		"twice":              {string(good) + string(good), "something follows"},
		"not JSON":           {"tokens: []", "no file of tokens"},
		"a newer version":    {change(`"version": 1`, `"version": 2`), "version 2"},
		"no version":         {`{"tokens":[]}`, "version 0"},
		"an unknown member":  {change(`"principal"`, `"admin": true, "principal"`), "unknown field"},
		"an unknown class":   {change(`"read"`, `"everything"`), "class"},
		"a class twice":      {change(`"read"`, `"read", "read"`), "twice"},
		"no class":           {change(`"read"`, ``), "at least one class"},
		"no name":            {change(`"desk-7"`, `""`), "name"},
		"another's name":     {change(`"desk-7"`, `"jwt:sam"`), "name"},
		"a short hash":       {change(`"sha256": "`, `"sha256": "", "sha256x": "`), "unknown field"},
		"a short salt":       {regexp.MustCompile(`"salt": "[^"]*"`).ReplaceAllString(string(good), `"salt": "AAAA"`), "salt"},
		"no time":            {regexp.MustCompile(`"created_at": "[^"]*"`).ReplaceAllString(string(good), `"created_at": null`), "when it was made"},
		"an end before it":   {change(`"created_at"`, `"expires_at": "0001-01-01T00:00:00Z", "created_at"`), "before it was made"},
		"an id of no form":   {change(`"id": "`, `"id": "x`), "id"},
		"an id twice":        {string(twice), "there twice"},
		"too large":          {strings.Repeat(" ", 1<<20+1), "larger than 1 MiB"},
		"no time of its own": {change(`"created_at": "2`, `"created_at": "x2`), "no file of tokens"},
	}
	for name, tt := range tests {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := tokens.Verify(t.Context(), text)
		if got := why(err); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, tt.says) || p.Name != "" {
			t.Errorf("%s: %v, %v, want an error that says %q", name, p, err, tt.says)
		}
		if _, _, err := tokens.Add(t.Context(), reader, 0); err == nil {
			t.Errorf("%s: a token was added to it", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != tt.text {
			t.Errorf("%s: it was written over", name)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); err != nil {
		t.Errorf("mended: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); why(err) != "is not known" {
		t.Errorf("taken away: %v", err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // CI runs as root: no mode keeps it from reading
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); !strings.HasPrefix(why(err), "error: ") {
		t.Errorf("unreadable: %v", err)
	}
}

func TestTokensAddRefused(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	read := []intent.Class{intent.ClassRead}
	for _, p := range []access.Principal{
		{},
		{Name: "desk"},
		{Name: "", Classes: read},
		{Name: "two words", Classes: read},
		{Name: "jwt:sub", Classes: read},
		{Name: "-flag", Classes: read},
		{Name: "desk\n", Classes: read},
		{Name: strings.Repeat("a", 65), Classes: read},
		{Name: "desk", Classes: []intent.Class{""}},
		{Name: "desk", Classes: []intent.Class{"all"}},
		{Name: "desk", Classes: []intent.Class{intent.ClassRead, intent.ClassRead}},
	} {
		if _, text, err := tokens.Add(t.Context(), p, 0); err == nil || text != "" {
			t.Errorf("%+v: %q, %v", p, text, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// Several programs change one file at once, and a server reads it meanwhile: no
// change is lost, and no half a file is ever read.
func TestTokensAtOnce(t *testing.T) {
	t.Parallel()
	tokens, c, path := newTokens(t)
	_, text := add(t, tokens, reader, 0)
	const programs, each = 4, 8
	var writers, readers sync.WaitGroup
	over, stop := context.WithCancel(t.Context())
	readers.Go(func() {
		for over.Err() == nil {
			if _, err := tokens.Verify(t.Context(), text); err != nil {
				t.Errorf("read meanwhile: %v", err)
				return
			}
		}
	})
	for n := range programs {
		writers.Go(func() {
			program := access.NewTokens(path, c.now)
			for range each {
				_, _, err := program.Add(t.Context(), access.Principal{Name: fmt.Sprint("program", n), Classes: reader.Classes}, 0)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	if list, err := tokens.List(); err != nil || len(list) != 1+programs*each {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}
