package intent

import (
	"context"
	"time"
)

// recordWithin bounds one commit, whatever is left of the answer's budget: a
// record that comes late is worth more than one that does not come.
const recordWithin = 5 * time.Second

// recordTries is how often a record is tried before it is spilled.
const recordTries = 4

// detach is the one place where a started act parts from its request: the
// client's cancellation no longer stops it. It ends at the deadline, or when the
// departing engine cuts it off.
func (e *Engine) detach(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	detached, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	go func() {
		select {
		case <-e.leave.cut:
			cancel()
		case <-detached.Done():
		}
	}()
	return detached, cancel
}

// deadlineIn is the moment d from now on the clock of contexts: unlike the wall
// clock nobody sets it.
func deadlineIn(d time.Duration) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	deadline, _ := ctx.Deadline()
	return deadline
}

// recording is the context of a commit: nobody's cancellation, its own bound.
func recording(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
}
