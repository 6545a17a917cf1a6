package desktop

import "strings"

// layout is how a JSON text is written.
type layout struct {
	newline string
	unit    string // one step of indentation
	colon   string
	comma   string
	oneLine bool // objects stay on their line
}

var flat = layout{newline: "\n", unit: "  ", colon: ": ", comma: ", ", oneLine: true}

// layout is how the text is written where it shows; else as most are.
func (f *jsonFile) layout() layout {
	look := flat
	look.newline, look.oneLine = newlineOf(f.text), false
	if len(f.root.Members) == 0 {
		return look
	}
	first := f.root.Members[0]
	if unit, oneLine := lineIndent(first.Name.BeforeExtra); !oneLine && unit != "" {
		look.unit = unit
	}
	if len(first.Value.BeforeExtra) == 0 {
		look.colon, look.comma = ":", ","
	}
	return look
}

// value writes a value; its first line begins where the caller is, the others
// at the indentation.
func (l layout) value(v any, indent string) string {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case []string:
		return list(v, l.comma)
	case members:
		return l.object(v, indent)
	}
	return "null" // a member's value is nothing else
}

func (l layout) object(ms members, indent string) string {
	inner, separator, end := indent+l.unit, ","+l.newline+indent+l.unit, l.newline+indent
	begin := l.newline + inner
	if l.oneLine {
		begin, separator, end = "", l.comma, ""
	}
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = quoted(m.name) + l.colon + l.value(m.value, inner)
	}
	return "{" + begin + strings.Join(out, separator) + end + "}"
}
