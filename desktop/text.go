package desktop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errTooFar is the last guard of every edit: what was to stay has not.
var errTooFar = errors.New("the change would touch more than the entry of counterfoil: edit this file by hand")

// mark begins some files on Windows; it is no part of their text.
var mark = []byte("\ufeff")

func cutMark(text []byte) (front, rest []byte) {
	if bytes.HasPrefix(text, mark) {
		return text[:len(mark)], text[len(mark):]
	}
	return nil, text
}

// newlineOf is how lines end in the text.
func newlineOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

const white = " \t\r\n"

func blank(text []byte) bool { return len(bytes.Trim(text, white)) == 0 }

// startsLine says whether nothing more comes on the line.
func startsLine(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r")
	return len(rest) > 0 && rest[0] == '\n'
}

// position is a place in a text as people find it.
func position(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// splice puts a text in the place of the bytes from one offset up to another.
type splice struct {
	from, to int
	text     string
}

// spliced is a text with all splices made. They do not overlap; of two at one
// place, the first comes first.
func spliced(text []byte, splices ...splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	done := 0
	for _, s := range splices {
		out.Write(text[done:s.from])
		out.WriteString(s.text)
		done = s.to
	}
	out.Write(text[done:])
	return out.Bytes()
}

// quoted is a string as JSON and TOML both write it.
func quoted(s string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
}

// list is a list of strings as JSON and TOML both write it.
func list(items []string, comma string) string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = quoted(item)
	}
	return "[" + strings.Join(out, comma) + "]"
}
