package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"counterfoil/schemas"
)

// ParseKeyValues makes a call's arguments of key=value pairs, split at the
// first '='. The schema's type of a key decides how its value is read: an
// integer, a list of integers as 1,2 or [1,2], else text as it is. An error
// means that a pair is malformed or its key unknown. A value that does not fit
// is handed on as text, so that Decode says what is wrong with it, as it does
// for every other caller.
func ParseKeyValues(schema *schemas.Schema, pairs []string) ([]byte, error) {
	var b strings.Builder
	given := map[string]bool{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || key == "":
			return nil, fmt.Errorf("%q: write key=value", pair)
		case !utf8.ValidString(value):
			return nil, fmt.Errorf("%s: its value is not valid UTF-8", key)
		case given[key]:
			return nil, fmt.Errorf("%s: given twice", key)
		}
		jsonType, known := schema.Type(key)
		if !known {
			return nil, fmt.Errorf("%s: unknown; known are %s", key, strings.Join(schema.Names(), ", "))
		}
		given[key] = true
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(key) + ":" + keyValue(jsonType, schema.ItemType(key), value))
	}
	return []byte("{" + b.String() + "}"), nil
}

// keyValue writes a value as JSON.
func keyValue(jsonType, itemType, value string) string {
	switch jsonType {
	case "integer":
		return number(value)
	case "array":
		return list(itemType, value)
	}
	return quoted(value)
}

// list reads 1,2 and [1,2]; nothing is the empty list.
func list(itemType, value string) string {
	if inner, ok := strings.CutPrefix(value, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			value = inner
		}
	}
	if blank(value) {
		return "[]"
	}
	var entries []string
	for entry := range strings.SplitSeq(value, ",") {
		entries = append(entries, keyValue(itemType, "", strings.TrimSpace(entry)))
	}
	return "[" + strings.Join(entries, ",") + "]"
}

var digits = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func number(value string) string {
	if digits.MatchString(value) {
		return value
	}
	return quoted(value)
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // cannot be: every string can be written
	}
	return string(b)
}
