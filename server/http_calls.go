package server

import (
	"context"
	"sync"
)

// maxHTTPInFlight is how many requests are answered at a time, each with at
// most 1 MiB of body in memory. Beyond it a client is told to come again.
const maxHTTPInFlight = 256

// calls counts the requests that are being answered.
type calls struct {
	mu   sync.Mutex
	n    int
	most int
	idle chan struct{} // closed when n falls to 0; nil while nobody waits
}

func newCalls(most int) *calls { return &calls{most: most} }

// enter counts a request in, unless there are too many; leave counts it out.
func (c *calls) enter() (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n >= c.most {
		return nil, false
	}
	c.n++
	return c.leave, true
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
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
