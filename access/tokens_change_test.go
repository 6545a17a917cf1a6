package access_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"counterfoil/access"
)

// A file that grew past what is read of it would lock everybody out, and could
// not even be made smaller again.
func TestTokensFileFull(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	first, text := add(t, tokens, reader, 0)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version int              `json:"version"`
		Tokens  []map[string]any `json:"tokens"`
	}
	if err := json.Unmarshal(file, &doc); err != nil {
		t.Fatal(err)
	}
	one := doc.Tokens[0]
	written := func() []byte {
		text, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for left := 1 << 20; left > 2*len(file); left = 1<<20 - len(written()) {
		for range left / len(file) {
			doc.Tokens = append(doc.Tokens, withID(one, len(doc.Tokens)))
		}
	}
	if err := os.WriteFile(path, written(), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		_, _, err := tokens.Add(t.Context(), reader, 0)
		if err != nil {
			if !strings.Contains(err.Error(), "larger than 1 MiB, and not be read") {
				t.Error(err)
			}
			break
		}
		if n > 100 {
			t.Fatal("it is never full")
		}
	}
	if _, err := tokens.Verify(t.Context(), text); err != nil {
		t.Errorf("full: %v", err)
	}
	if _, err := tokens.Revoke(t.Context(), first.ID); err != nil {
		t.Errorf("full: %v", err)
	}
	add(t, tokens, reader, 0)
}

// withID is an entry under another id, which a number makes.
func withID(entry map[string]any, n int) map[string]any {
	id := []byte("zzzzzzzz")
	for i := range id {
		id[i] = "abcdefghijklmnopqrstuvwxyz234567"[n&31]
		n >>= 5
	}
	other := maps.Clone(entry)
	other["id"] = string(id)
	return other
}

// What is revoked through a link counts no longer for who reads the file that
// it leads to.
func TestTokensFileBehindALink(t *testing.T) {
	t.Parallel()
	tokens, c, path := newTokens(t)
	token, text := add(t, tokens, reader, 0)
	link := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	through := access.NewTokens(link, c.now)
	_, second := add(t, through, reader, 0)
	if _, err := tokens.Verify(t.Context(), second); err != nil {
		t.Errorf("added through a link: %v", err)
	}
	if _, err := through.Revoke(t.Context(), token.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); why(err) != "is not known" {
		t.Errorf("revoked through a link: %v", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := through.Add(t.Context(), reader, 0); err == nil || !strings.Contains(err.Error(), "a link to a file that is not there") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// An empty file is what a crash leaves of another program's writing: it is
// damaged, also where there was none before.
func TestTokensFileEmptied(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	text := "cf_aaaaaaaa_" + strings.Repeat("a", 52)
	if _, err := tokens.Verify(t.Context(), text); why(err) != "is not known" {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(t.Context(), text); !strings.HasPrefix(why(err), "error: ") {
		t.Errorf("an empty file: %v", err)
	}
}

// That nobody else is at it is not said of a lock that cannot be made.
func TestTokensCannotBeLocked(t *testing.T) {
	t.Parallel()
	tokens, _, path := newTokens(t)
	if err := os.Mkdir(path+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tokens.Add(t.Context(), reader, 0); err == nil || strings.Contains(err.Error(), "another program") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}
