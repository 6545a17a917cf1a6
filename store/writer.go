package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"counterfoil/store/sqlite3"
)

// turnWithin bounds the wait for the other writers, of this process and of
// others; with SQLite's own it makes five seconds.
const turnWithin = 3 * time.Second

// writer is the one connection that writes.
type writer struct {
	turn   chan struct{} // holds one token while a transaction runs
	line   line          // who waits for the next one
	queue  queue
	conn   *sqlite3.Conn
	names  map[string]int64 // numbers of names, committed
	closed error            // why there is nothing to write with

	commit func() error // COMMIT; a test may stand in between
}

func openWriter(path string) (*writer, error) {
	lockPath := path + ".lock"
	conn, err := connectToWrite(path, lockPath)
	if err != nil {
		return nil, err
	}
	return &writer{
		turn:   make(chan struct{}, 1),
		queue:  queue{path: lockPath},
		conn:   conn,
		names:  map[string]int64{},
		commit: func() error { return conn.Exec("COMMIT") },
	}, nil
}

// enter waits for the turn to write, alone.
func (w *writer) enter() (leave func(), err error) {
	if w.turn == nil {
		return nil, w.closed
	}
	wait, cancel := context.WithTimeout(context.Background(), turnWithin)
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
	leaveQueue := w.lineUp(wait)
	return func() {
		leaveQueue()
		<-w.turn
	}, nil
}

// endTurn gives the turn to who is next in the line, and the processor with it:
// the disk is not to wait until all who were just told have gone on.
func (w *writer) endTurn() {
	<-w.turn
	if !w.line.empty() {
		runtime.Gosched()
	}
}

// lend gives the connection for a short read, nil where somebody writes or waits
// for it.
func (w *writer) lend() (c *sqlite3.Conn, giveBack func()) {
	if !w.line.empty() {
		return nil, nil
	}
	select {
	case w.turn <- struct{}{}:
	default: // or there is none
		return nil, nil
	}
	giveBack = func() { <-w.turn }
	if w.closed != nil || w.conn.InTransaction() { // one that could not be ended
		giveBack()
		return nil, nil
	}
	return w.conn, giveBack
}

// lineUp waits behind the other processes. Neither a cancelled caller nor a
// queue that does not move keeps a write from being tried: the outcome of a send
// must not be lost for want of patience, and SQLite excludes the others anyway.
func (w *writer) lineUp(wait context.Context) (leave func()) {
	leaveQueue, err := w.queue.enter(wait)
	if err != nil {
		return func() {}
	}
	return func() { _ = leaveQueue() } // closes the file, which is what counts
}

// first scans the one row of a query; found is false where there is none.
func (w *writer) first(query string, args []any, dest ...any) (found bool, err error) {
	return w.conn.First(query, args, dest...)
}

// checkpoint moves the -wal into the file as far as no reader is in the way,
// and cuts it back where nobody uses it: that would otherwise wait, and make
// the others wait.
func (w *writer) checkpoint() error {
	leave, err := w.enter()
	if err != nil {
		return err
	}
	defer leave()
	busy, left, err := w.moveWAL("PASSIVE")
	if err != nil || busy || left {
		return err
	}
	if err := w.conn.Script("PRAGMA busy_timeout = 0"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	_, _, err = w.moveWAL("TRUNCATE")
	return err
}

// moveWAL runs a checkpoint. busy: somebody was in the way; left: not all of the
// -wal could be moved.
func (w *writer) moveWAL(mode string) (busy, left bool, err error) {
	var pages, moved int
	if _, err := w.first("PRAGMA wal_checkpoint("+mode+")", nil, &busy, &pages, &moved); err != nil {
		return false, false, fmt.Errorf("checkpoint: %w", err)
	}
	return busy, moved < pages, nil
}

// close waits for the transaction that runs.
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
	return errors.Join(w.conn.Close(), w.queue.close())
}
