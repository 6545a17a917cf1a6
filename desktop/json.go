package desktop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonSyntax is JSON, with or without comments and trailing commas.
type jsonSyntax struct {
	parent string // the member of the top level that holds the servers
	plain  bool   // the client reads neither comments nor trailing commas
}

func (j jsonSyntax) insert(text []byte, entry members) (Edit, error) {
	front, text := cutMark(text)
	before := text
	if blank(text) {
		text = []byte("{}" + newlineOf(text))
	}
	f, err := j.parse(text)
	if err != nil {
		return Edit{}, err
	}
	had := f.entry >= 0
	want := valueOf([]byte(flat.value(entry, "")))
	if had && reflect.DeepEqual(f.entryValue(), want) {
		return Edit{Text: slices.Concat(front, before), Had: true}, nil
	}
	after := spliced(text, f.put(entry)...)
	g, err := j.parse(after)
	if err != nil || g.entry < 0 || !reflect.DeepEqual(g.entryValue(), want) || !bytes.Equal(f.others(), g.others()) {
		return Edit{}, errTooFar
	}
	return Edit{Text: slices.Concat(front, after), Had: had}, nil
}

func (j jsonSyntax) remove(text []byte) (Edit, error) {
	front, rest := cutMark(text)
	if blank(rest) {
		return Edit{Text: text}, nil
	}
	f, err := j.parse(rest)
	if err != nil {
		return Edit{}, err
	}
	if f.entry < 0 {
		return Edit{Text: text}, nil
	}
	after := spliced(rest, f.take()...)
	g, err := j.parse(after)
	if err != nil || g.entry >= 0 || !bytes.Equal(f.others(), g.others()) {
		return Edit{}, errTooFar
	}
	return Edit{Text: slices.Concat(front, after), Had: true}, nil
}

// jsonFile is a text taken apart, as far as it matters here.
type jsonFile struct {
	text    []byte
	value   hujson.Value
	root    *hujson.Object
	parent  string
	at      int            // of the parent among the members of the root; -1: none
	servers *hujson.Object // the parent's value
	entry   int            // ours among the servers; -1: none
}

func (j jsonSyntax) parse(text []byte) (*jsonFile, error) {
	if tooDeep(text) {
		return nil, errors.New("not understood: nested more deeply than a configuration is")
	}
	if err := j.fits(text); err != nil {
		return nil, err
	}
	// The library wants a comment in the last line to end.
	value, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		return nil, fmt.Errorf("not understood: %w", discreet(err))
	}
	f := &jsonFile{text: text, value: value, parent: j.parent, at: -1, entry: -1}
	var ok bool
	if f.root, ok = value.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("not understood: %s: the whole must be an object", position(text, value.StartOffset))
	}
	if f.at, err = f.only(f.root, j.parent); err != nil || f.at < 0 {
		return f, err
	}
	holder := f.root.Members[f.at].Value
	if f.servers, ok = holder.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("not understood: %s: %s must be an object", position(text, holder.StartOffset), j.parent)
	}
	f.entry, err = f.only(f.servers, Name)
	return f, err
}

// tooDeep keeps a parser that calls itself from running out of stack, which
// nothing survives. Brackets in strings count as well: there are never so many.
func tooDeep(text []byte) bool {
	const most = 9000 // encoding/json goes to 10,000
	depth := 0
	for _, b := range text {
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > most {
			return true
		}
	}
	return false
}

// fits refuses what the client itself could not read: nothing in the file would
// count, least of all what is put into it.
func (j jsonSyntax) fits(text []byte) error {
	if !j.plain {
		return nil
	}
	var wrong *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); !errors.As(err, &wrong) {
		return nil
	}
	at := position(text, max(0, int(wrong.Offset)-1))
	if _, err := hujson.Parse(append(bytes.Clone(text), '\n')); err == nil {
		return fmt.Errorf("not understood: %s: this client reads neither comments nor trailing commas", at)
	}
	return fmt.Errorf("not understood: %s: %w", at, wrong)
}

var (
	byWhom  = regexp.MustCompile(`^hujson: `)
	literal = regexp.MustCompile(`invalid literal: .*`)
)

// discreet is the library's complaint without what stands in the file, which
// may be a secret.
func discreet(err error) error {
	return errors.New(literal.ReplaceAllString(byWhom.ReplaceAllString(err.Error(), ""), "invalid literal"))
}

// only is where the one member of that name is, or -1. Of two, no one can tell
// which counts.
func (f *jsonFile) only(obj *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range obj.Members {
		switch n, ok := m.Name.Value.(hujson.Literal); {
		case !ok || n.String() != name:
		case found >= 0:
			return -1, fmt.Errorf("not understood: %s: %s is there a second time", position(f.text, m.Name.StartOffset), name)
		default:
			found = i
		}
	}
	return found, nil
}

func (f *jsonFile) entryValue() any {
	return valueOf(f.servers.Members[f.entry].Value.Pack())
}

// valueOf is what a JSON text says, however it is written.
func valueOf(text []byte) (v any) {
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err == nil {
		err = json.Unmarshal(plain, &v)
	}
	if err != nil {
		return err // equal to nothing
	}
	return v
}

// others is all that the file says beside our entry, in order.
func (f *jsonFile) others() []byte {
	all := f.value.Clone()
	root, ok := all.Value.(*hujson.Object)
	if ok && f.at >= 0 {
		servers, isObject := root.Members[f.at].Value.Value.(*hujson.Object)
		if isObject && f.entry >= 0 {
			servers.Members = append(servers.Members[:f.entry], servers.Members[f.entry+1:]...)
		}
		if isObject && len(servers.Members) == 0 {
			root.Members = append(root.Members[:f.at], root.Members[f.at+1:]...)
		}
	}
	all.Minimize()
	return all.Pack()
}
