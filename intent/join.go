package intent

import (
	"context"
	"time"
)

// mostPoll is the longest pause between two looks at another process's act.
const mostPoll = 200 * time.Millisecond

// join waits for the act that another call is at, and answers with its outcome.
// Where its owner is gone or out of time, it is looked up at once.
func (c *call) join(ctx context.Context, row Row) *Result {
	for n := 0; ; n++ {
		if c.e.senderGone(row) || c.e.expired(row) {
			current, ok, err := c.e.o.Ledger.Find(ctx, row.Key)
			if err != nil || !ok {
				return c.ledgerDown(ctx, "find", err)
			}
			if current.State == StateInFlight {
				return c.lookAgain(ctx, current)
			}
			return c.remembered(ctx, current)
		}
		if !c.awaitChange(ctx, row.Key, n) {
			return c.say(ctx, row, spoken{}) // in flight still, and the budget is over
		}
		current, ok, err := c.e.o.Ledger.Find(ctx, row.Key)
		if err != nil || !ok {
			return c.ledgerDown(ctx, "find", err)
		}
		if current.State != StateInFlight {
			return c.remembered(ctx, current)
		}
		row = current
	}
}

// awaitChange waits until a row is worth another look; false: the budget ended.
func (c *call) awaitChange(ctx context.Context, key Key, n int) bool {
	poll := time.NewTimer(min(10*time.Millisecond<<min(n, 5), mostPoll))
	defer poll.Stop()
	select {
	case <-c.e.flights.under(key): // blocks for ever where the flight is not ours
		return true
	case <-poll.C:
		return true
	case <-ctx.Done():
		return false
	}
}
