package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// readers is how many reads may go on at once.
const readers = 4

// reader is the pool that reads, one short statement at a time: a reader that
// stays would let the -wal grow.
type reader struct {
	*sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func openReader(ctx context.Context, name string) (*reader, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &reader{DB: db, stmts: map[string]*sql.Stmt{}}, nil
}

// stmt prepares each statement once per connection.
func (r *reader) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.stmts[query]; s != nil {
		return s, nil
	}
	s, err := r.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept, and closed with the pool
	if err != nil {
		return nil, err
	}
	r.stmts[query] = s
	return s, nil
}

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, s := range r.stmts {
		errs = append(errs, s.Close())
	}
	clear(r.stmts)
	return errors.Join(append(errs, r.DB.Close())...)
}

// scan reads the one row of a query; ok is false where there is none.
func (l *Ledger) scan(ctx context.Context, what, query string, args []any, dest ...any) (ok bool, err error) {
	found := false
	err = l.each(ctx, what, query, args, func(scan func(...any) error) (more bool, err error) {
		found = true
		return false, scan(dest...)
	})
	return found, err
}

// each calls do for the rows of a query, until it wants no more.
func (l *Ledger) each(ctx context.Context, what, query string, args []any, do func(scan func(...any) error) (more bool, err error)) error {
	if l.closed.Load() {
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	if err := l.read.each(ctx, query, args, do); err != nil {
		return fmt.Errorf("%s: %w", what, l.trouble(err))
	}
	return nil
}

func (r *reader) each(ctx context.Context, query string, args []any, do func(scan func(...any) error) (more bool, err error)) error {
	s, err := r.stmt(ctx, query) //nolint:sqlclosecheck // kept, and closed with the pool
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if more, err := do(rows.Scan); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}
