package desktop

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// put are the splices that make the file have the entry.
func (f *jsonFile) put(entry members) []splice {
	look := f.layout()
	top := f.top(look)
	if f.at < 0 {
		return top.add(f.parent, members{{Name, entry}})
	}
	servers := f.below(top)
	if f.entry < 0 {
		return servers.add(Name, entry)
	}
	old := f.servers.Members[f.entry].Value
	return []splice{{old.StartOffset, old.EndOffset, servers.look.value(entry, servers.indent)}}
}

// take are the splices that take the entry out; and with it the parent, where
// it holds nothing else and is where put would have put it.
func (f *jsonFile) take() []splice {
	top := f.top(f.layout())
	servers := f.below(top)
	if servers.empties() && f.at == len(f.root.Members)-1 {
		return top.drop(f.at)
	}
	return servers.drop(f.entry)
}

// block is an object in the text, and how its members are laid out.
type block struct {
	obj        *hujson.Object
	start, end int    // of the text between its braces
	indent     string // before a member
	closing    string // before its brace
	look       layout // of what is put into it
}

func (f *jsonFile) top(look layout) block {
	b := block{obj: f.root, start: f.value.StartOffset + 1, end: f.value.EndOffset - 1, indent: look.unit, look: look}
	return b.asItsMembers()
}

func (f *jsonFile) below(top block) block {
	m := f.root.Members[f.at]
	b := block{obj: f.servers, start: m.Value.StartOffset + 1, end: m.Value.EndOffset - 1, look: top.look}
	b.closing, b.look.oneLine = lineIndent(m.Name.BeforeExtra)
	b.indent = b.closing + b.look.unit
	return b.asItsMembers()
}

// asItsMembers takes the layout from the members that are there already.
func (b block) asItsMembers() block {
	if len(b.obj.Members) > 0 {
		b.indent, b.look.oneLine = lineIndent(b.obj.Members[0].Name.BeforeExtra)
	}
	return b
}

// lineIndent is the white space that a line begins with, given what precedes
// its first word; or that the word begins no line.
func lineIndent(extra []byte) (indent string, oneLine bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return "", true
	}
	line := extra[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), false
}

// add are the splices for a further member, behind the others.
func (b block) add(name string, value any) []splice {
	text := quoted(name) + b.look.colon + b.look.value(value, b.indent)
	tail := b.obj.AfterExtra
	lead := b.look.newline + b.indent
	n := len(b.obj.Members)
	switch {
	case n == 0 && blank(tail) && b.look.oneLine:
		return []splice{{b.start, b.end, text}}
	case n == 0 && blank(tail):
		return []splice{{b.start, b.end, lead + text + b.look.newline + b.closing}}
	case n > 0 && b.look.oneLine && blank(tail):
		lead = b.look.comma[1:]
	}
	at := b.end - len(tail) + settled(tail)
	if n == 0 {
		return []splice{{at, at, lead + text}}
	}
	last := b.obj.Members[n-1].Value
	if last.AfterExtra != nil { // there is a comma already, and it is the habit here
		return []splice{{at, at, lead + text + ","}}
	}
	return []splice{{last.EndOffset, last.EndOffset, ","}, {at, at, lead + text}}
}

// settled is how much of what precedes the closing brace belongs to what is
// there: comments, and the end of the line that they run to.
func settled(tail []byte) int {
	words := bytes.TrimRight(tail, white)
	line := bytes.IndexByte(tail[len(words):], '\n')
	if line < 0 || !runsOn(words) {
		return len(words)
	}
	return len(bytes.TrimSuffix(tail[:len(words)+line], []byte("\r")))
}

// runsOn says whether the last of these comments goes on to the end of its line.
func runsOn(comments []byte) bool {
	for {
		comments = bytes.TrimLeft(comments, white)
		if len(comments) < 2 {
			return false
		}
		end := "*/"
		if comments[1] == '/' {
			end = "\n"
		}
		_, rest, ended := bytes.Cut(comments[2:], []byte(end))
		if !ended {
			return true
		}
		comments = rest
	}
}

// empties says whether nothing is left in the object without its only member.
func (b block) empties() bool {
	if len(b.obj.Members) != 1 {
		return false
	}
	m := b.obj.Members[0]
	return blank(m.Name.BeforeExtra) && blank(m.Value.AfterExtra) && blank(b.obj.AfterExtra)
}

// drop are the splices that take a member out. Comments around it stay.
func (b block) drop(i int) []splice {
	if b.empties() {
		return []splice{{b.start, b.end, ""}}
	}
	m := b.obj.Members[i]
	words := bytes.TrimRight(m.Name.BeforeExtra, white)
	start, end := m.Name.StartOffset, m.Value.EndOffset
	line := start - (len(m.Name.BeforeExtra) - len(words)) // where the white space before it begins
	comma := end + len(m.Value.AfterExtra)
	if i < len(b.obj.Members)-1 {
		next := b.obj.Members[i+1].Name.BeforeExtra
		if startsLine(next) {
			return []splice{{line, end, ""}, {comma, comma + 1, ""}}
		}
		space := len(next) - len(bytes.TrimLeft(next, " \t"))
		return []splice{{start, end, ""}, {comma, comma + 1 + space, ""}}
	}
	if !runsOn(words) || startsLine(b.obj.AfterExtra) {
		start = line
	}
	out := []splice{{start, end, ""}}
	switch {
	case m.Value.AfterExtra != nil:
		return append(out, splice{comma, comma + 1, ""})
	case i > 0:
		before := b.obj.Members[i-1].Value
		comma = before.EndOffset + len(before.AfterExtra)
		return append(out, splice{comma, comma + 1, ""})
	}
	return out
}
