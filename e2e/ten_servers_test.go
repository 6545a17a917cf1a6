//go:build unix

package e2e_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	tenServers   = 10
	writesEach   = 100
	ticketsOfTen = 45 // 270 acts, so that about four servers are asked for each
)

// TestTenServers, unless a case has played it.
func TestTenServers(t *testing.T) {
	begins(t)
	playOnce(t, t.Name(), tenServersAnswer)
}

func TestTenServersOfWhichFiveDie(t *testing.T) {
	begins(t)
	playOnce(t, t.Name(), tenServersOfWhichFiveDie)
}

// Ten desktops on one ledger, a hundred writes each, mostly of what others ask
// for at the same time: everybody is answered in time, nothing acts twice, and
// the -wal stays small.
func tenServersAnswer(t *testing.T) {
	t.Helper()
	b := newBusy(t)
	b.run(nil)
	if len(b.notes.heard) != tenServers*writesEach {
		t.Errorf("%d answers, want %d", len(b.notes.heard), tenServers*writesEach)
	}
	for _, h := range b.notes.heard {
		if !h.done() {
			t.Errorf("not done, though nothing went wrong: %s", h.text)
		}
	}
	b.check()
}

// Five of them are killed on the way. Those that live answer as before, and
// whoever asks next for what the dead had begun is told the truth.
func tenServersOfWhichFiveDie(t *testing.T) {
	t.Helper()
	b := newBusy(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	b.run(func(i int) (kill bool, at int) { return i%2 == 0, rng.IntN(writesEach / 2) })
	if b.died != tenServers/2 {
		t.Errorf("%d servers died, want half of them", b.died)
	}
	b.check()
}

// busy is one ledger with ten servers on it.
type busy struct {
	*world
	acts  []act
	notes notes
	mu    sync.Mutex
	took  []time.Duration
	died  int
}

func newBusy(t *testing.T) *busy {
	t.Helper()
	b := &busy{world: newWorld(t, build(t, ""), promptly)}
	b.flags = []string{"--provider-timeout", "5s", "--answer-within", "20s"}
	b.acts = slices.DeleteFunc(b.world.acts(ticketsOfTen), func(a act) bool { return a.cancels })
	return b
}

// run has every server make its calls, and kills those that dies names while
// they make one.
func (b *busy) run(dies func(i int) (kill bool, at int)) {
	b.Helper()
	var servers []*client
	for range tenServers {
		servers = append(servers, b.serve())
	}
	stop, watched := make(chan struct{}), make(chan int64)
	wal := b.ledger() + "-wal"
	go func() { watched <- b.watch(wal, stop) }()
	var callers sync.WaitGroup
	for i, c := range servers {
		kill, at := false, 0
		if dies != nil {
			kill, at = dies(i)
		}
		callers.Go(func() { b.calls(c, i, kill, at) })
	}
	callers.Wait()
	close(stop)
	b.report(<-watched)
	for _, c := range servers {
		if !isClosed(c.gone) {
			c.close()
		}
	}
}

// calls makes one server's calls, in an order in which its neighbours ask for
// much the same at much the same time.
func (b *busy) calls(c *client, i int, dies bool, at int) {
	for n := range writesEach {
		a := b.acts[(i*17+n)%len(b.acts)]
		began := time.Now()
		if dies && n == at {
			time.AfterFunc(time.Duration(rand.Int64N(int64(10*time.Millisecond))), func() { _ = c.cmd.Process.Kill() })
		}
		heard, err := c.obey(a.tool, a.args)
		if dies && n >= at && errors.Is(err, errGone) {
			b.mu.Lock()
			b.died++
			b.mu.Unlock()
			return
		}
		b.mu.Lock()
		b.took = append(b.took, time.Since(began))
		b.mu.Unlock()
		b.notes.take(a, began, heard, err)
	}
}

// watch is the largest size of a file until stop. Only its size is looked at:
// nothing is opened.
func (b *busy) watch(path string, stop <-chan struct{}) (largest int64) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !isClosed(stop) {
		<-look.C
		info, err := os.Stat(path)
		if err == nil {
			largest = max(largest, info.Size())
		} else if !errors.Is(err, fs.ErrNotExist) {
			b.Error(err)
		}
	}
	return largest
}

// walBound is what a -wal that is moved into the file every thousand pages may
// grow to while others read: two times four MiB.
const walBound = 8 << 20

func (b *busy) report(wal int64) {
	slices.Sort(b.took)
	at := func(percent int) time.Duration {
		return b.took[(len(b.took)-1)*percent/100].Round(100 * time.Microsecond)
	}
	b.Log(append([]any{
		len(b.took), "answers:", fmt.Sprintf("p50 %v, p99 %v, longest %v; -wal up to %.1f MiB;", at(50), at(99), at(100), float64(wal)/(1<<20)),
	}, outcomes(b.notes.tally())...)...)
	if longest := at(100); longest > 20*time.Second {
		b.Errorf("a call took %v, longer than the answer budget", longest)
	}
	if wal > walBound {
		b.Errorf("the -wal grew to %d bytes, want at most %d", wal, walBound)
	}
}

// check asks for everything once more and holds it all against the books.
func (b *busy) check() {
	b.Helper()
	b.settle()
	last := b.finish(b.acts, &b.notes)
	b.auditLast(last)
	for _, err := range b.notes.wrong {
		b.Error(err)
	}
	b.audit(b.notes.heard)
	effects := 0
	for _, e := range b.effects() {
		if e.Intent != "" {
			effects++
		}
	}
	if effects != len(b.acts) {
		b.Errorf("%d effects of %d acts", effects, len(b.acts))
	}
}
