package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// Examination says what to look at.
type Examination struct {
	Path    string
	Account string // whose ledger it is to be; empty: whoever's it is
	Full    bool   // read the whole file for damage, which may take minutes
}

// Health is how a ledger is, as far as can be seen without changing it.
type Health struct {
	Path       string
	There      bool   // the file exists
	Volume     string // the file system, where it has a name: "ext4"
	UnsafeKind string // what is known against it, see FileSystemError; empty: nothing
	Free       int64  // bytes that are left on it; below zero: not known
	Spill      File   // what waits to be read
	SpillBad   File   // what could not be read

	// Unreadable is why there is no more to say: one of the errors of Open.
	Unreadable error

	Account  string
	Schema   int
	Bytes    int64 // of the file
	Settings []Setting
	Turn     error // why the turn to write could not be had
	Write    error // why a write, which was taken back, was not possible
	Contents
	Damage  []string // with Full
	Checked bool     // Damage was looked for
}

// File is a file that lies beside the ledger; its zero value is none.
type File struct {
	Path  string
	Bytes int64
	At    time.Time // last written
}

// Setting is what the connection that writes works with.
type Setting struct{ Name, Got, Want string }

// turnTried bounds the wait for the turn to write.
const turnTried = time.Second

// Examine looks at a ledger and leaves it as it is. It makes no file where there
// is none, and holds up nobody who writes for longer than one write does.
func Examine(ctx context.Context, e Examination) Health {
	return examine(ctx, e)
}

// examine opens the file to write with more settings: a test's.
func examine(ctx context.Context, e Examination, more ...string) Health {
	h := Health{Path: e.Path, Free: -1}
	path, err := filepath.Abs(e.Path)
	if err != nil {
		h.Unreadable = err
		return h
	}
	h.Path = path
	h.surroundings()
	if !h.There || h.Unreadable != nil {
		return h
	}
	if errLocks != nil && !errors.Is(errLocks, sqlite.ErrOFDLockingUnavailable) {
		h.Unreadable = fmt.Errorf("safe file locks: %w", errLocks)
		return h
	}
	l := &Ledger{o: Options{Account: e.Account}, path: path, write: &writer{closed: &refusal{why: "opened read-only"}}}
	atRest := !isFile(path+"-wal") && !isFile(path+"-shm")
	// Last, so that what writes is not the last to close: it would tidy up.
	defer func() {
		h.Unreadable = errors.Join(h.Unreadable, l.release())
		var newer *VersionError
		if atRest && errors.As(h.Unreadable, &newer) {
			h.Unreadable = errors.Join(h.Unreadable, tidy(path))
		}
	}()
	if h.Unreadable = h.identify(l); h.Unreadable != nil {
		return h
	}
	if err := h.read(ctx, l, e.Full); err != nil {
		h.Unreadable = l.trouble(err)
		return h
	}
	h.tryWrite(ctx, l, more)
	return h
}

// tidy removes what a reading connection had SQLite make beside a file that
// nobody uses: the last connection that might write does so when it closes.
func tidy(path string) error {
	c, err := connect(path, "mode=rw")
	if err != nil {
		return err
	}
	_, err = one[int](c, "PRAGMA user_version")
	return errors.Join(err, c.Close())
}

// surroundings looks at where the file lies.
func (h *Health) surroundings() {
	dir := filepath.Dir(h.Path)
	for !isDir(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir) // where it will be made
	}
	h.Volume, h.Free = volume(dir)
	h.UnsafeKind, _ = unsafePlace(dir) // what cannot be told is not against it
	if synchronised(filepath.Dir(h.Path)) {
		h.UnsafeKind = synchronisedFolder
	}
	h.Spill, h.SpillBad = fileAt(h.Path+".spill"), fileAt(h.Path+".spill.bad")
	switch _, err := os.Stat(h.Path); {
	case err == nil:
		h.There = true
	case !errors.Is(err, fs.ErrNotExist):
		h.Unreadable = err
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func fileAt(path string) File {
	info, err := os.Stat(path) // its size alone: nothing is opened
	if err != nil {
		return File{}
	}
	return File{Path: path, Bytes: info.Size(), At: info.ModTime()}
}

// identify opens the file to read and sees whether it is a ledger of ours.
func (h *Health) identify(l *Ledger) (err error) {
	if l.read, err = openReader(h.Path, "mode=ro"); err != nil {
		return l.trouble(err)
	}
	return l.trouble(l.read.with(func(c *sqlite3.Conn) error {
		if _, h.Schema, err = header(c); err != nil {
			return err
		}
		if l.o.Account == "" && h.Schema == schemaVersion {
			l.o.Account, _ = one[string](c, "SELECT name FROM accounts ORDER BY id LIMIT 1")
		}
		h.Account = l.o.Account
		return identify(c, h.Path, l.o.Account)
	}))
}

// read looks at what the ledger holds.
func (h *Health) read(ctx context.Context, l *Ledger, full bool) (err error) {
	if _, err := l.scan(ctx, "size", querySize, nil, &h.Bytes); err != nil {
		return err
	}
	if h.Contents, err = l.contentsNow(ctx); err != nil {
		return err
	}
	if !full {
		return nil
	}
	h.Checked = true
	h.Damage, err = l.damageIn(ctx)
	return err
}

// tryWrite makes a write as any other and takes it back.
func (h *Health) tryWrite(ctx context.Context, l *Ledger, more []string) {
	if isFile(h.Path + ".lock") { // and not made here
		wait, cancel := context.WithTimeout(ctx, turnTried)
		defer cancel()
		leave, err := enterOnce(wait, h.Path+".lock")
		if h.Turn = err; err == nil {
			defer func() { h.Turn = leave() }()
		}
	}
	var err error
	if h.Settings, err = trial(h.Path, more); err != nil {
		h.Write = l.trouble(err)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Contents are what a ledger holds that somebody may have to see to.
type Contents struct {
	Open    []Standing // open intents, by state
	Orphans Standing   // in flight, and nobody is at it
	Outbox  Untold     // what people have not been told
	Newest  time.Time  // the latest time in it
}

// Standing is how many intents stand so, and the oldest of them.
type Standing struct {
	State  intent.State
	Count  int
	Since  time.Time // of the oldest: when it was first asked for
	Oldest intent.Key
}

// Untold is what lies in the outbox; Notified of it somebody has had notice.
type Untold struct {
	Count    int
	Notified int
	Since    time.Time // of the oldest
	Tries    int       // of the one that was tried most
}
