package intent_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var simProof = flag.Bool("proof", false, "write what this run of TestSim reached into docs/PROOF.md")

const (
	proofPage    = "../docs/PROOF.md"
	proofSection = "<!-- generated: go test ./intent -run 'TestSim$' -seeds 1000000 -timeout 5h -proof -->\n"
)

// simProofPage is where a run is written down; nil: nowhere.
type simProofPage struct {
	t      *testing.T
	commit string // when the run began
}

func newSimProof(t *testing.T) *simProofPage {
	t.Helper()
	if !*simProof {
		return nil
	}
	said, err := exec.CommandContext(t.Context(), "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		t.Fatal(err)
	}
	return &simProofPage{t, strings.TrimSpace(string(said))}
}

// write writes down what a run reached.
func (p *simProofPage) write(histories int, took time.Duration, cover *simCover) {
	if p == nil {
		return
	}
	p.t.Helper()
	page, err := os.ReadFile(proofPage)
	if err != nil {
		p.t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(page), proofSection)
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !begun || !ended {
		p.t.Fatalf("%s has no section for it", proofPage)
	}
	text := before + proofSection + cover.page(p.commit, histories, took) + "<!-- end -->" + after
	if err := os.WriteFile(proofPage, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// held says which histories did not hold. Under mu.
func (c *simCover) held() string {
	if len(c.failed) == 0 {
		return "All held."
	}
	return "These did not hold:\n\n- " + strings.Join(c.failed, "\n- ")
}

// page is what docs/PROOF.md shows of a run.
func (c *simCover) page(commit string, histories int, took time.Duration) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "Commit %s, %s, %s/%s: %d histories from seed %d in %v, %d at a time; %d gates passed. %s\n\n",
		commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, histories, *simFirst, took.Round(time.Second), *simWorkers, c.gates, c.held())
	b.WriteString("How often a row changed from one state (down) to another (across). A change without a number is not legal.\n\n")
	c.transitionsPage(&b)
	for _, kind := range []int{simAnswers, simSends, simCrashes, simEvents} {
		fmt.Fprintf(&b, "\n**%s.** %s.\n", map[int]string{
			simAnswers: "Answers", simSends: "How a send ended", simCrashes: "Where a process was killed", simEvents: "What else happened",
		}[kind], listed(c.kinds[kind]))
	}
	b.WriteString("\n| | history | test | reached |\n| ---: | --- | --- | ---: |\n")
	for _, row := range simTable {
		tests, reached := "", "not in a simulation of the engine"
		for _, name := range strings.Fields(row.tests) {
			tests += " `" + name + "`"
		}
		if row.reached {
			reached = fmt.Sprint(c.kinds[simHistories][simNth(row.n)])
		}
		if tests == "" {
			tests, reached = " "+row.why, ""
		}
		fmt.Fprintf(&b, "| %d | %s |%s | %s |\n", row.n, row.history, tests, reached)
	}
	return b.String()
}

// transitionsPage is the table of transitions, with the states in the order in
// which an intent passes them.
func (c *simCover) transitionsPage(b *strings.Builder) {
	states := []string{
		"none", "queued", "awaiting_approval", "ready", "in_flight", "on_watch", "unknown", "not_performed", "not_performed_for_good", "pending", "performed",
	}
	fmt.Fprintf(b, "| | %s |\n|%s\n", strings.Join(states[1:], " | "), strings.Repeat(" --- |", len(states)))
	for _, from := range states {
		fmt.Fprintf(b, "| %s |", from)
		for _, to := range states[1:] {
			cell := ""
			if n := c.kinds[simTransitions][from+" > "+to]; n > 0 {
				cell = fmt.Sprint(n) + " "
			}
			fmt.Fprintf(b, " %s|", cell)
		}
		b.WriteString("\n")
	}
}

// listed are counts in one line.
func listed(counts map[string]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s %d", what, counts[what]))
	}
	return strings.Join(all, ", ")
}
