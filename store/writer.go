package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// turnWithin bounds the wait for the other writers, of this process and of
// others; with SQLite's own it makes five seconds.
const turnWithin = 3 * time.Second

// writer is the one connection that writes, with its prepared statements.
type writer struct {
	turn    chan struct{} // holds one token while a transaction runs
	queue   queue
	db      *sql.DB
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	names   map[name]int64 // numbers that are committed
	account int64
	closed  error // why there is nothing to write with

	commit func(context.Context) error // COMMIT; a test may stand in between
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	lockPath := path + ".lock"
	db, err := sql.Open("sqlite", writing(path, lockPath))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w := &writer{
		turn:  make(chan struct{}, 1),
		queue: queue(lockPath),
		db:    db,
		conn:  conn,
		stmts: map[string]*sql.Stmt{},
		names: map[name]int64{},
	}
	w.commit = func(ctx context.Context) error { return w.exec(ctx, "COMMIT") }
	return w, nil
}

// enter waits for the turn to write. Neither a cancelled caller nor a queue
// that does not move keeps a write from being tried: the outcome of a send must
// not be lost for want of patience, and SQLite excludes the others anyway.
func (w *writer) enter(ctx context.Context) (leave func(), err error) {
	if w.turn == nil {
		return nil, w.closed
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), turnWithin)
	defer cancel()
	select {
	case w.turn <- struct{}{}:
	case <-wait.Done():
		return nil, ErrBusy
	}
	if w.closed != nil {
		<-w.turn
		return nil, w.closed
	}
	leaveQueue, err := w.queue.enter(wait)
	if err != nil {
		leaveQueue = func() error { return nil }
	}
	return func() {
		_ = leaveQueue() // closes the file, which is what counts
		<-w.turn
	}, nil
}

// stmt prepares each statement once.
func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := w.stmts[query]; s != nil {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}

func (w *writer) exec(ctx context.Context, query string, args ...any) error {
	s, err := w.stmt(ctx, query) //nolint:sqlclosecheck // kept, and closed with the connection
	if err != nil {
		return err
	}
	_, err = s.ExecContext(ctx, args...)
	return err
}

// row scans the one row of a query; sql.ErrNoRows where there is none.
func (w *writer) row(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := w.stmt(ctx, query) //nolint:sqlclosecheck // kept, and closed with the connection
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
}

// first is row, where there may be none.
func (w *writer) first(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	err = w.row(ctx, query, args, dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// count is exec, and how many rows that changed.
func (w *writer) count(ctx context.Context, query string, args ...any) (int, error) {
	s, err := w.stmt(ctx, query) //nolint:sqlclosecheck // kept, and closed with the connection
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// checkpoint moves the -wal into the file as far as no reader is in the way,
// and cuts it back where nobody uses it: that would otherwise wait, and make
// the others wait.
func (w *writer) checkpoint() error {
	ctx := context.Background()
	leave, err := w.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var busy, pages, moved int
	if err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if busy != 0 || moved < pages {
		return nil
	}
	if _, err := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// close waits for the transaction that runs. The connection's statements are
// closed with it.
func (w *writer) close() error {
	if w.turn == nil {
		return nil
	}
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	if w.closed != nil {
		return nil
	}
	w.closed = ErrClosed
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}
