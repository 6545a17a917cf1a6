package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// module is the root of the module, as seen from this package.
const module = "../.."

// most bounds one run of a test binary: a mutant that hangs has not been killed.
const most = 4 * time.Minute

// bench builds mutants and runs tests against them.
type bench struct{ dir string }

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{dir: t.TempDir()}
}

// death is what killed a mutant.
type death struct {
	by        string // as the table shows it
	invariant string
}

// mustHold runs what is to kill mutants against the tree as it is: where that
// does not pass, a kill means nothing.
func (b *bench) mustHold(t *testing.T, chosen []mutant) {
	t.Helper()
	tests := map[string][]string{}
	for _, m := range chosen {
		if m.simulated() {
			tests["intent"] = append(tests["intent"], simulation)
		}
		if m.test != "" {
			tests[m.pkg()] = append(tests[m.pkg()], m.test)
		}
	}
	for pkg, names := range tests {
		began := time.Now()
		out, err := run(t, pkg, b.build(t, pkg, nil), names...)
		if err != nil {
			t.Fatalf("%s, not mutated: %v\n%s", pkg, err, out)
		}
		t.Logf("%s, not mutated: passes, %v", pkg, time.Since(began).Round(100*time.Millisecond))
	}
}

// simulation is the test that runs histories of a seed each.
const simulation = "TestSim"

// try builds one mutant and looks for what kills it: the simulation, or the test
// that is named. Where neither does, it says who would.
func (b *bench) try(t *testing.T, m mutant) (death, error) {
	t.Helper()
	binary := b.build(t, m.pkg(), m.swaps)
	if m.simulated() {
		out, err := run(t, m.pkg(), binary, simulation)
		if d, killed := violation(out); err != nil && killed {
			return d, nil
		}
		if err != nil && m.test == "" {
			return death{}, fmt.Errorf("the simulation broke off without naming an invariant: %w\n%s", err, tail(out))
		}
	}
	if m.test != "" {
		out, err := run(t, m.pkg(), binary, m.test)
		if failed := failures(out); err != nil && len(failed) > 0 {
			return death{"`" + failed[0] + "`", m.breaks}, nil
		}
	}
	out, err := runAll(t, m.pkg(), binary)
	switch failed := failures(out); {
	case err == nil:
		return death{}, errors.New("it survives")
	case len(failed) == 0:
		return death{}, fmt.Errorf("broke off without a test that fails: %w\n%s", err, tail(out))
	default:
		return death{}, fmt.Errorf("nothing that is named notices it, but %s does", failed[0])
	}
}

// build makes the test binary of a package with the swaps in it. A mutant that
// does not compile fails here: that is no kill.
func (b *bench) build(t *testing.T, pkg string, swaps []swap) string {
	t.Helper()
	replaced, err := mutate(swaps)
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range replaced {
		from, err := filepath.Abs(filepath.Join(module, file))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(b.dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[from] = to
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	listed, binary := filepath.Join(b.dir, "overlay.json"), filepath.Join(b.dir, pkg+".test")
	if err := os.WriteFile(listed, list, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags=-s -w", "-overlay", listed, "-o", binary, "./"+pkg)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

// run runs tests of a package by their names, where go test would.
func run(t *testing.T, pkg, binary string, tests ...string) ([]byte, error) {
	t.Helper()
	args := []string{"-test.run", "^(" + strings.Join(tests, "|") + ")$"}
	if slices.Contains(tests, simulation) {
		args = append(args, "-seeds", strconv.Itoa(*seeds))
	}
	return start(t, pkg, binary, args...)
}

// runAll runs all tests but the simulation until one fails.
func runAll(t *testing.T, pkg, binary string) ([]byte, error) {
	t.Helper()
	return start(t, pkg, binary, "-test.run", ".", "-test.skip", "^TestSim(Repeats)?$", "-test.failfast")
}

func start(t *testing.T, pkg, binary string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, "-test.timeout", most.String())...)
	cmd.Dir = filepath.Join(module, pkg)
	return cmd.CombinedOutput()
}

var violated = regexp.MustCompile(`seed (\d+): invariant "([^"]+)"`)

// violation is the first seed at which the simulation named an invariant.
func violation(out []byte) (d death, ok bool) {
	first := 0
	for _, m := range violated.FindAllSubmatch(out, -1) {
		if seed, err := strconv.Atoi(string(m[1])); err == nil && (!ok || seed < first) {
			first, ok = seed, true
			d = death{by: "the simulation at seed " + strconv.Itoa(seed), invariant: string(m[2])}
		}
	}
	return d, ok
}

var failing = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// failures are the tests that failed, by name.
func failures(out []byte) (names []string) {
	for _, m := range failing.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tail is the end of an output.
func tail(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-40):], []byte("\n")))
}
