package store

import (
	"context"
	"fmt"
)

// Contents is what the ledger holds that somebody may have to see to, now.
func (l *Ledger) Contents(ctx context.Context) (Contents, error) {
	c, err := l.contentsNow(ctx)
	if err != nil {
		return Contents{}, fmt.Errorf("read what is open: %w", err)
	}
	return c, nil
}
