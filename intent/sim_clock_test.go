package intent_test

import (
	"math/rand/v2"
	"time"

	"counterfoil/intent"
)

// mostSimJump is how far somebody sets the machine's clock at a time.
const mostSimJump = 2 * time.Hour

// now is the wall clock of the machine on which all processes run. The
// authority's clock is right; this one is set forward and back in some
// histories.
func (w *simWorld) now() time.Time { return time.Now().Add(time.Duration(w.skew.Load())) }

// uptime is the clock that nobody sets.
func (w *simWorld) uptime() intent.Uptime {
	return intent.Uptime{Boot: 1, Since: time.Since(w.began)}
}

// jump sets the wall clock: mostly by seconds, as a network's time does, now and
// then by hours, as a person's hand does, and back to what is right.
func (w *simWorld) jump(rng *rand.Rand) {
	most := []time.Duration{2 * time.Second, 40 * time.Second, 10 * time.Minute, mostSimJump}[rng.IntN(4)]
	skew := time.Duration(rng.Int64N(2*int64(most))) - most
	if rng.IntN(3) == 0 {
		skew = 0
	}
	skew = skew.Truncate(time.Millisecond)
	w.logf(nil, "CLOCK %v off", skew)
	was := time.Duration(w.skew.Swap(int64(skew)))
	switch {
	case skew > was:
		w.cover.event("clock set forward")
	case skew < was:
		w.cover.event("clock set back")
	}
}
