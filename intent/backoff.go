package intent

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	readTries    = 4
	firstBackoff = 50 * time.Millisecond
	mostBackoff  = 2 * time.Second
)

// backoff is the pause before try n (from 1), with jitter of up to half.
func (e *Engine) backoff(n int) time.Duration {
	d := firstBackoff << min(n-1, 10)
	d = min(d, mostBackoff)
	return d/2 + e.o.Jitter(d/2)
}

// jitter is what Options.Jitter is by default.
func jitter(most time.Duration) time.Duration {
	return rand.N(most + 1) //nolint:gosec // jitter keeps nothing secret
}

// RepeatRead calls try until it reports that it is done, with backoff and
// jitter: at most four times, and not after ctx has ended or the budget is
// spent. It is the one retry loop of the read class.
func (e *Engine) RepeatRead(ctx context.Context, try func(context.Context) (done bool)) {
	ctx, cancel := context.WithTimeout(ctx, e.o.ProviderTimeout)
	defer cancel()
	for n := 1; ; n++ {
		if try(ctx) || n == readTries || !pause(ctx, e.backoff(n)) {
			return
		}
	}
}

// sweepAfter is the pause before the sweeper's next look at a row that it has
// looked at n times: 5 s, doubling, at most 10 minutes.
func sweepAfter(n int) time.Duration {
	return min(5*time.Second<<min(n, 10), 10*time.Minute)
}
