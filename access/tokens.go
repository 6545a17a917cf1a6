package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// maxFile bounds what is read of a file, in bytes: thousands of tokens or keys.
const maxFile = 1 << 20

// Tokens are the tokens of a file. The file is read at every check, which costs
// some ten microseconds, so that a token that was revoked does not count at the next
// request. A file that is not there holds no tokens; from one that cannot be
// read, or is damaged, no token can be checked.
type Tokens struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	text    []byte           // of the file, when it was last understood
	entries map[string]entry // what it said, by id
}

// NewTokens are the tokens of the file at path.
func NewTokens(path string, now func() time.Time) *Tokens { return &Tokens{path: path, now: now} }

// Reads is of Verifier.
func (t *Tokens) Reads(token string) bool { return strings.HasPrefix(token, tokenPrefix) }

// Verify is of Verifier.
func (t *Tokens) Verify(_ context.Context, token string) (Principal, error) {
	entries, err := t.current()
	if err != nil {
		return Principal{}, err
	}
	parts := tokenForm.FindStringSubmatch(token)
	if parts == nil {
		return Principal{}, unknown()
	}
	e, known := entries[parts[1]]
	if !known {
		e = nobody
	}
	if !e.bears(parts[2]) || !known {
		return Principal{}, unknown()
	}
	if e.token().Expired(t.now()) {
		return Principal{}, refused("has expired")
	}
	return e.token().Principal, nil
}

// List are all tokens, in the order in which they were made.
func (t *Tokens) List() ([]Token, error) {
	entries, err := t.read()
	if err != nil {
		return nil, err
	}
	tokens := make([]Token, len(entries))
	for i, e := range entries {
		tokens[i] = e.token()
	}
	return tokens, nil
}

// Valid is how many tokens count now.
func (t *Tokens) Valid() (n int, err error) {
	tokens, err := t.List()
	for _, token := range tokens {
		if !token.Expired(t.now()) {
			n++
		}
	}
	return n, err
}

// current is what the file says now. It is taken apart only when it has changed.
func (t *Tokens) current() (map[string]entry, error) {
	text, err := readFile(t.path)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries != nil && (text == nil) == (t.text == nil) && bytes.Equal(text, t.text) { // an empty file is damaged, not absent
		return t.entries, nil
	}
	entries, err := t.parse(text)
	if err != nil {
		return nil, err
	}
	t.text, t.entries = text, make(map[string]entry, len(entries))
	for _, e := range entries {
		t.entries[e.ID] = e
	}
	return t.entries, nil
}

// read is what the file says.
func (t *Tokens) read() ([]entry, error) {
	text, err := readFile(t.path)
	if err != nil {
		return nil, err
	}
	return t.parse(text)
}

func (t *Tokens) parse(text []byte) ([]entry, error) {
	if text == nil {
		return nil, nil
	}
	entries, err := parseDocument(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	return entries, nil
}

// readFile reads a whole file; nil where there is none.
func readFile(path string) (text []byte, err error) {
	kind, err := os.Stat(path) //nolint:gosec // the operator's own path
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !kind.Mode().IsRegular(): // a pipe would be waited for
		return nil, fmt.Errorf("%s: it is no regular file", path)
	}
	f, err := os.Open(path) //nolint:gosec // the operator's own path
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var read bytes.Buffer
	read.Grow(int(min(info.Size(), maxFile)) + bytes.MinRead) // at once: it is read often
	_, err = read.ReadFrom(io.LimitReader(f, maxFile+1))
	if err == nil && read.Len() > maxFile {
		err = fmt.Errorf("%s: it is larger than 1 MiB", path)
	}
	return read.Bytes(), err
}
