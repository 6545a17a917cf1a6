package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// report is what the page says.
type report struct {
	preface []string
	peers   []*peer
	shared  []shared
	growth  []*growth
}

// about says what was run, and on what.
func (r *report) about(o options) {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(text))[:3], " ")
	}
	versions := []string{runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			switch m.Path {
			case "modernc.org/sqlite", "github.com/dbos-inc/dbos-transact-golang":
				versions = append(versions, m.Path+" "+m.Version)
			}
		}
	}
	if o.postgres != "" {
		if out, err := exec.Command("psql", "-XAtc", "SHOW server_version", o.postgres).Output(); err == nil {
			versions = append(versions, "Postgres "+strings.TrimSpace(string(out)))
		}
	}
	r.preface = []string{
		fmt.Sprintf("%s/%s, %d cores, %s; load when it began: %s.", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), time.Now().UTC().Format("2006-01-02"), load),
		strings.Join(versions, ", ") + ".",
		fmt.Sprintf("%d rounds, in which each contender had %v for each number of callers, in an order drawn anew.", o.rounds, o.period),
	}
}

func (r *report) text() string {
	var b strings.Builder
	b.WriteString(strings.Join(r.preface, "\n") + "\n\n")
	r.tableOfPeers(&b)
	r.ratios(&b)
	r.sharing(&b)
	r.growing(&b)
	return strings.TrimSpace(b.String()) + "\n"
}

func (r *report) tableOfPeers(b *strings.Builder) {
	b.WriteString("| contender | callers | first calls/s | p50 | p99 | p99/p50 | repeats/s | p50 | p99 |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, p := range r.peers {
		for _, callers := range callersMeasured {
			first, repeat := p.of(callers, false), p.of(callers, true)
			if len(first.took) == 0 {
				continue
			}
			fmt.Fprintf(b, "| %s | %d | %.0f | %s | %s | %.1f | ", p.name, callers, first.perSecond(), short(first.at(0.5)), short(first.at(0.99)),
				over(first.at(0.99), first.at(0.5)))
			if len(repeat.took) == 0 {
				b.WriteString("| | |\n")
				continue
			}
			fmt.Fprintf(b, "%.0f | %s | %s |\n", repeat.perSecond(), short(repeat.at(0.5)), short(repeat.at(0.99)))
		}
	}
	b.WriteString("\n")
}

func (r *report) peer(name string) *peer {
	for _, p := range r.peers {
		if p.name == name {
			return p
		}
	}
	return nil
}

// ratios are what travels to other machines.
func (r *report) ratios(b *strings.Builder) {
	own := r.peer("counterfoil")
	if own == nil {
		return
	}
	if floor := r.peer("floor"); floor != nil {
		fmt.Fprintf(b, "- One caller's first call takes %.2f times two syncs (p50).\n", over(own.of(1, false).at(0.5), floor.of(1, false).at(0.5)))
	}
	for _, name := range []string{"plain", "dbos-sqlite", "dbos-postgres"} {
		if p := r.peer(name); p != nil {
			var times []string
			for _, callers := range callersMeasured {
				times = append(times, fmt.Sprintf("%.1f with %d", own.of(callers, false).perSecond()/p.of(callers, false).perSecond(), callers))
			}
			fmt.Fprintf(b, "- First calls a second, times those of %s: %s.\n", name, strings.Join(times, ", "))
		}
	}
	b.WriteString("\n")
}

func (r *report) sharing(b *strings.Builder) {
	if len(r.shared) == 0 {
		return
	}
	var calls []int
	var seconds float64
	var longest time.Duration
	all := 0
	for _, s := range r.shared {
		calls = append(calls, s.Calls)
		all += s.Calls
		seconds = max(seconds, s.Seconds)
		longest = max(longest, s.Longest)
	}
	fmt.Fprintf(b, "%d processes with %d callers each, all on one ledger, for %.0f s: %.0f first calls/s together; ",
		len(r.shared), callersSharing, seconds, float64(all)/seconds)
	fmt.Fprintf(b, "the slowest process made %.2f times the calls of the fastest; p50 %s, p99 %s, the longest call of all %s.\n\n",
		float64(slices.Min(calls))/float64(slices.Max(calls)), short(worst(r.shared, func(s shared) time.Duration { return s.P50 })),
		short(worst(r.shared, func(s shared) time.Duration { return s.P99 })), short(longest))
}

func worst(all []shared, of func(shared) time.Duration) (d time.Duration) {
	for _, s := range all {
		d = max(d, of(s))
	}
	return d
}

func (r *report) growing(b *strings.Builder) {
	if len(r.growth) == 0 {
		return
	}
	b.WriteString("| intents | file | bytes an intent | without texts | one caller's first call, p50 | start to first answer | memory when idle |\n")
	b.WriteString("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, g := range r.growth {
		slices.Sort(g.started)
		fmt.Fprintf(b, "| %d | %.1f MiB | %d | %d | %s | %s | %.1f MiB |\n", g.intents, float64(g.bytes)/(1<<20), g.bytes/g.intents, (g.bytes-g.texts)/g.intents,
			short(g.claims.at(0.5)), short(g.started[len(g.started)/2]), float64(g.resident)/(1<<20))
	}
	small, large := r.growth[0], r.growth[len(r.growth)-1]
	fmt.Fprintf(b, "\nOn the large ledger a first call takes %.2f times what it takes on the small one (p50, one caller, in turn).\n",
		over(large.claims.at(0.5), small.claims.at(0.5)))
}

func over(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// short is a duration in three figures.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return d.Round(10 * time.Nanosecond).String()
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 100*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

const (
	generatedBegins = "<!-- generated: cd bench && go run . -update ../docs/PERFORMANCE.md -->\n"
	generatedEnds   = "<!-- end -->"
)

// rewrite puts the text between the page's two marks.
func rewrite(page, text string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), generatedBegins)
	_, tail, closed := strings.Cut(rest, generatedEnds)
	if !ok || !closed {
		return fmt.Errorf("%s: no part to write anew between %q and %q", page, strings.TrimSpace(generatedBegins), generatedEnds)
	}
	return os.WriteFile(page, []byte(head+generatedBegins+text+generatedEnds+tail), 0o644)
}
