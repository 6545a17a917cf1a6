package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
func (t *Tokens) change(ctx context.Context, edit func([]entry) ([]entry, error)) error {
	path, err := t.target()
	if err != nil {
		return err
	}
	unlock, err := locked(ctx, path+".lock")
	if err != nil {
		return err
	}
	return errors.Join(t.rewrite(path, edit), unlock())
}

// target is where the file really lies. A link leads there; put in the link's
// place, a file without a token would leave it in the one that others read.
func (t *Tokens) target() (string, error) {
	path, err := filepath.EvalSymlinks(t.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if _, err := os.Lstat(t.path); err == nil {
		return "", fmt.Errorf("%s is a link to a file that is not there", t.path)
	}
	return t.path, nil
}

// locked waits until nobody else changes the file; unlock lets others again.
func locked(ctx context.Context, path string) (unlock func() error, err error) {
	if err := makeLock(path); err != nil {
		return nil, fmt.Errorf("the tokens cannot be locked: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	lock := flock.New(path, flock.SetPermissions(fileMode))
	_, err = lock.TryLockContext(ctx, lockEvery)
	switch {
	case err == nil:
		return lock.Close, nil
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("the tokens are being changed by another program, for %v already; nothing was done", lockWithin)
	default:
		err = fmt.Errorf("the tokens cannot be locked: %w", err)
	}
	return nil, errors.Join(err, lock.Close())
}

// makeLock makes the file that is locked, where there is none.
func makeLock(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode) //nolint:gosec // beside the operator's own file
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(keepOwner(f, filepath.Dir(path)), f.Close())
}

func (t *Tokens) rewrite(path string, edit func([]entry) ([]entry, error)) error {
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
	text = append(text, '\n')
	if len(text) > maxFile { // nobody would be let in by it any more
		return fmt.Errorf("%s would be larger than 1 MiB, and not be read then: revoke tokens that have expired; nothing was done", path)
	}
	return replace(path, text)
}

// replace puts a whole file in the place of another and waits until the disk
// has it.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, keepOwner(f, path), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// keepOwner gives a new file to whom the old one belongs, or else the folder: a
// server could not read one of root's.
func keepOwner(f *os.File, old string) error {
	other, err := os.Stat(old)
	if errors.Is(err, fs.ErrNotExist) {
		other, err = os.Stat(filepath.Dir(old))
	}
	if err != nil {
		return err
	}
	return giveTo(f, other)
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
