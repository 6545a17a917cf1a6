package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// owner is this process's sign of life: a file that bears its id, locked for as
// long as it runs. The operating system takes the lock away when it dies,
// however it dies.
type owner struct {
	dir  string
	id   string
	lock *flock.Flock
}

// claimOwner begins a life. The caller has the turn in the queue, so that the
// file is not taken for a dead one between its making and its locking.
func claimOwner(dir, id string) (*owner, error) {
	if !fileName(id) {
		return nil, fmt.Errorf("owner %q: not a plain file name", id)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("owner %s: %w", id, err)
	}
	lock := newLock(filepath.Join(dir, id))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("owner %s: %w", id, err)
	}
	if !ok {
		return nil, fmt.Errorf("owner %s: another process bears this id", id)
	}
	return &owner{dir: dir, id: id, lock: lock}, nil
}

// end lets the others see that this process is gone.
func (o *owner) end() error {
	if err := o.lock.Unlock(); err != nil {
		return fmt.Errorf("owner %s: %w", o.id, err)
	}
	if err := os.Remove(o.lock.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("owner %s: %w", o.id, err)
	}
	return nil
}

// lives reports whether the process that bears id holds its lock. Where that
// cannot be found out, it is taken to live: a row is then settled later, and
// not wrongly. The probe is a shared lock, so that two probes do not take each
// other for the owner.
func lives(dir, id string) bool {
	if !fileName(id) {
		return false
	}
	probe := existingLock(filepath.Join(dir, id))
	free, err := probe.TryRLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if free {
		_ = probe.Unlock() // closes the file, which is what counts
	}
	return !free
}

// clearOwners removes the files of dead owners, but for those that keep has.
// The caller has the turn in the queue, so no process is just being born.
func clearOwners(dir string, keep map[string]bool) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("dead owners: %w", err)
	}
	for _, f := range files {
		if keep[f.Name()] || lives(dir, f.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("dead owners: %w", err)
		}
	}
	return nil
}

// fileName reports whether an id, which may come from a file that somebody
// edited, names a file of its own in a directory.
func fileName(id string) bool {
	return id != "" && id != "." && filepath.IsLocal(id) && filepath.Base(id) == id
}
