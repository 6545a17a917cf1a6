package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"counterfoil/schemas"
)

// What the arguments of one call may take.
const (
	maxBytes = 64 << 10
	maxDepth = 32
)

// strictly refuses what Go's decoder would let pass and another reader would
// read otherwise: a name given twice at any depth, invalid UTF-8, half a
// surrogate pair, NUL, and what is too large or too deep.
func strictly(raw []byte) error {
	switch {
	case len(raw) > maxBytes:
		return &ArgumentError{"the arguments must not be larger than 64 KiB"}
	case !utf8.Valid(raw):
		return &ArgumentError{"the arguments must be valid UTF-8"}
	case !json.Valid(raw):
		return &ArgumentError{"the arguments must be one JSON object"}
	}
	r := &strictReader{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	r.dec.UseNumber()
	return r.value("", 0)
}

// strictReader walks through valid JSON.
type strictReader struct {
	raw []byte
	dec *json.Decoder
}

// value reads the value of the field called at.
func (r *strictReader) value(at string, depth int) error {
	token, err := r.token(at)
	if err != nil {
		return err
	}
	if _, nested := token.(json.Delim); nested && depth == maxDepth {
		return &ArgumentError{fmt.Sprintf("the arguments must not be nested more than %d deep", maxDepth)}
	}
	switch token {
	case json.Delim('{'):
		return r.object(at, depth)
	case json.Delim('['):
		return r.array(at, depth)
	}
	return nil
}

func (r *strictReader) object(at string, depth int) error {
	seen := map[string]bool{}
	for r.dec.More() {
		token, err := r.token(at)
		if err != nil {
			return err
		}
		name, _ := token.(string)
		field := schemas.PlainName(name)
		if at != "" {
			field = at + "." + field
		}
		if seen[name] {
			return &ArgumentError{field + " must not be given twice"}
		}
		seen[name] = true
		if err := r.value(field, depth+1); err != nil {
			return err
		}
	}
	_, err := r.token(at)
	return err
}

func (r *strictReader) array(at string, depth int) error {
	for i := 0; r.dec.More(); i++ {
		if err := r.value(at+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	_, err := r.token(at)
	return err
}

// token reads one token, and holds a string to the rules of text.
func (r *strictReader) token(at string) (json.Token, error) {
	start := r.dec.InputOffset()
	token, err := r.dec.Token()
	if err != nil {
		return nil, &ArgumentError{"the arguments must be one JSON object"}
	}
	text, isText := token.(string)
	if !isText {
		return token, nil
	}
	if at == "" {
		at = "the name of an argument"
	}
	switch {
	case bytes.IndexByte([]byte(text), 0) >= 0:
		return nil, &ArgumentError{at + " must not have a NUL in it"}
	case halfPair(r.raw[start:r.dec.InputOffset()]):
		return nil, &ArgumentError{at + " must not have half a surrogate pair in it"}
	}
	return token, nil
}

// halfPair finds an escaped surrogate that has no partner. written is a valid
// JSON string as written.
func halfPair(written []byte) bool {
	for i := 0; i < len(written); i++ {
		if written[i] != '\\' {
			continue
		}
		unit := escaped(written[i:])
		i++ // past the escape's letter, for it may be a backslash
		if !utf16.IsSurrogate(unit) {
			continue
		}
		i += 4
		if utf16.DecodeRune(unit, escaped(written[i+1:])) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escaped is the code unit that s begins with as \uXXXX, 0 where it does not.
func escaped(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}
