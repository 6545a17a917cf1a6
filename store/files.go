package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// This is the one file of the package that opens files: locks and the spill.
// The database's own three are SQLite's alone.

const (
	fileMode = 0o600
	dirMode  = 0o700
)

// newLock is an exclusive lock on a file that is made where it is missing.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(fileMode))
}

// openLock opens the file of a lock, which is made where it is missing.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode) //nolint:gosec // the operator's own path
}

// existingLock is a lock on a file that is not made; where it is missing,
// taking the lock is fs.ErrNotExist.
func existingLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_RDONLY))
}

// appendTo writes at the end of a file and waits until the disk has it.
func appendTo(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileMode) //nolint:gosec // the operator's own path
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a new name in a directory durable, where that can be asked for.
func syncDir(dir string) (err error) {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir) //nolint:gosec // the operator's own path
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}

// contents reads a file of ours; ok is false where there is none.
func contents(path string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(path) //nolint:gosec // the operator's own path
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}
