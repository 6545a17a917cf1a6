package intent_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	simSeeds   = flag.Int("seeds", simEnough, "how many histories TestSim runs")
	simFirst   = flag.Uint64("first", 1, "the seed of the first one")
	simWorkers = flag.Int("workers", 2, "how many histories run at a time")
	simSQLite  = flag.Bool("sqlite", false, "keep the ledger in SQLite files, many times slower")
	simWhole   = flag.Bool("whole", false, "show a failing history whole")
	simLines   = flag.Int("lines", 80, "how many events a failing history shows")
)

// simRaced is how many histories the race detector sees, unless it is told.
const simRaced = 300

// TestSim runs seeded histories in simulated time and holds every answer, and
// the end of each history, against the invariants of docs/PROOF.md. Enough of
// them must reach all that simMust names.
func TestSim(t *testing.T) {
	t.Parallel()
	histories := *simSeeds
	if raced && histories == simEnough {
		histories = simRaced
	}
	proof, cover, began := newSimProof(t), newSimCover(), time.Now()
	simRange(t, *simFirst, histories, cover, *simSQLite)
	took := time.Since(began)
	t.Logf("%d histories in %v\n%s", histories, took.Round(time.Millisecond), cover)
	if cover.enough() {
		return
	}
	if missing := cover.missing(histories); len(missing) > 0 && *simFirst == 1 && !*simSQLite {
		t.Errorf("%d histories never reached:\n%s", histories, strings.Join(missing, "\n"))
	}
	proof.write(histories, took, cover)
}

// A few histories on the ledger that is shipped, each process with its own
// connections to one file.
func TestSimOnSQLite(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("SQLite is many times slower under the race detector")
	}
	simRange(t, *simFirst, 20, newSimCover(), true)
}

// simRange runs the histories of so many seeds, and reports those that do not
// hold. What it keeps does not grow with their number.
func simRange(t *testing.T, first uint64, histories int, cover *simCover, sqlite bool) {
	t.Helper()
	var next atomic.Uint64
	next.Store(first)
	last := first + uint64(max(histories, 0))
	var workers sync.WaitGroup
	for range *simWorkers {
		workers.Go(func() {
			for seed := next.Add(1) - 1; seed < last && !cover.enough(); seed = next.Add(1) - 1 {
				if report := simRun(t, seed, cover, sqlite, nil); report != "" {
					cover.fail(report)
					t.Error(report)
				}
			}
		})
	}
	workers.Wait()
}

// The same seed gives the same history, event by event. Which of several
// goroutines that wake at one moment runs first is not the seed's to say, so a
// history may part from itself: that stays rare.
func TestSimRepeats(t *testing.T) {
	t.Parallel()
	const most = 40
	same := 0
	for seed := *simFirst; seed < *simFirst+most; seed++ {
		var first, second string
		simRun(t, seed, newSimCover(), false, &first)
		simRun(t, seed, newSimCover(), false, &second)
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

// simRun runs one seed and, where wanted, writes its whole history down. What it
// returns says what went wrong.
func simRun(t *testing.T, seed uint64, cover *simCover, sqlite bool, whole *string) (report string) {
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(t, seed, cover, sqlite)
		w.script()
		if !w.broken() {
			w.end()
		}
		w.finish()
		if w.fault.invariant != "" {
			replay := fmt.Sprintf("go test ./intent -run 'TestSim$' -seeds 1 -first %d", seed)
			if sqlite {
				replay += " -sqlite"
			}
			report = fmt.Sprintf("seed %d: invariant %q: %s\nreplay: %s\n%s",
				seed, w.fault.invariant, w.fault.what, replay, w.history(*simLines))
		}
		cover.history(w)
		if whole != nil {
			w.fault.what, w.fault.events = "", 0
			*whole = w.history(1 << 20)
		}
	})
	return report
}

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
	switch k := w.rng.IntN(34); {
	case k < 11:
		w.sweepBy(p, 500_000+n)
	case k < 16:
		p.crash = w.doom()
	case k < 19:
		p.sleepFor = time.Duration(w.rng.Int64N(int64([]time.Duration{10 * time.Second, time.Minute, 40 * time.Hour}[w.rng.IntN(3)])))
		p.sleep = w.doom()
		w.cover.event("process paused")
	case k < 21 && len(live) < 3:
		w.start(false)
	case k < 23:
		w.deafUntil = time.Now().Add(time.Duration(w.rng.Int64N(int64(2 * time.Minute))))
	case k == 23 && !w.full.Load():
		w.fill(true)
	case k < 27 && w.full.Load():
		w.fill(false)
	case k == 27:
		w.backup = w.book.backup()
		w.books = append(w.books, w.backup)
	case k == 28 && w.backup != nil && w.rng.IntN(2) == 0:
		w.another(w.backup, "restored")
		w.backup = nil
	case k == 29 && w.rng.IntN(4) == 0:
		w.another(w.newBook(), "lost")
		w.backup = nil
	case k < 32 && k > 29 && w.jumpy:
		w.jump(w.rng)
	case k == 32:
		w.failing.Store([]string{"before", "after"}[w.rng.IntN(2)])
		w.cover.event("disk error")
	case k == 33 && len(live) > 1:
		w.depart(p)
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
	for _, b := range w.books {
		b.close()
	}
}
