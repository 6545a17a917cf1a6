package store

import (
	"context"
	"errors"
	"fmt"
)

// queue is where the processes that want to write wait, each for one
// transaction: SQLite's own busy handler lets one of them starve. It orders;
// it does not protect. That is SQLite's to do.
//
// It is a door with a row of seats before it. Who has the first seat is the next
// to pass, and moving up is all that can be done, so whoever has just come out
// does not slip in again before those who wait.
type queue struct {
	path string
	own  *place // nil: not opened yet
}

// enter waits for the turn and returns how to end it. After ctx has ended the
// turn is given up, also where it comes later. One goroutine may enter at a time.
func (q *queue) enter(ctx context.Context) (leave func() error, err error) {
	if q.own == nil {
		if q.own, err = openPlace(q.path); err != nil {
			return nil, fmt.Errorf("queue: %w", err)
		}
	}
	own := q.own
	passed, err := own.tryPass()
	if err == nil && !passed {
		passed, err = q.wait(ctx, own)
	}
	if err != nil || !passed {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return own.leave, nil
}

func (q *queue) wait(ctx context.Context, own *place) (passed bool, err error) {
	got := make(chan error, 1)
	go func() { got <- own.pass() }()
	select {
	case err := <-got:
		return err == nil, err
	case <-ctx.Done():
		q.own = nil // somebody still waits there
		go func() {
			if <-got == nil {
				_ = own.leave() // and closing it leaves as well
			}
			_ = own.close()
		}()
		return false, ctx.Err()
	}
}

func (q *queue) close() error {
	if q.own == nil {
		return nil
	}
	own := q.own
	q.own = nil
	return own.close()
}

// enterOnce is enter, for who does not come again.
func enterOnce(ctx context.Context, path string) (leave func() error, err error) {
	q := &queue{path: path}
	leaveQueue, err := q.enter(ctx)
	if err != nil {
		return nil, errors.Join(err, q.close())
	}
	return func() error { return errors.Join(leaveQueue(), q.close()) }, nil
}
