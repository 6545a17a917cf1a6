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
	running    int           // calls and sweeps
	idle       chan struct{} // closed when running falls to 0; nil while nobody waits
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
	for {
		idle := e.leave.whenIdle()
		if idle == nil {
			return
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return
		}
	}
}

// enter counts a call in; what it returns counts it out.
func (d *departure) enter() (exit func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.running--
		if d.running == 0 && d.idle != nil {
			close(d.idle)
			d.idle = nil
		}
	}
}

// whenIdle is closed once nothing runs; nil where nothing does now.
func (d *departure) whenIdle() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running == 0 {
		return nil
	}
	if d.idle == nil {
		d.idle = make(chan struct{})
	}
	return d.idle
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
