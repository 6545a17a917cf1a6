package intent_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	simSeeds = flag.Int("seeds", 300, "how many histories TestSim runs")
	simFirst = flag.Uint64("first", 1, "the seed of the first one")
	simWhole = flag.Bool("whole", false, "show a failing history whole")
)

// simWorkers is how many histories run at a time.
const simWorkers = 2

// TestSim runs seeded histories in simulated time and holds every answer, and
// the end of each history, against the invariants of docs/PROOF.md.
func TestSim(t *testing.T) {
	t.Parallel()
	cover, began := newSimCover(), time.Now()
	var next sync.Mutex
	seed, last := *simFirst, *simFirst+uint64(max(*simSeeds, 0))
	take := func() (uint64, bool) {
		next.Lock()
		defer next.Unlock()
		seed++
		return seed - 1, seed <= last && !cover.enough()
	}
	var workers sync.WaitGroup
	for range simWorkers {
		workers.Go(func() {
			for s, more := take(); more; s, more = take() {
				if report := simHistory(t, s, cover); report != "" {
					cover.failed()
					t.Error(report)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d histories in %v\n%s", *simSeeds, time.Since(began).Round(time.Millisecond), cover)
}

// The same seed gives the same history, event by event. The jitter of the
// engine's pauses is not seeded, and where it decides which of two lanes comes
// first, a history may part from itself: that stays rare.
func TestSimRepeats(t *testing.T) {
	t.Parallel()
	const most = 40
	same := 0
	for seed := *simFirst; seed < *simFirst+most; seed++ {
		var first, second string
		simRun(t, seed, newSimCover(), &first)
		simRun(t, seed, newSimCover(), &second)
		if at, differ := simDiffer(first, second); differ {
			t.Logf("seed %d gives two histories, from:\n%s", seed, at)
			continue
		}
		same++
	}
	if same < most*9/10 {
		t.Errorf("%d of %d seeds give the same history twice", same, most)
	}
}

// simDiffer is where two histories part.
func simDiffer(first, second string) (at string, differ bool) {
	a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return strings.Join(a[max(0, i-6):i+1], "\n") + "\nor\n" + b[i], true
		}
	}
	return "the end of the shorter one", len(a) != len(b)
}

// simHistory runs one seed; what it returns says what went wrong.
func simHistory(t *testing.T, seed uint64, cover *simCover) (report string) {
	return simRun(t, seed, cover, nil)
}

// simRun runs one seed and, where wanted, writes its whole history down.
func simRun(t *testing.T, seed uint64, cover *simCover, whole *string) (report string) {
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(t, seed, cover)
		w.script()
		if !w.broken() {
			w.end()
		}
		w.finish()
		if w.fault.invariant != "" {
			report = fmt.Sprintf("seed %d: invariant %q: %s\nreplay: go test ./intent -run 'TestSim$' -seeds 1 -first %d\n%s",
				seed, w.fault.invariant, w.fault.what, seed, w.history(*simLines))
		}
		cover.history(w)
		if whole != nil {
			w.fault.what, w.fault.events = "", 0
			*whole = w.history(1 << 20)
		}
	})
	return report
}

var simLines = flag.Int("lines", 80, "how many events a failing history shows")

// script plays the history: the model talks, people work, and things happen.
func (w *simWorld) script() {
	for range 1 + w.rng.IntN(3) {
		w.start(false)
	}
	for id := range 1 + w.rng.IntN(3) {
		w.threads.Add(1)
		go w.model(id + 1).talk()
	}
	w.threads.Add(1)
	people := &simPeople{w: w, rng: rand.New(rand.NewPCG(w.seed, 77))}
	go people.work()
	for n := 0; w.threads.Load() > 0 && n < 400; n++ {
		w.runUntil(time.Now().Add(w.quiet(n)), func() bool { return w.threads.Load() == 0 })
		if w.broken() {
			return
		}
		w.happen(n)
	}
	w.runUntil(time.Now().Add(100*time.Hour), func() bool { return w.threads.Load() == 0 })
}

// quiet is how long nothing happens: longer as a history goes on.
func (w *simWorld) quiet(n int) time.Duration {
	most := 15 * time.Second
	if n > 25 {
		most = 30 * time.Minute
	}
	if next := w.nextLanding(); w.rng.IntN(2) == 0 && !next.IsZero() {
		rest := time.Until(next) - time.Duration(w.rng.IntN(400))*time.Millisecond
		if rest > 0 && rest < 2*time.Hour {
			return rest
		}
	}
	return time.Duration(w.rng.Int64N(int64(most)))
}

// nextLanding is when the next request arrives, effect lands or pending one
// turns: what happens just before and after is what matters.
func (w *simWorld) nextLanding() (next time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	sooner := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, o := range w.ops() {
		for _, t := range o.transit {
			sooner(t.arrives)
		}
		for _, e := range o.effects {
			sooner(e.lands)
			sooner(e.shows)
			sooner(e.turns)
		}
	}
	return next
}

// happen is one event of the script.
func (w *simWorld) happen(n int) {
	live := w.alive()
	if len(live) == 0 {
		w.start(false)
		return
	}
	p := live[w.rng.IntN(len(live))]
	switch k := w.rng.IntN(30); {
	case k < 11:
		w.sweepBy(p, 500_000+n)
	case k < 16:
		p.crash = w.doom()
	case k < 19:
		p.sleepFor = time.Duration(w.rng.Int64N(int64([]time.Duration{10 * time.Second, time.Minute, 40 * time.Hour}[w.rng.IntN(3)])))
		p.sleep = w.doom()
	case k < 21 && len(live) < 3:
		w.start(false)
	case k < 23:
		w.deafUntil = time.Now().Add(time.Duration(w.rng.Int64N(int64(2 * time.Minute))))
	case k == 23 && !w.full.Load():
		w.fill(true)
	case k < 27 && w.full.Load():
		w.fill(false)
	case k == 27:
		w.backup = w.ledger.Clone()
	case k == 28 && w.backup != nil && w.rng.IntN(2) == 0:
		w.another(w.backup, "RESTORED")
		w.backup = nil
	case k == 29 && w.rng.IntN(4) == 0:
		w.another(newSimLedger(), "LOST")
		w.backup = nil
	}
}

// doom draws where something befalls a process.
func (w *simWorld) doom() simDoom {
	if w.rng.IntN(2) == 0 {
		return simDoom{in: 1 + w.rng.IntN(40)}
	}
	return simDoom{at: simGates[w.rng.IntN(len(simGates))]}
}

// finish ends whatever still runs, so that the bubble can be left.
func (w *simWorld) finish() {
	w.over.Store(true)
	for _, p := range w.procs {
		p.dead.Store(true)
		p.asleepUntil = time.Time{}
	}
	w.drain(time.Now().Add(200 * time.Hour))
}
