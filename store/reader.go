package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"counterfoil/store/sqlite3"
)

// readers is how many reads may go on at once.
const readers = 4

// reader is the pool that reads, one short statement at a time: a reader that
// stays would let the -wal grow.
type reader struct {
	open func() (*sqlite3.Conn, error)
	turn chan struct{} // holds a token for every read that goes on
	done chan struct{} // closed when there will be no more reads
	mu   sync.Mutex
	idle []*sqlite3.Conn // the last one used last: it has to fetch the least anew
}

// openReader opens the pool, and its first connection to see that it can be read.
func openReader(path, mode string) (*reader, error) {
	r := &reader{
		open: func() (*sqlite3.Conn, error) { return connectToRead(path, mode) },
		turn: make(chan struct{}, readers),
		done: make(chan struct{}),
	}
	return r, r.with(func(*sqlite3.Conn) error { return nil })
}

// with has do use a connection.
func (r *reader) with(do func(*sqlite3.Conn) error) (err error) {
	select {
	case r.turn <- struct{}{}:
	case <-r.done:
		return ErrClosed
	}
	defer func() { <-r.turn }()
	c := r.take()
	if c == nil {
		if c, err = r.open(); err != nil {
			return err
		}
	}
	defer r.giveBack(c)
	return do(c)
}

// take is a connection that nobody uses, nil where there is none.
func (r *reader) take() *sqlite3.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle) - 1
	if n < 0 {
		return nil
	}
	c := r.idle[n]
	r.idle = r.idle[:n]
	return c
}

func (r *reader) giveBack(c *sqlite3.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, c)
}

// each calls do for the rows of a query, until it wants no more. It is broken
// off when ctx ends.
func (r *reader) each(ctx context.Context, query string, args []any, do func(*sqlite3.Row) (more bool, err error)) error {
	return r.with(func(c *sqlite3.Conn) error {
		callOff := c.Until(ctx)
		defer callOff()
		if err := c.Query(query, args, do); err != nil {
			return errors.Join(ctx.Err(), err)
		}
		return nil
	})
}

// close waits for the reads that go on.
func (r *reader) close() error {
	select {
	case <-r.done:
		return nil
	default:
	}
	close(r.done)
	for range readers {
		r.turn <- struct{}{}
	}
	var errs []error
	for c := r.take(); c != nil; c = r.take() {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// scan reads the one row of a query; ok is false where there is none.
func (l *Ledger) scan(ctx context.Context, what, query string, args []any, dest ...any) (ok bool, err error) {
	err = l.glance(ctx, what, func(c *sqlite3.Conn) (err error) {
		ok, err = c.First(query, args, dest...)
		return err
	})
	return ok, err
}

// each calls do for the rows of a query that finds a few by an index, until it
// wants no more.
func (l *Ledger) each(ctx context.Context, what, query string, args []any, do func(*sqlite3.Row) (more bool, err error)) error {
	return l.glance(ctx, what, func(c *sqlite3.Conn) error { return c.Query(query, args, do) })
}

// glance has do read a few rows, which is not broken off once it has begun: on
// the connection that writes, where nobody writes, since it need not fetch again
// what it has just written, as all others must.
func (l *Ledger) glance(ctx context.Context, what string, do func(*sqlite3.Conn) error) error {
	return l.reads(ctx, what, func() error {
		c, giveBack := l.write.lend()
		if c == nil {
			return l.read.with(do)
		}
		defer giveBack()
		return do(c)
	})
}

// through is each, for a query that may look at many rows. It is broken off when
// ctx ends, and is in nobody's way.
func (l *Ledger) through(ctx context.Context, what, query string, args []any, do func(*sqlite3.Row) (more bool, err error)) error {
	return l.reads(ctx, what, func() error { return l.read.each(ctx, query, args, do) })
}

func (l *Ledger) reads(ctx context.Context, what string, do func() error) error {
	err := ctx.Err()
	switch {
	case l.closed.Load():
		err = ErrClosed
	case err == nil:
		err = l.trouble(do())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
