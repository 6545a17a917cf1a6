package intent_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"
)

// simLane is one goroutine that runs engine code: a call, a sweep, a person's
// verb. It stops at every gate until the scheduler lets it go on, so that the
// seed, and not the runtime, decides who comes next.
type simLane struct {
	id   int
	who  string
	proc *simProc
	rng  *rand.Rand
	wake chan struct{}
	at   string // the gate that it waits at

	inner, outer int       // lookups in a row that decided nothing, as the engine counts them
	notBefore    time.Time // see simWorld.align
	bound        time.Duration
	readFrom     time.Time     // when the present run of reads began at the latest
	readSlack    time.Duration // by how much earlier it may have begun
	began        time.Time     // of the call

	noCommitBefore time.Time // likewise, after a commit that the ledger refused

	looked   map[string]simLook // the last answered lookup by intent key
	decided  map[string]int     // the last moment at which this lane learnt of a key
	sent     map[string]bool    // keys that this lane put on the wire
	answered map[string]string  // effects by key that the authority answered this lane with
	deaf     bool               // a lookup of it went wrong at the authority
	slept    bool               // its process was paused meanwhile
	reads    int                // of the authority, that were answered
	again    bool               // it asks for a deliberate repeat
}

// simLook is when a lookup was answered.
type simLook struct {
	seq int
	at  time.Time
}

type simLaneKey struct{}

// simLaneOf is the lane whose context this is; nil outside the simulation.
func simLaneOf(ctx context.Context) *simLane {
	lane, _ := ctx.Value(simLaneKey{}).(*simLane)
	return lane
}

// simSched lets one lane go on at a time.
type simSched struct {
	mu      sync.Mutex
	rng     *rand.Rand
	sticky  float64 // how likely the same lane goes on
	last    *simLane
	waiting []*simLane
	arrived chan struct{}
	lanes   map[string]*simLane // by goroutine
	steps   int
}

// mostSimSteps bounds the gates of one history: more is an engine that spins.
const mostSimSteps = 60000

func newSimSched(rng *rand.Rand) *simSched {
	return &simSched{rng: rng, sticky: 0.9 * rng.Float64(), arrived: make(chan struct{}, 1), lanes: map[string]*simLane{}}
}

// gate stops a lane until it is picked. A lane of a dead process ends here.
func (s *simSched) gate(l *simLane, at string) {
	if l == nil {
		return
	}
	if !l.proc.dead.Load() {
		s.mu.Lock()
		l.at = at
		s.waiting = append(s.waiting, l)
		s.mu.Unlock()
		select {
		case s.arrived <- struct{}{}:
		default:
		}
		<-l.wake
	}
	if l.proc.dead.Load() {
		runtime.Goexit()
	}
}

// goroutine is the id of the calling goroutine: the engine's points carry no
// context by which to tell the lane.
func goroutine() string {
	var buf [40]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	return string(fields[1])
}

// enter makes the calling goroutine a lane's; leave undoes it.
func (s *simSched) enter(l *simLane) (leave func()) {
	id := goroutine()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes[id] = l
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.lanes, id)
	}
}

func (s *simSched) lane() *simLane {
	id := goroutine()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lanes[id]
}

// pick takes a waiting lane whose process is awake, by the seed; the lanes of
// dead processes first.
func (s *simSched) pick(now time.Time) *simLane {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ready []*simLane
	for _, l := range s.waiting {
		if l.proc.dead.Load() || !now.Before(l.proc.asleepUntil) {
			ready = append(ready, l)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	slices.SortFunc(ready, func(a, b *simLane) int { return a.id - b.id })
	picked := ready[s.rng.IntN(len(ready))]
	if s.last != nil && s.rng.Float64() < s.sticky && slices.Contains(ready, s.last) {
		picked = s.last
	}
	s.last = picked
	s.waiting = slices.DeleteFunc(s.waiting, func(l *simLane) bool { return l == picked })
	s.steps++
	return picked
}

// nextWake is when the next sleeping process wakes; zero: none sleeps.
func (s *simSched) nextWake(now time.Time) (next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.waiting {
		if at := l.proc.asleepUntil; at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// runUntil lets lanes go on, one at a time, until the time has come and none is
// ready, or until stop says so.
func (w *simWorld) runUntil(until time.Time, stop func() bool) {
	for {
		synctest.Wait()
		now := time.Now()
		if w.broken() || stop != nil && stop() {
			return
		}
		if l := w.sched.pick(now); l != nil {
			w.step(l)
			continue
		}
		if w.sched.steps > mostSimSteps {
			w.violate("live", "the engine spins: %d steps", w.sched.steps)
			return
		}
		if !now.Before(until) {
			return
		}
		rest := until.Sub(now)
		if wake := w.sched.nextWake(now); !wake.IsZero() && wake.Before(until) {
			rest = wake.Sub(now)
		}
		timer := time.NewTimer(rest)
		select {
		case <-w.sched.arrived:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// drain lets every lane come to its end once all processes are dead.
func (w *simWorld) drain(until time.Time) {
	for time.Now().Before(until) {
		synctest.Wait()
		if l := w.sched.pick(time.Now()); l != nil {
			l.wake <- struct{}{}
			continue
		}
		if w.threads.Load() == 0 {
			return
		}
		timer := time.NewTimer(time.Hour)
		select {
		case <-w.sched.arrived:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// step lets one lane go on, unless its process is to die or to sleep here.
func (w *simWorld) step(l *simLane) {
	p := l.proc
	switch {
	case p.dead.Load():
	case p.crash.due(l.at):
		w.cover.crash(l.at)
		w.seeDeath()
		w.logf(l, "CRASH at %s", l.at)
		w.kill(p)
	case p.sleep.due(l.at):
		w.logf(l, "%s sleeps %v at %s", p.owner, p.sleepFor, l.at)
		w.putToSleep(p)
		w.sched.requeue(l)
		return
	}
	l.wake <- struct{}{}
}

func (s *simSched) requeue(l *simLane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, l)
}

// simDoom is a planned event in the life of a process: at a named gate, or
// after a number of gates.
type simDoom struct {
	at string
	in int
}

func (d *simDoom) due(gate string) bool {
	switch {
	case d.at != "":
		if d.at != gate {
			return false
		}
	case d.in > 1:
		d.in--
		return false
	case d.in == 0:
		return false
	}
	*d = simDoom{}
	return true
}

// lane makes a lane whose draws depend on its name alone.
func (w *simWorld) lane(id int, who string, p *simProc) *simLane {
	return &simLane{
		id: id, who: who + "/" + p.owner, proc: p, wake: make(chan struct{}),
		rng:    rand.New(rand.NewPCG(w.seed, uint64(id)*7919+11)),
		looked: map[string]simLook{}, decided: map[string]int{}, sent: map[string]bool{}, answered: map[string]string{},
	}
}

// run runs engine code in a lane and reports whether it came to its end.
func (w *simWorld) run(l *simLane, f func(ctx context.Context)) bool {
	ended := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer w.sched.enter(l)()
		w.sched.gate(l, "begin")
		f(context.WithValue(w.ctx, simLaneKey{}, l))
		ended = true
	}()
	<-done
	return ended
}

func simNth(n int) string { return strconv.Itoa(n) }
