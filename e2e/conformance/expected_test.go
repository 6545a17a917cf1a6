package conformance_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the table in docs/PROTOCOL.md")

// suites are the runs of the conformance suite in run.sh, with what each may
// find missing.
var suites = []struct{ what, expected string }{
	{"0.1.16 `--suite all`", "expected-0.1.16.yml"},
	{"0.2.0-alpha.12 `--requirements 2026-07-28`", "expected-2026-07-28.yml"},
	{"0.2.0-alpha.12 `--suite pending`", "expected-pending.yml"},
}

// entry is a line that excuses one failure, and says why.
var entry = regexp.MustCompile(`^  - (\S+) # (\S.*)$`)

// Every failure that is expected stands alone, has its reason, and is told in
// docs/PROTOCOL.md.
func TestExpectedFailuresAreDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| suite | finds missing | because |\n| --- | --- | --- |\n")
	for _, suite := range suites {
		missing, reasons := readExpected(t, suite.expected)
		for _, reason := range reasons {
			fmt.Fprintf(&table, "| %s | `%s` | %s |\n", suite.what, strings.Join(missing[reason], "`, `"), reason)
		}
	}
	inProtocol(t, table.String())
}

// readExpected reads what is excused, by reason, and the reasons in order.
func readExpected(t *testing.T, path string) (missing map[string][]string, reasons []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "\nserver:\n")
	if !found {
		t.Fatalf("%s has no list of a server's failures", path)
	}
	missing = make(map[string][]string)
	seen := make(map[string]bool)
	for line := range strings.Lines(list) {
		parts := entry.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if len(parts) != 3 || seen[parts[1]] {
			t.Errorf("%s: %q must be one failure, once, with its reason", path, line)
			continue
		}
		seen[parts[1]] = true
		missing[parts[2]] = append(missing[parts[2]], parts[1])
		if !slices.Contains(reasons, parts[2]) {
			reasons = append(reasons, parts[2])
		}
	}
	return missing, reasons
}

func inProtocol(t *testing.T, section string) {
	t.Helper()
	const path, begin, end = "../../docs/PROTOCOL.md", "<!-- generated: go test ./e2e/conformance -update -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no table of what the conformance suite finds missing", path)
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+section+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case old != section:
		t.Errorf("%s is out of date; run go test ./e2e/conformance -update (-document +now):\n%s", path, cmp.Diff(old, section))
	}
}
