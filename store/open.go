package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// openWithin bounds the wait for other processes that open, migrate or write.
const openWithin = 10 * time.Second

// Options are what a ledger is opened with.
type Options struct {
	// Path of the file; it and its directory are made where they are missing.
	Path string
	// Account whose ledger it is. A file made for another one is refused.
	Account string
	// NewID makes an id that no other process makes.
	NewID func() string
	// Now is the clock. SQLite is never asked for the time.
	Now func() time.Time
	// RealProvider refuses a file system on which a ledger is not safe.
	RealProvider bool
	// ReadOnly opens an existing file without writing to it, nor beside it.
	// Every Commit is then an intent.ErrReadOnly.
	ReadOnly bool
}

// Ledger is an intent.Ledger in one SQLite file. Its methods may be called from
// any number of goroutines.
type Ledger struct {
	o        Options
	path     string
	owner    *owner // nil: read-only
	write    *writer
	read     *reader
	repeats  repeats
	kinds    sync.Map // of resources: string to int64
	findings []string
	closing  atomic.Bool
	closed   atomic.Bool
	damaged  atomic.Pointer[refusal]
	spilled  atomic.Bool // something of ours waits in the spill file
	file     os.FileInfo // of the file as it was opened
}

var _ intent.Ledger = (*Ledger)(nil)

// Open opens the ledger, making or migrating the file where that is needed, and
// applies first what was spilled. Its errors: *VersionError, *AccountError,
// *ForeignError, *FileSystemError, ErrBusy, or what the disk said.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	l, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return l, nil
}

func open(ctx context.Context, o Options) (_ *Ledger, err error) {
	if errLocks != nil && !errors.Is(errLocks, sqlite.ErrOFDLockingUnavailable) {
		return nil, fmt.Errorf("safe file locks: %w", errLocks)
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, err
	}
	l := &Ledger{o: o, path: path}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.release())
		}
	}()
	if o.ReadOnly {
		return l, l.openReadOnly()
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	if err := l.checkFileSystem(); err != nil {
		return nil, err
	}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	return l, l.replay(ctx)
}

// checkFileSystem refuses, or notes, a place where a ledger is not safe.
func (l *Ledger) checkFileSystem() error {
	kind, err := unsafePlace(filepath.Dir(l.path))
	if err != nil {
		return fmt.Errorf("file system of %s: %w", l.path, err)
	}
	if kind == "" {
		return nil
	}
	if l.o.RealProvider {
		return &FileSystemError{Path: l.path, Kind: kind}
	}
	l.note("the ledger lies on %s, where it would not be safe for a real provider", kind)
	return nil
}

// begin does, one process at a time, what must not happen in two at once: the
// making of the file, its migration, and the beginning and burying of owners.
func (l *Ledger) begin(ctx context.Context) (err error) {
	wait, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	leave, err := enterOnce(wait, l.path+".lock")
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return ErrBusy
		}
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()

	ctx = context.WithoutCancel(ctx)
	if l.write, err = openWriter(l.path); err != nil {
		return l.trouble(err)
	}
	if err := l.write.prepare(l.path, l.o); err != nil {
		return l.trouble(err)
	}
	if err := l.identify(); err != nil {
		return err
	}
	if l.owner, err = claimOwner(l.path+".owners", l.o.NewID()); err != nil {
		return err
	}
	if l.read, err = openReader(l.path, "mode=rw"); err != nil {
		return l.trouble(err)
	}
	return l.bury(ctx)
}

// bury removes what dead processes left, except where rows still name them.
func (l *Ledger) bury(ctx context.Context) error {
	owners, err := l.inFlightOwners(ctx)
	if err != nil {
		return l.trouble(err)
	}
	keep := map[string]bool{}
	for _, name := range owners {
		keep[name] = true
	}
	if err := clearOwners(l.owner.dir, keep); err != nil {
		l.note("%v", err)
	}
	return nil
}

func (l *Ledger) openReadOnly() (err error) {
	l.write = &writer{closed: &refusal{why: "opened read-only"}}
	if l.read, err = openReader(l.path, "mode=ro"); err != nil {
		return l.trouble(err)
	}
	return l.trouble(l.read.with(func(c *sqlite3.Conn) error { return identify(c, l.path, l.o.Account) }))
}

// Findings are what opening met and a person may want to know, one sentence
// each.
func (l *Ledger) Findings() []string { return l.findings }

func (l *Ledger) note(format string, args ...any) {
	l.findings = append(l.findings, fmt.Sprintf(format, args...))
}

// Account is the account whose ledger this is.
func (l *Ledger) Account() string { return l.o.Account }

// Owner is this process's id in the ledger; empty where it is read-only.
func (l *Ledger) Owner() string {
	if l.owner == nil {
		return ""
	}
	return l.owner.id
}

// Alive reports whether the process that bears an owner's id still runs.
func (l *Ledger) Alive(id string) bool {
	if id == l.Owner() {
		return id != "" && !l.closed.Load()
	}
	return lives(l.path+".owners", id)
}

// Close writes down what is only counted, hands the -wal to the file as far as
// nobody is in the way, and gives up this process's sign of life. Further calls
// do nothing.
func (l *Ledger) Close() error {
	if l.closing.Swap(true) {
		return nil
	}
	var errs []error
	if l.owner != nil {
		errs = append(errs, l.foldRepeats(), l.write.checkpoint())
	}
	l.closed.Store(true)
	if err := errors.Join(append(errs, l.release())...); err != nil {
		return fmt.Errorf("close ledger: %w", err)
	}
	return nil
}

func (l *Ledger) release() error {
	var errs []error
	if l.read != nil {
		errs = append(errs, l.read.close())
	}
	if l.write != nil {
		errs = append(errs, l.write.close())
	}
	if l.owner != nil {
		errs = append(errs, l.owner.end())
	}
	return errors.Join(errs...)
}
