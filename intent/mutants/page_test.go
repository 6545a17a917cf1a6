package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	page     = "docs/PROOF.md"
	pageFrom = "<!-- generated: go test ./intent/mutants -timeout 60m -kill -update -->\n"
	pageTo   = "<!-- end -->\n"
	pageHead = "\n| the mistake | killed by | invariant |\n| --- | --- | --- |\n"
)

// numbers are the invariants of the page, by the simulation's word for them.
var numbers = map[string]int{
	"once": 1, "leave": 1, "true": 2, "attempts": 2, "owner": 2, "shape": 2, "budget": 2,
	"stable": 3, "legal": 3, "lost": 4, "live": 5, "sums": 6, "siblings": 6, "told": 7,
}

// invariant is a word with its number on the page.
func invariant(word string) string {
	if n, ok := numbers[word]; ok {
		return fmt.Sprintf("%s (%d)", word, n)
	}
	return word
}

// split is the page before the table, the table, and the rest.
func split(t *testing.T) (before, table, after string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, page))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), pageFrom)
	table, after, ended := strings.Cut(rest, pageTo)
	if !ok || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	return before, table, after
}

// rows are the rows of a table, by what they say of the mistake.
func rows(t *testing.T, table string) (says []string, row map[string]string) {
	t.Helper()
	row = map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(strings.TrimPrefix(table, pageHead))) {
		line = strings.TrimSpace(line)
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			t.Errorf("%s: %q is no row of the table", page, line)
			continue
		}
		said := strings.TrimPrefix(cells[0], "| ")
		says, row[said] = append(says, said), line
	}
	return says, row
}

// writeTable writes the rows of the mutants that were killed now; those of the
// others stay as they are.
func writeTable(t *testing.T, deaths map[string]death) {
	t.Helper()
	before, table, after := split(t)
	var old map[string]string
	if table != "" {
		_, old = rows(t, table)
	}
	var text strings.Builder
	text.WriteString(before + pageFrom + pageHead)
	for _, m := range mutants() {
		row := old[m.says]
		if d, killed := deaths[m.name]; killed {
			row = fmt.Sprintf("| %s | %s | %s |", m.says, d.by, invariant(d.invariant))
		}
		if row == "" {
			t.Errorf("%s has no row yet: run it too", m.name)
			continue
		}
		text.WriteString(row + "\n")
	}
	text.WriteString("\n" + pageTo + after)
	if err := os.WriteFile(filepath.Join(module, page), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page has a row for each mutant, and no other. At which seed one dies is
// as of the last -update: another draw in the simulation moves it.
func TestMutantsPage(t *testing.T) {
	t.Parallel()
	_, table, _ := split(t)
	if !strings.HasPrefix(table, pageHead) {
		t.Fatalf("%s: the table does not begin as it should", page)
	}
	got, _ := rows(t, table)
	var want []string
	for _, m := range mutants() {
		want = append(want, m.says)
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s is not the table of mutants: go test ./intent/mutants -timeout 60m -kill -update\ngot:\n%s\nwant:\n%s", page, g, w)
	}
}
