package intent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/store"
)

// simBook is what a ledger is kept in: memory, or, much slower, a SQLite file
// that each process opens for itself.
type simBook interface {
	open(owner string) intent.Ledger
	kill(owner string)
	reader() intent.Ledger // of somebody who only looks
	replay()               // what was spilled
	spilled() []intent.Change
	backup() simBook
	close()
}

// simMemory keeps it in the model ledger, which all histories but few run on.
type simMemory struct{ *ledgertest.Memory }

func newSimMemory() simBook { return simMemory{ledgertest.NewMemory("sim")} }

func (m simMemory) open(owner string) intent.Ledger { return m.Process(owner) }
func (m simMemory) kill(owner string)               { m.Kill(owner) }
func (m simMemory) reader() intent.Ledger           { return m.Memory }
func (m simMemory) replay()                         { m.Replay() }
func (m simMemory) spilled() []intent.Change        { return m.Spilled() }
func (m simMemory) backup() simBook                 { return simMemory{m.Clone()} }
func (m simMemory) close()                          {}

// simFile keeps it in SQLite, in a directory of its own.
type simFile struct {
	t     *testing.T
	w     *simWorld
	path  string
	procs map[string]*store.Ledger
	look  *store.Ledger
}

func newSimFile(t *testing.T, w *simWorld) simBook {
	return openSimFile(t, w, filepath.Join(simDir(t), "ledger.db"))
}

func openSimFile(t *testing.T, w *simWorld, path string) *simFile {
	f := &simFile{t: t, w: w, path: path, procs: map[string]*store.Ledger{}}
	f.look = f.connect("watcher")
	return f
}

// simDir is a directory that is gone after the history.
func simDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "sim") //nolint:usetesting // the bubble's own T would remove it while it is in use
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (f *simFile) connect(owner string) *store.Ledger {
	l, err := store.Open(f.w.ctx, store.Options{
		Path: f.path, Account: "sim", NewID: func() string { return owner }, Now: f.w.now,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return l
}

func (f *simFile) open(owner string) intent.Ledger {
	l := f.connect(owner)
	f.procs[owner] = l
	return l
}

// kill gives up the lock that is a process's sign of life. Its lanes come no
// further than their gates.
func (f *simFile) kill(owner string) {
	if l := f.procs[owner]; l != nil {
		delete(f.procs, owner)
		if err := l.Close(); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *simFile) reader() intent.Ledger { return f.look }

// replay is what every opening does.
func (f *simFile) replay() {}

// spilled is unknown: a file beside the ledger has it, and the next opening reads it.
func (f *simFile) spilled() []intent.Change { return nil }

func (f *simFile) backup() simBook {
	path := filepath.Join(simDir(f.t), "ledger.db")
	if err := f.look.Backup(context.WithoutCancel(f.w.ctx), path); err != nil {
		f.t.Fatal(err)
	}
	return openSimFile(f.t, f.w, path)
}

func (f *simFile) close() {
	for owner := range f.procs {
		f.kill(owner)
	}
	h := store.Examine(context.WithoutCancel(f.w.ctx), store.Examination{Path: f.path, Full: true})
	if h.Unreadable != nil || h.Damage != nil {
		f.t.Errorf("the ledger that is left: %v %v", h.Unreadable, h.Damage)
	}
	if err := errors.Join(f.look.Close(), os.RemoveAll(filepath.Dir(f.path))); err != nil {
		f.t.Error(err)
	}
}
