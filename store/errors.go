package store

import (
	"errors"
	"fmt"

	lib "modernc.org/sqlite/lib"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// What may be wrong beside the conditions of package intent.
var (
	// ErrClosed: the ledger has been closed.
	ErrClosed = errors.New("the ledger is closed")
	// ErrBusy: other writers held the ledger for the whole of the time that a
	// write may wait. Nothing was changed.
	ErrBusy = errors.New("other writers hold the ledger")
	// ErrUnresolved: a commit was answered with an error, and whether it was
	// made could not be read either.
	ErrUnresolved = errors.New("it is not known whether the commit was made")
	// ErrNoIntent: there is no such intent.
	ErrNoIntent = errors.New("no such intent")
	// ErrExists: the file is there already.
	ErrExists = errors.New("the file exists already")
)

// VersionError reports that the file was written by another version of this program, whose
// schema or derivation of keys this one does not know.
type VersionError struct {
	Path       string
	Schema     int // of the file
	KeyVersion int // of the file; 0 where it was not read
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s: written by another version: schema %d, keys %d; this program knows schema %d, keys %d",
		e.Path, e.Schema, e.KeyVersion, schemaVersion, intent.KeyVersion)
}

// AccountError reports that the file is the ledger of another account.
type AccountError struct {
	Path  string
	Asked string // the account that was to be used
	Found string // the account whose ledger it is
}

func (e *AccountError) Error() string {
	return fmt.Sprintf("%s: the ledger of account %s, not of %s", e.Path, e.Found, e.Asked)
}

// ForeignError reports that the file is a database of some other program.
type ForeignError struct{ Path string }

func (e *ForeignError) Error() string { return e.Path + ": not a ledger" }

// FileSystemError reports that the file lies where a ledger of a real provider cannot be
// safe.
type FileSystemError struct {
	Path string
	Kind string // what the file system is: "NFS", "tmpfs", "a synchronised folder" …
}

func (e *FileSystemError) Error() string {
	return fmt.Sprintf("%s: on %s, where a ledger is not safe; keep it on a local disk; several machines can share one server (serve --http)", e.Path, e.Kind)
}

// refusal is why the ledger does not take writes. It is an intent.ErrReadOnly.
type refusal struct {
	why   string
	cause error
}

func (e *refusal) Error() string {
	if e.cause == nil {
		return e.why
	}
	return fmt.Sprintf("%s (%v)", e.why, e.cause)
}

func (e *refusal) Unwrap() []error {
	if e.cause == nil {
		return []error{intent.ErrReadOnly}
	}
	return []error{intent.ErrReadOnly, e.cause}
}

// refuses reports whether an error is an answer to what was asked: the state of
// the ledger is against it, and nothing is wrong.
func refuses(err error) bool {
	var stale *intent.StaleError
	var blocked *intent.BlockedError
	var open *OpenError
	return errors.As(err, &stale) || errors.As(err, &blocked) || errors.As(err, &open) || errors.Is(err, intent.ErrMoved)
}

// trouble says what an error of the driver means for the ledger. Damage turns
// off all writes to come.
func (l *Ledger) trouble(err error) error {
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code & 0xff {
	case lib.SQLITE_BUSY:
		return ErrBusy
	case lib.SQLITE_FULL:
		return &refusal{"disk full", err}
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return &refusal{"the file is read-only", err}
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOLFS, lib.SQLITE_NOMEM, lib.SQLITE_PROTOCOL:
		return &refusal{"the disk does not answer", err}
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB,
		lib.SQLITE_ERROR: // the statements are ours, so the schema is not
		damaged := &refusal{"the file is damaged", err}
		l.damaged.Store(damaged)
		return damaged
	}
	return err
}

// noTransaction reports whether a ROLLBACK found nothing to undo.
func noTransaction(err error) bool {
	var e *sqlite3.Error
	return errors.As(err, &e) && e.Code&0xff == lib.SQLITE_ERROR
}
