package intent

import (
	"context"
	"time"
)

// clock reads the injected wall clock. The monotonic reading is stripped, since
// it stands still while a machine sleeps: times here are compared as a
// calendar would. Milliseconds, UTC, as the ledger keeps them.
type clock func() time.Time

func (c clock) now() time.Time { return c().Round(0).UTC().Truncate(time.Millisecond) }

// fits reports whether d is less than what is left of ctx.
func fits(ctx context.Context, d time.Duration) bool {
	end, bounded := ctx.Deadline()
	return !bounded || deadlineIn(d).Before(end)
}

// pause waits for d, or until ctx ends; it reports whether d has passed.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
