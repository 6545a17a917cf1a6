package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// contender does one idempotent step under a number, from 1: the first call
// acts, every later one under the same number is a repeat.
type contender interface {
	once(ctx context.Context, n int64) error
	close() error
}

// measured is how long each of a number of calls took, and all together.
type measured struct {
	took []time.Duration // sorted
	all  time.Duration
}

// measure has callers call do, each one call after the other, for about as long
// as is given. do gets the number of the call, from 1.
func measure(ctx context.Context, callers int, period time.Duration, do func(ctx context.Context, n int64) error) (measured, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var calls atomic.Int64
	took := make([][]time.Duration, callers)
	begin := time.Now()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(begin) < period {
				called := time.Now()
				if err := do(ctx, calls.Add(1)); err != nil {
					cancel(err)
					return
				}
				took[c] = append(took[c], time.Since(called))
			}
		})
	}
	wg.Wait()
	m := measured{took: slices.Concat(took...), all: time.Since(begin)}
	slices.Sort(m.took)
	return m, context.Cause(ctx)
}

// merge is what several measurements came to together.
func merge(all []measured) (m measured) {
	for _, one := range all {
		m.took = append(m.took, one.took...)
		m.all += one.all
	}
	slices.Sort(m.took)
	return m
}

func (m measured) perSecond() float64 {
	if m.all == 0 {
		return 0
	}
	return float64(len(m.took)) / m.all.Seconds()
}

// at is a quantile.
func (m measured) at(q float64) time.Duration {
	if len(m.took) == 0 {
		return 0
	}
	return m.took[min(int(q*float64(len(m.took))), len(m.took)-1)]
}
