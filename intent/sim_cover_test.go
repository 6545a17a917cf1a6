package intent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// simGates are where a process may die or fall asleep by name: the engine's
// points, and the moments just before it touches the world.
var simGates = func() []string {
	gates := []string{"commit", "send", "lookup", "read order", "find"}
	for _, p := range intent.Points() {
		gates = append(gates, string(p))
	}
	return gates
}()

func newSimLedger() *ledgertest.Memory { return ledgertest.NewMemory("sim") }

// simCover counts what all histories together have reached.
type simCover struct {
	mu          sync.Mutex
	transitions map[string]int
	crashes     map[string]int
	answers     map[string]int
	faults      map[string]int
	steps, bad  int
}

func newSimCover() *simCover {
	return &simCover{transitions: map[string]int{}, crashes: map[string]int{}, answers: map[string]int{}, faults: map[string]int{}}
}

// mostSimFailures is how many failing histories are shown.
const mostSimFailures = 5

func (c *simCover) enough() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bad >= mostSimFailures
}

func (c *simCover) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bad++
}

func (c *simCover) count(m map[string]int, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m[what]++
}

func (c *simCover) transition(before, after intent.Row) {
	c.count(c.transitions, simState(before)+" > "+simState(after))
}

func (c *simCover) crash(at string)   { c.count(c.crashes, at) }
func (c *simCover) fault(what string) { c.count(c.faults, "send: "+what) }
func (c *simCover) answer(r intent.Result) {
	c.count(c.answers, strings.TrimSpace(string(r.Outcome)+" "+string(r.Reason)))
}

func (c *simCover) history(w *simWorld) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps += w.sched.steps
}

func (c *simCover) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d gates passed\n", c.steps)
	for _, part := range []struct {
		name   string
		counts map[string]int
	}{{"transitions", c.transitions}, {"crashed at", c.crashes}, {"answers", c.answers}, {"faults", c.faults}} {
		fmt.Fprintf(&b, "%s (%d):\n", part.name, len(part.counts))
		for _, k := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, "  %7d %s\n", part.counts[k], k)
		}
	}
	return b.String()
}
