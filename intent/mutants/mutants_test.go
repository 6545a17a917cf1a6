// Package mutants shows that the tests of the engine can fail: each mutant is the
// engine with one plausible mistake in it, and something has to notice. The
// source tree is never touched: a mutant is built with go's -overlay.
package mutants

import (
	"flag"
	"regexp"
	"testing"
	"time"
)

var (
	kill   = flag.Bool("kill", false, "build every mutant and run the tests against it")
	quick  = flag.Bool("quick", false, "with -kill: a few mutants that die early")
	only   = flag.String("only", "", "with -kill: the mutants whose names match this")
	seeds  = flag.Int("seeds", 1000, "with -kill: how many histories a mutant has to survive in the simulation")
	update = flag.Bool("update", false, "with -kill: rewrite the rows of docs/PROOF.md")
)

// mutant is the engine with one mistake in it.
type mutant struct {
	name   string // for -only
	says   string // the mistake, one sentence for a reader
	breaks string // the word of the invariant that it is to break, where a test and not the simulation notices
	swaps  []swap
	test   string // the test that notices, where the simulation does not or is not run
	quick  bool   // it dies within the first histories
}

// swap replaces a piece of source that occurs once in its file.
type swap struct{ file, old, now string }

// pkg is the package whose tests are run beside the simulation.
func (m mutant) pkg() string {
	return m.swaps[0].in()
}

// simulated reports whether the simulation is run against the mutant. It has a
// ledger of its own, and asks little of what the tools decide.
func (m mutant) simulated() bool { return m.pkg() == "intent" }

// mutants are all of them, in the order of the table.
func mutants() []mutant {
	var all []mutant
	for _, part := range [][]mutant{claims, keys, absences, answers, people, scopes, sweeps, words, judgements, ledgers} {
		all = append(all, part...)
	}
	return all
}

// Every mutant is killed, and what kills them passes without a mutation.
func TestKill(t *testing.T) {
	if !*kill {
		t.Skip("takes minutes: -kill")
	}
	chosen := choose(t)
	began := time.Now()
	b := newBench(t)
	b.mustHold(t, chosen)
	deaths := map[string]death{}
	for _, m := range chosen {
		began := time.Now()
		d, err := b.try(t, m)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		deaths[m.name] = d
		t.Logf("%s: killed by %s (%s), %v", m.name, d.by, d.invariant, time.Since(began).Round(100*time.Millisecond))
	}
	t.Logf("%d of %d mutants killed, %v", len(deaths), len(chosen), time.Since(began).Round(time.Second))
	if *update && !t.Failed() {
		writeTable(t, deaths)
	}
}

func choose(t *testing.T) []mutant {
	t.Helper()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	var chosen []mutant
	for _, m := range mutants() {
		if wanted.MatchString(m.name) && (m.quick || !*quick) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		t.Fatalf("no mutant is called %q", *only)
	}
	return chosen
}
