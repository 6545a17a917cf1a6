package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// decode reads exactly one JSON object with no member that T does not have.
func decode[T any](body []byte) (T, error) {
	var v T
	if !utf8.Valid(body) {
		return v, malformed("the body is not UTF-8")
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return v, malformed("the body must be a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, malformed("the body is not what this operation takes: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return v, malformed("the body has something after its JSON object")
	}
	return v, nil
}

// decodeOptional is decode where a body of no bytes stands for an empty object.
func decodeOptional[T any](body []byte) (T, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	return decode[T](body)
}

// required refuses the first member, of name and value alternating, that is
// missing or blank.
func required(members ...string) error {
	for pair := range slices.Chunk(members, 2) {
		if strings.TrimSpace(pair[1]) == "" {
			return malformed(pair[0] + " is required")
		}
	}
	return nil
}

// checkUnits refuses units that are not distinct numbers from 1 to quantity.
func checkUnits(units []int, quantity int) error {
	seen := map[int]bool{}
	for _, u := range units {
		if u < 1 || u > quantity || seen[u] {
			return invalid("invalid_units", fmt.Sprintf("units must be distinct numbers from 1 to %d", quantity))
		}
		seen[u] = true
	}
	return nil
}

func checkDate(date string) error {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return invalid("invalid_date", "date must be a day as YYYY-MM-DD")
	}
	return nil
}
