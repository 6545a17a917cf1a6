//go:build unix

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func answer(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg && len(args) > 1 {
		ts.Fatalf("usage: [!] answer PATH=VALUE PATH~REGEXP !PATH …; ! takes one")
	}
	text := []byte(ts.ReadFile("stdout"))
	for _, arg := range args {
		got, fits := fit(ts, text, arg)
		if fits == neg {
			ts.Fatalf("answer %s (negated: %v): got %q\n%s", arg, neg, got, text)
		}
	}
}

// fit compares one member with what a script says of it.
func fit(ts *testscript.TestScript, text []byte, arg string) (got string, fits bool) {
	if path, absent := strings.CutPrefix(arg, "!"); absent {
		got, there := member(text, path)
		return got, !there
	}
	at := strings.IndexAny(arg, "=~")
	if at < 0 {
		ts.Fatalf("%q compares nothing", arg)
	}
	got, there := member(text, arg[:at])
	if arg[at] == '~' {
		return got, there && regexp.MustCompile(arg[at+1:]).MatchString(got)
	}
	return got, there && got == arg[at+1:]
}

func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep VAR PATH")
	}
	text := ts.ReadFile("stdout")
	value, there := member([]byte(text), args[1])
	if !there {
		ts.Fatalf("there is no %s in\n%s", args[1], text)
	}
	ts.Setenv(args[0], value)
}

// member finds a member of a JSON text: a string as it reads, anything else as
// its JSON.
func member(text []byte, path string) (value string, there bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var at any
	if decoder.Decode(&at) != nil {
		return "", false
	}
	for step := range strings.SplitSeq(path, ".") {
		if at, there = into(at, step); !there {
			return "", false
		}
	}
	if s, isText := at.(string); isText {
		return s, true
	}
	b, err := json.Marshal(at)
	return string(b), err == nil
}

func into(at any, step string) (next any, there bool) {
	switch v := at.(type) {
	case map[string]any:
		next, there = v[step]
		return next, there
	case []any:
		if step == "len" {
			return len(v), true
		}
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// tally counts the outcomes of the answers since the last one.
func tally(ts *testscript.TestScript, neg bool, args []string) {
	same := len(args) > 0 && args[0] == "same"
	if same {
		args = args[1:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: tally [same] OUTCOME=N …")
	}
	s := stageOf(ts)
	got := map[string]int{}
	for _, text := range s.answers {
		outcome, _ := member(text, "outcome")
		got[outcome]++
		if same && !bytes.Equal(text, s.answers[0]) {
			ts.Fatalf("not the same text:\n%s\n%s", s.answers[0], text)
		}
	}
	want := map[string]int{}
	for _, pair := range args {
		outcome, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		ts.Check(err)
		if n > 0 {
			want[outcome] = n
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		ts.Fatalf("outcomes: got %v, want %v\n%s", got, want, bytes.Join(s.answers, []byte("\n")))
	}
	s.answers = nil
}
