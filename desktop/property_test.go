package desktop_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"counterfoil/desktop"
)

// Put in and taken out again, every file is what it was, to the byte, whatever
// is in it and however it is written; in between, all of its words are there.
func TestRoundTripJSON(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-code", "vscode", "zed"} {
		client := find(t, name)
		g := jsonWriter{parent: map[string]string{"claude-code": "mcpServers", "vscode": "servers", "zed": "context_servers"}[name], comments: name != "claude-code"}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) { roundTrip(r, client, g.file(r)) })
		})
	}
}

func TestRoundTripTOML(t *testing.T) {
	t.Parallel()
	client := find(t, "codex")
	rapid.Check(t, func(r *rapid.T) { roundTrip(r, client, tomlText(r)) })
}

func roundTrip(t *rapid.T, client desktop.Client, before string) {
	t.Logf("before: %q", before)
	with, err := client.Insert([]byte(before), local)
	if err != nil {
		t.Fatalf("insert: %v", err)
	}
	t.Logf("with: %q", with.Text)
	if again, err := client.Insert(with.Text, local); err != nil || !bytes.Equal(again.Text, with.Text) {
		t.Fatalf("inserted again: %q, %v", again.Text, err)
	}
	rest := string(with.Text)
	for word := range strings.FieldsFuncSeq(before, func(r rune) bool { return strings.ContainsRune(" \t\r\n,}", r) }) {
		_, after, found := strings.Cut(rest, word)
		if !found {
			t.Fatalf("%q is no longer there, or not in its order", word)
		}
		rest = after
	}
	other, err := client.Insert(with.Text, there)
	if err != nil || !other.Had || bytes.Equal(other.Text, with.Text) {
		t.Fatalf("replaced: %q, %v", other.Text, err)
	}
	for _, installed := range [][]byte{with.Text, other.Text} {
		without, err := client.Remove(installed)
		if err != nil || !without.Had {
			t.Fatalf("remove: %v, %v", without.Had, err)
		}
		if string(without.Text) != before {
			t.Fatalf("taken out: %q", without.Text)
		}
	}
}

// jsonWriter writes JSON as anybody might. It leaves out what does not come back
// to the byte: an empty object at the top, and an empty one of servers at its
// end (TestNothingThereYet, TestEdits).
type jsonWriter struct {
	parent   string
	comments bool
}

func (g jsonWriter) file(t *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	var out []string
	n := rapid.IntRange(1, 3).Draw(t, "members")
	at := rapid.IntRange(-1, n-1).Draw(t, "parent")
	for i := range n {
		value := g.value(t, 2)
		name := fmt.Sprintf("%q", fmt.Sprint("m", i))
		if i == at {
			name, value = fmt.Sprintf("%q", g.parent), g.servers(t, i == n-1)
		}
		out = append(out, g.member(t, name, value))
	}
	text := g.gap(t) + g.join(t, "{", out, "}") + g.gap(t)
	return strings.ReplaceAll(text, "\n", newline)
}

func (g jsonWriter) servers(t *rapid.T, last bool) string {
	var out []string
	for i := range rapid.IntRange(0, 3).Draw(t, "servers") {
		out = append(out, g.member(t, fmt.Sprintf("%q", fmt.Sprint("s", i)), g.value(t, 1)))
	}
	switch {
	case len(out) > 0:
		return g.join(t, "{", out, "}")
	case !last:
		return "{}"
	}
	return `{"s": {}}`
}

func (g jsonWriter) member(t *rapid.T, name, value string) string {
	return name + g.space(t) + ":" + g.space(t) + value
}

func (g jsonWriter) value(t *rapid.T, depth int) string {
	kind := rapid.SampledFrom([]string{"0", "1.50", `"x"`, "null", `"// }"`, `"\"{"`, "[", "{"}).Draw(t, "kind")
	if kind != "[" && kind != "{" {
		return kind
	}
	if depth == 0 {
		return "true"
	}
	var out []string
	for i := range rapid.IntRange(0, 2).Draw(t, "elements") {
		element := g.value(t, depth-1)
		if kind == "{" {
			element = g.member(t, fmt.Sprintf("%q", fmt.Sprint("k", i)), element)
		}
		out = append(out, element)
	}
	return g.join(t, kind, out, map[string]string{"[": "]", "{": "}"}[kind])
}

// join puts elements between brackets, with whatever may stand around them.
func (g jsonWriter) join(t *rapid.T, begin string, elements []string, end string) string {
	var b strings.Builder
	b.WriteString(begin)
	for i, e := range elements {
		if i > 0 {
			b.WriteString(g.space(t) + ",")
		}
		b.WriteString(g.gap(t) + e)
	}
	b.WriteString(g.gap(t))
	if g.comments && len(elements) > 0 && rapid.Bool().Draw(t, "comma") {
		b.WriteString("," + g.gap(t))
	}
	return b.String() + end
}

// gap is what may stand between two words, lines and comments included.
func (g jsonWriter) gap(t *rapid.T) string {
	gaps := []string{"", " ", "\n", "\n  ", "\n\t\t", "\n\n    ", "  \n  "}
	if g.comments {
		gaps = append(gaps, " // c1\n  ", "\n  // c2 }\n    ", " /* c3 */ ", " /* // c3 */", " /*/ c7 */", "\n/* c4\n */\n  ", " // c5  \n\n// c6\n")
	}
	return rapid.SampledFrom(gaps).Draw(t, "gap")
}

func (g jsonWriter) space(t *rapid.T) string {
	spaces := []string{"", " ", "\n  "}
	if g.comments {
		spaces = append(spaces, " /* s1 */ ", " // s2\n")
	}
	return rapid.SampledFrom(spaces).Draw(t, "space")
}

// tomlText is a file of any lines that may follow each other.
func tomlText(t *rapid.T) string {
	lines := []string{
		"", "", "  ", "# c1", "\t# [mcp_servers.counterfoil]", "k%d = 1", "k%d = \"# x\" # c2", "k%d.a.b = '''\n[mcp_servers.counterfoil]\n'''",
		"k%d = [\n  1, # c3\n]", "[t%d]", "[[l%d]]", "[mcp_servers.s%d]", "[mcp_servers.s%d.env]", "[x%d.mcp_servers.counterfoil]", "k%d = { a = 1 }",
	}
	var b strings.Builder
	for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		if strings.Contains(line, "%d") {
			line = fmt.Sprintf(line, i)
		}
		b.WriteString(line + "\n")
	}
	text := b.String()
	if rapid.Bool().Draw(t, "without the last newline") {
		text = strings.TrimSuffix(text, "\n")
	}
	return strings.ReplaceAll(text, "\n", rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"))
}
