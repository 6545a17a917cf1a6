package access_test

import (
	"fmt"
	"testing"
	"time"

	"counterfoil/access"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := access.NewLimits(access.Rate{PerMinute: 60, Burst: 3}, c.now)
	takes := func(name string, want ...time.Duration) {
		t.Helper()
		for i, want := range want {
			if got := l.Wait(name); got.Round(time.Millisecond) != want {
				t.Errorf("%s, write %d: got %v, want %v", name, i+1, got, want)
			}
		}
	}
	takes("ann", 0, 0, 0, time.Second, time.Second) // who is refused loses nothing by asking
	takes("bob", 0, 0, 0, time.Second)
	c.pass(time.Second / 2)
	takes("ann", time.Second/2)
	c.pass(time.Second / 2)
	takes("ann", 0, time.Second)
	c.pass(time.Hour)
	takes("ann", 0, 0, 0, time.Second)
}

// However many names an issuer gives out, memory is bounded, and nobody gets
// more by another's coming.
func TestLimitsOfManyNames(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := access.NewLimits(access.Rate{PerMinute: 1, Burst: 2}, c.now)
	const room = 4096
	for n := range room {
		l.Wait(fmt.Sprint("name", n))
	}
	if n := l.Buckets(); n != room {
		t.Errorf("%d names are kept apart", n)
	}
	// No bucket is full again: the newcomers share one.
	allowed := 0
	for n := range 100 {
		if l.Wait(fmt.Sprint("newcomer", n)) == 0 {
			allowed++
		}
	}
	if allowed != 2 || l.Buckets() != room {
		t.Errorf("%d of the newcomers' writes were allowed, %d names kept", allowed, l.Buckets())
	}
	if l.Wait("name0") != 0 || l.Wait("name0") == 0 {
		t.Error("who was there before has lost their count")
	}
	c.pass(time.Minute) // all are full again, but for name0
	l.Wait("newcomer")
	if n := l.Buckets(); n != 2 {
		t.Errorf("%d names are kept", n)
	}
}
