package intent_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"counterfoil/intent"
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

// simCover counts what all histories together have reached.
type simCover struct {
	mu     sync.Mutex
	kinds  [simKinds]map[string]int
	gates  int
	failed []string // in a line each
}

// The kinds of what is reached.
const (
	simTransitions = iota
	simCrashes
	simAnswers
	simSends
	simEvents
	simHistories
	simKinds
)

var simKindNames = [simKinds]string{"transitions", "crashes", "answers", "sends", "events", "histories of the table"}

func newSimCover() *simCover {
	c := &simCover{}
	for i := range c.kinds {
		c.kinds[i] = map[string]int{}
	}
	return c
}

// mostSimFailures is how many failing histories are shown.
const mostSimFailures = 5

func (c *simCover) enough() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.failed) >= mostSimFailures && !*simProof
}

// fail remembers a history that does not hold, and says so at once: a long run is
// worth ending early.
func (c *simCover) fail(report string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, _, _ := strings.Cut(report, "\n")
	c.failed = append(c.failed, line)
	if *simProof {
		fmt.Fprintln(os.Stderr, line)
	}
}

func (c *simCover) count(kind int, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kinds[kind][what]++
}

func (c *simCover) transition(from, to string) { c.count(simTransitions, from+" > "+to) }
func (c *simCover) crash(at string)            { c.count(simCrashes, at) }
func (c *simCover) send(fault string)          { c.count(simSends, fault) }
func (c *simCover) event(what string)          { c.count(simEvents, what) }
func (c *simCover) row(n int)                  { c.count(simHistories, simNth(n)) }
func (c *simCover) answer(r intent.Result) {
	c.count(simAnswers, strings.TrimSpace(string(r.Outcome)+" "+string(r.Reason)))
}

func (c *simCover) history(w *simWorld) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gates += w.sched.steps
}

// simEnough and simMany are after how many histories all must have been
// reached, and what is reached rarely as well.
const (
	simEnough = 2_000
	simMany   = 100_000
)

// simMust is all that has to be reached, by kind; a + marks what is reached
// rarely.
func simMust() (must [simKinds][]string) {
	for from, all := range simLegal {
		for _, to := range all {
			bare, rare := simRarely(to)
			must[simTransitions] = append(must[simTransitions], strings.Repeat("+", bit(rare))+from+" > "+bare)
		}
	}
	must[simCrashes] = simGates
	must[simAnswers] = simMustAnswer
	must[simSends] = append([]string{"as it should"}, simFaults...)
	must[simEvents] = []string{
		"clock set forward", "clock set back", "disk full", "disk error", "ledger lost", "ledger restored",
		"process paused", "process leaves", "by hand", "by hand under our key",
		"done: issue_refund", "done: send_replacement", "done: message_seller", "done: reply_to_buyer", "done: book_pickup",
		"done: cancel_pickup", "done: escalate_to_human", "kept back by another tool",
		"person: approve", "person: decline", "person: resolve", "person: release", "person: reopen", "person: allow-repeat",
	}
	for _, cause := range simCauses {
		rare := cause == intent.CauseFigures || cause == intent.CauseSecondEffect
		must[simEvents] = append(must[simEvents], strings.Repeat("+", bit(rare))+"told: "+string(cause))
	}
	for _, row := range simTable {
		if row.reached {
			must[simHistories] = append(must[simHistories], strings.Repeat("+", bit(row.rare))+simNth(row.n))
		}
	}
	return must
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// simMustAnswer are the answers that the engine gives. The others of the list
// of reasons come before the engine (the schema's), are not built (switches and
// caps), or are faults of ours.
var simMustAnswer = []string{
	"performed", "already_performed",
	"not_performed unknown_id", "not_performed not_on_ticket", "not_performed exceeds_paid", "not_performed acknowledge_earlier",
	"not_performed blocked_by_open", "not_performed approval_required", "not_performed declined",
	"not_performed authority_unreachable", "not_performed not_sent", "not_performed absent_after_lookup",
	"not_performed refused_by_authority", "not_performed repeat_not_allowed", "not_performed cancelled",
	"not_performed ledger_unavailable",
	"unknown attempts_exhausted", "unknown lookup_unavailable", "unknown lookup_too_weak", "unknown in_flight",
	"unknown mismatch_at_authority", "unknown queued_for_delivery",
}

// simCauses are why a person is told.
var simCauses = []intent.Cause{
	intent.CauseHandoff, intent.CauseUnknown, intent.CauseApproval, intent.CauseRefused, intent.CauseRepeat,
	intent.CauseLateLanding, intent.CauseLateFailure, intent.CauseSecondEffect, intent.CauseStillUnknown, intent.CauseFigures,
}

// missing is what a run of so many histories ought to have reached and has not.
func (c *simCover) missing(histories int) (missing []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for kind, must := range simMust() {
		for _, what := range must {
			bare, rare := simRarely(what)
			if histories < simEnough || rare && histories < simMany {
				continue
			}
			if c.kinds[kind][bare] == 0 {
				missing = append(missing, simKindNames[kind]+": "+bare)
			}
		}
	}
	slices.Sort(missing)
	return missing
}

func (c *simCover) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d gates passed\n", c.gates)
	for kind, counts := range c.kinds {
		fmt.Fprintf(&b, "%s (%d):\n", simKindNames[kind], len(counts))
		for _, k := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "  %7d %s\n", counts[k], k)
		}
	}
	return b.String()
}
