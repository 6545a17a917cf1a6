package access

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how many writes a principal may ask for: so many a minute, and so many
// at once after a while of none.
type Rate struct{ PerMinute, Burst int }

// maxBuckets is how many principals are counted apart. Those of a file are few;
// of an issuer there may be any number.
const maxBuckets = 4096

// Limits count the writes that principals ask for.
type Limits struct {
	each Rate
	now  func() time.Time

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
	others  *rate.Limiter // of all for whom there is no room
}

// NewLimits allows every principal r.
func NewLimits(r Rate, now func() time.Time) *Limits {
	l := &Limits{each: r, now: now, buckets: map[string]*rate.Limiter{}}
	l.others = l.bucket()
	return l
}

// Wait takes one write of name's, and is 0, or says how long it is until there
// is one. Nothing is taken then.
func (l *Limits) Wait(name string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	taken := l.of(name, now).ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

func (l *Limits) bucket() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(l.each.PerMinute)/60), l.each.Burst)
}

// of is name's bucket. Where there are too many, those that are full again are
// forgotten, which changes nothing; whoever finds no room even then shares one
// bucket, so that no number of names makes for more than their sum.
func (l *Limits) of(name string, now time.Time) *rate.Limiter {
	if b, ok := l.buckets[name]; ok {
		return b
	}
	if len(l.buckets) >= maxBuckets {
		l.forgetFull(now)
	}
	if len(l.buckets) >= maxBuckets {
		return l.others
	}
	b := l.bucket()
	l.buckets[name] = b
	return b
}

func (l *Limits) forgetFull(now time.Time) {
	for name, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.each.Burst) {
			delete(l.buckets, name)
		}
	}
}
