package store

import (
	"context"
	"fmt"
)

// Writable proves, by a commit of nothing but its number, that a write is
// possible now. The error says why it is not.
func (l *Ledger) Writable(ctx context.Context) error {
	err := l.transact(
		func(*transaction) error { return nil },
		func(*transaction) (bool, error) { return false, nil })
	if err != nil {
		return fmt.Errorf("write to the ledger: %w", err)
	}
	return nil
}
