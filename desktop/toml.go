package desktop

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlSyntax is TOML, with one table for each server.
type tomlSyntax struct {
	parent string // the table that holds the servers'
}

func (t tomlSyntax) insert(text []byte, entry members) (Edit, error) {
	front, rest := cutMark(text)
	f, err := t.parse(rest)
	if err != nil {
		return Edit{}, err
	}
	block := t.table(entry, newlineOf(rest))
	want, err := t.parse([]byte(block))
	if err != nil {
		return Edit{}, errTooFar
	}
	had := f.entry != nil
	if had && reflect.DeepEqual(f.entry, want.entry) {
		return Edit{Text: text, Had: true}, nil
	}
	after := f.put(block)
	g, err := t.parse(after)
	if err != nil || !reflect.DeepEqual(g.entry, want.entry) || !reflect.DeepEqual(f.others, g.others) {
		return Edit{}, errTooFar
	}
	return Edit{Text: slices.Concat(front, after), Had: had}, nil
}

func (t tomlSyntax) remove(text []byte) (Edit, error) {
	front, rest := cutMark(text)
	f, err := t.parse(rest)
	if err != nil {
		return Edit{}, err
	}
	if f.entry == nil {
		return Edit{Text: text}, nil
	}
	after := f.take()
	g, err := t.parse(after)
	if err != nil || g.entry != nil || !reflect.DeepEqual(f.others, g.others) {
		return Edit{}, errTooFar
	}
	return Edit{Text: slices.Concat(front, after), Had: true}, nil
}

// table is the entry as a table of its own.
func (t tomlSyntax) table(entry members, newline string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "[%s.%s]%s", t.parent, Name, newline)
	for _, m := range entry {
		switch v := m.value.(type) {
		case string:
			out.WriteString(m.name + " = " + quoted(v) + newline)
		case []string:
			out.WriteString(m.name + " = " + list(v, ", ") + newline)
		}
	}
	return out.String()
}

// tomlFile is a text taken apart, as far as it matters here.
type tomlFile struct {
	text   []byte
	entry  any            // ours; nil: none
	others map[string]any // all beside it
	spans  []span         // of the lines that make up the entry
}

// span is a run of whole lines.
type span struct {
	from, to int
	table    bool // it begins with the header of the entry itself
}

func (t tomlSyntax) parse(text []byte) (*tomlFile, error) {
	f := &tomlFile{text: text, others: map[string]any{}}
	if err := toml.Unmarshal(text, &f.others); err != nil {
		var wrong *toml.DecodeError
		if errors.As(err, &wrong) {
			line, column := wrong.Position()
			err = fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
		}
		return nil, fmt.Errorf("not understood: %w", err)
	}
	spans, bad := t.find(text)
	if bad >= 0 {
		return nil, fmt.Errorf("not understood: %s: %s must be tables, each under a heading of its own", position(text, bad), t.parent)
	}
	f.spans = spans
	servers, ok := f.others[t.parent].(map[string]any)
	if !ok {
		return f, nil
	}
	f.entry = servers[Name]
	delete(servers, Name)
	if len(servers) == 0 {
		delete(f.others, t.parent)
	}
	return f, nil
}

// find is where the entry is, in whatever form; and where the servers are
// written in a form that cannot be added to, or -1.
func (t tomlSyntax) find(text []byte) (spans []span, bad int) {
	var p unstable.Parser
	p.Reset(text)
	var heading []string
	joined := false // the expression before this one is the entry's too
	for p.NextExpression() {
		e := p.Expression()
		path, from, to := pathOf(e)
		if e.Kind == unstable.KeyValue {
			path = append(heading[:len(heading):len(heading)], path...)
		} else {
			heading = path
		}
		if len(path) == 1 && path[0] == t.parent && e.Kind != unstable.Table {
			return nil, from
		}
		ours := len(path) > 1 && path[0] == t.parent && path[1] == Name
		if ours {
			s := span{lineStart(text, from), lineEnd(text, to), e.Kind == unstable.Table && len(path) == 2}
			if joined {
				spans[len(spans)-1].to = s.to
			} else {
				spans = append(spans, s)
			}
		}
		joined = ours
	}
	return spans, -1
}

// pathOf is an expression's key, and where it begins and ends in the text.
func pathOf(e *unstable.Node) (path []string, from, to int) {
	from = -1
	for it := e.Key(); it.Next(); {
		key := it.Node()
		path = append(path, string(key.Data))
		if from < 0 {
			from = int(key.Raw.Offset)
		}
		to = int(key.Raw.Offset + key.Raw.Length)
	}
	if e.Kind == unstable.KeyValue {
		to = int(e.Raw.Offset + e.Raw.Length)
	}
	return path, from, to
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}
