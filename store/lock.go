package store

import (
	"context"
	"fmt"
)

// queue is where the processes that want to write wait, each for one
// transaction: SQLite's own busy handler lets one of them starve. It orders;
// it does not protect. That is SQLite's to do.
type queue string

// enter waits for the turn and returns how to end it. After ctx has ended the
// turn is given up, also where it comes later.
func (q queue) enter(ctx context.Context) (leave func() error, err error) {
	f := newLock(string(q))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	if ok {
		return f.Unlock, nil
	}
	got := make(chan error, 1)
	go func() { got <- f.Lock() }()
	select {
	case err := <-got:
		if err != nil {
			return nil, fmt.Errorf("queue: %w", err)
		}
		return f.Unlock, nil
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				_ = f.Unlock() // closes the file, which is what counts
			}
		}()
		return nil, fmt.Errorf("queue: %w", ctx.Err())
	}
}
