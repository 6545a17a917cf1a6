package intent

import (
	"context"
	"sync"
	"time"
)

// departure is how the engine leaves: until when calls may still claim, and
// when what was claimed is cut off and left to the next process.
type departure struct {
	mu         sync.Mutex
	leaving    bool
	claimUntil time.Time
	cut        chan struct{} // closed when what was claimed is cut off
	cutOff     func()        // closes cut, once
	running    sync.WaitGroup
}

func newDeparture() *departure {
	cut := make(chan struct{})
	return &departure{cut: cut, cutOff: sync.OnceFunc(func() { close(cut) })}
}

// Leave begins the engine's departure: calls may claim for claimFor more, and
// what was claimed is finished and recorded within finishWithin; the rest is
// left ownerless for the next process. Called again, the stricter bounds hold.
func (e *Engine) Leave(claimFor, finishWithin time.Duration) {
	d := e.leave
	d.mu.Lock()
	defer d.mu.Unlock()
	until := e.clock.now().Add(claimFor)
	if !d.leaving || until.Before(d.claimUntil) {
		d.claimUntil = until
	}
	d.leaving = true
	time.AfterFunc(finishWithin, d.cutOff)
}

// Wait returns when no call is running any more, or when ctx ends.
func (e *Engine) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { e.leave.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// mayClaim reports whether a claim may be made now.
func (d *departure) mayClaim(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.leaving || now.Before(d.claimUntil)
}

// wasCut reports whether what was claimed has been cut off.
func (d *departure) wasCut() bool {
	select {
	case <-d.cut:
		return true
	default:
		return false
	}
}
