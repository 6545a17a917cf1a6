package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"counterfoil/cli/demo"
	"counterfoil/desktop"
	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/policy"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/schemas"
	"counterfoil/tools"
)

var update = flag.Bool("update", false, "rewrite what is generated in README.md")

// What the README shows of the program is what the program does.
func TestREADME(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(raw)
	for name, make := range map[string]func(*testing.T) string{
		"clients": clientsSection, "demo": demoSection, "tools": toolsSection, "outcomes": outcomesSection, "reasons": reasonsSection,
	} {
		readme = section(t, readme, name, make(t))
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(readme), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(anonymous(string(raw)), anonymous(readme)); diff != "" {
		t.Errorf("README.md is not what the program does now; run go test . -update (-README +now):\n%s", diff)
	}
}

// section puts text between the markers of a generated section.
func section(t *testing.T, readme, name, text string) string {
	t.Helper()
	begin := fmt.Sprintf("<!-- generated: %s (go test . -update) -->\n", name)
	before, rest, found := strings.Cut(readme, begin)
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("README.md has no section %s", name)
	}
	return before + begin + text + "<!-- end -->" + after
}

// anonymous takes out what differs from run to run: ids, keys and times.
func anonymous(text string) string {
	for _, varying := range []string{`re_[0-9a-f]+`, `cf1_[a-z2-7]{52}`, `key [0-9a-f-]{32,36}`, `\d+\.\d\d s `} {
		text = regexp.MustCompile(varying).ReplaceAllString(text, "…")
	}
	return strings.Join(strings.Fields(text), " ") // lines break where ids are longer
}

func demoSection(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	err := demo.Run(t.Context(), demo.Options{Out: &out, Now: time.Now, NewID: uuid.NewString, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return "```text\n" + strings.TrimRight(out.String(), "\n") + "\n```\n"
}

func clientsSection(*testing.T) string {
	var names []string
	for _, c := range desktop.Clients() {
		names = append(names, "`"+c.Name+"`")
	}
	last := len(names) - 1
	return "It knows " + strings.Join(names[:last], ", ") + " and " + names[last] + ".\n"
}

func toolsSection(t *testing.T) string {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	market := *adapter.Offline("sandbox-000000000000", time.Now)
	operations := tools.Operations(market, policy.Default)
	ledger := ledgertest.NewMemory(market.Account).Process("README")
	catalog, err := tools.Catalog(tools.Deps{
		Schemas: set, Market: market, Engine: nil, Operations: operations, Effects: tools.EffectsOf(ledger, market),
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| tool | what it does | class | asking again |\n| --- | --- | --- | --- |\n")
	for _, tool := range catalog {
		class, rule, _ := strings.Cut(tool.Class.RetryRule(), ": ")
		what, _, _ := strings.Cut(tool.Description, " "+strings.ToUpper(class[:1])+class[1:]+":")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", tool.Name, what, class, rule)
	}
	return b.String()
}

func outcomesSection(*testing.T) string {
	var b strings.Builder
	b.WriteString("| outcome | means | retry |\n| --- | --- | --- |\n")
	for _, o := range intent.Outcomes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o, o.Means(), o.Retries())
	}
	return b.String()
}

func reasonsSection(*testing.T) string {
	var b strings.Builder
	b.WriteString("| reason | means |\n| --- | --- |\n")
	for _, r := range intent.Reasons() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r, r.Means())
	}
	return b.String()
}
