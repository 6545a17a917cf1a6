package desktop

import (
	"bytes"
	"strings"
)

// put is the text with the entry: in the place of its table, or at the end,
// behind an empty line. Whether the last line has an end stays as it is.
func (f *tomlFile) put(block string) []byte {
	if len(f.spans) > 0 && !f.spans[0].table {
		f = &tomlFile{text: f.take()}
	}
	newline := newlineOf(f.text)
	ended := len(f.text) == 0 || bytes.HasSuffix(f.text, []byte("\n"))
	if len(f.spans) > 0 {
		splices := []splice{{f.spans[0].from, f.spans[0].to, block}}
		for _, s := range f.spans[1:] {
			splices = append(splices, splice{s.from, s.to, ""})
		}
		if !ended && f.spans[0].to == len(f.text) {
			splices[0].text = strings.TrimSuffix(block, newline)
		}
		return spliced(f.text, splices...)
	}
	switch {
	case len(f.text) == 0:
		return []byte(block)
	case ended:
		return append(bytes.Clone(f.text), newline+block...)
	}
	return append(bytes.Clone(f.text), newline+newline+strings.TrimSuffix(block, newline)...)
}

// take is the text without the entry, and without one empty line before each
// part of it.
func (f *tomlFile) take() []byte {
	var splices []splice
	for _, s := range f.spans {
		from := s.from
		if before := lineStart(f.text, max(0, from-1)); blank(f.text[before:from]) {
			from = before
		}
		if s.to == len(f.text) && !bytes.HasSuffix(f.text, []byte("\n")) {
			from = len(bytes.TrimSuffix(bytes.TrimSuffix(f.text[:from], []byte("\n")), []byte("\r")))
		}
		splices = append(splices, splice{from, s.to, ""})
	}
	return spliced(f.text, splices...)
}
