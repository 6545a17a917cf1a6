package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const (
	fileMode   = 0o600
	lockWithin = 5 * time.Second
	lockEvery  = 20 * time.Millisecond
)

// ErrNoToken means that no token has that id.
var ErrNoToken = errors.New("there is no such token")

// Add makes a token for p, which expires after a time, or never where that is
// zero. The text that it returns is the token itself, and cannot be had again.
// The file's folder has to be there.
func (t *Tokens) Add(ctx context.Context, p Principal, lasts time.Duration) (token Token, text string, err error) {
	if err := p.Valid(); err != nil {
		return Token{}, "", err
	}
	var expires time.Time
	if lasts > 0 {
		expires = t.now().Add(lasts)
	}
	err = t.change(ctx, func(entries []entry) ([]entry, error) {
		var e entry
		e, text = newEntry(p, t.now(), expires)
		if slices.ContainsFunc(entries, func(other entry) bool { return other.ID == e.ID }) {
			return nil, errors.New("by chance the new token's id is another's; nothing was done, ask once more")
		}
		token = e.token()
		return append(entries, e), nil
	})
	if err != nil {
		return Token{}, "", err
	}
	return token, text, nil
}

// Revoke takes a token out of the file; it is ErrNoToken where it is not there.
func (t *Tokens) Revoke(ctx context.Context, id string) (token Token, err error) {
	err = t.change(ctx, func(entries []entry) ([]entry, error) {
		at := slices.IndexFunc(entries, func(e entry) bool { return e.ID == id })
		if at < 0 {
			return nil, ErrNoToken
		}
		token = entries[at].token()
		return slices.Delete(entries, at, at+1), nil
	})
	return token, err
}

// change rewrites the file under a lock, all of it or nothing.
func (t *Tokens) change(ctx context.Context, edit func([]entry) ([]entry, error)) (err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	lock := flock.New(t.path+".lock", flock.SetPermissions(fileMode))
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := lock.TryLockContext(ctx, lockEvery); err != nil {
		return fmt.Errorf("the tokens are being changed by another program: %w", err)
	}
	entries, err := t.read()
	if err != nil {
		return err
	}
	if entries, err = edit(entries); err != nil {
		return err
	}
	text, err := json.MarshalIndent(document{documentVersion, entries}, "", "  ")
	if err != nil {
		return err
	}
	return replace(t.path, append(text, '\n'))
}

// replace puts a whole file in the place of another and waits until the disk
// has it.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a new name durable, where that can be asked for.
func syncFolder(path string) (err error) {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path) //nolint:gosec // the operator's own path
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}
