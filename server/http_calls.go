package server

import (
	"context"
	"sync"
)

// How many requests are answered at a time: of all, and of one principal, who
// can then fill neither a lane nor the server. Beyond it a client is told to
// come again. Callers without a name are one another's own concern.
const (
	maxHTTPInFlight = 256
	maxHTTPEach     = laneWidth / 2
)

// calls counts the requests that are being answered.
type calls struct {
	mu   sync.Mutex
	n    int
	each map[string]int // by principal, those with a name
	most int
	idle chan struct{} // closed when n falls to 0; nil while nobody waits
}

func newCalls(most int) *calls { return &calls{most: most, each: map[string]int{}} }

// enter counts a principal's request in, unless there are too many; leave counts
// it out.
func (c *calls) enter(principal string) (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n >= c.most || principal != "" && c.each[principal] >= maxHTTPEach {
		return nil, false
	}
	c.n++
	if principal != "" {
		c.each[principal]++
	}
	return func() { c.leave(principal) }, true
}

func (c *calls) leave(principal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if principal != "" {
		c.each[principal]--
		if c.each[principal] == 0 {
			delete(c.each, principal)
		}
	}
	if c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

func (c *calls) running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// wait returns when nothing is being answered, or when ctx ends.
func (c *calls) wait(ctx context.Context) {
	select {
	case <-c.whenIdle():
	case <-ctx.Done():
	}
}

func (c *calls) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	if c.n == 0 {
		close(c.idle)
		c.idle = nil
	}
	return idle
}
