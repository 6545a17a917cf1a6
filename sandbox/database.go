package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// lockTimeout is how long SQLite waits for a lock, in milliseconds.
const lockTimeout = "busy_timeout(10000)"

// connect prepares one connection for writing and a few for reading.
func (s *Sandbox) connect(path string) error {
	// With POSIX locks, any code of this process that opens and closes the file
	// would drop SQLite's locks on it. Where the kernel has no better ones, or
	// another database was opened first, the default stays.
	_, _ = sqlite.OFDLocking(true)

	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	s.writer, err = sql.Open("sqlite", dsn(abs, "immediate", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(ON)"))
	if err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	s.readers, err = sql.Open("sqlite", dsn(abs, "deferred", "query_only(ON)"))
	if err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(4)
	s.readers.SetMaxIdleConns(4)
	return nil
}

// dsn names the file as a URI, so that any character may be in its path.
// Transactions begin as txlock says: a deferred one that turns to writing is
// refused at once, without waiting, when another process writes.
func dsn(abs, txlock string, pragmas ...string) string {
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	query := url.Values{
		"_txlock": {txlock},
		"_pragma": append([]string{lockTimeout}, pragmas...),
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return u.String()
}

// view runs fn over one unchanging picture of the marketplace.
func (s *Sandbox) view(ctx context.Context, fn func(*sql.Tx) error) error {
	return transact(ctx, s.readers, fn)
}

// update runs fn as the only writer among all processes. What fn changed is
// kept only if it returns nil.
func (s *Sandbox) update(ctx context.Context, fn func(*sql.Tx) error) error {
	return s.exclusive(func() error { return transact(ctx, s.writer, fn) })
}

func transact(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// exclusive runs fn while no other handler, here or in another process, is in
// exclusive.
func (s *Sandbox) exclusive(fn func() error) (err error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.queue.Lock(); err != nil {
		return fmt.Errorf("wait for the writer's turn: %w", err)
	}
	defer func() { err = errors.Join(err, s.queue.Unlock()) }()
	return fn()
}
