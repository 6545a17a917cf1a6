package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// object is an effect as the marketplace shows it. Members that its kind does
// not have are left out.
type object struct {
	ID             string `json:"id"`
	OrderID        string `json:"order_id"`
	ItemID         string `json:"item_id"`
	TicketID       string `json:"ticket_id"`
	To             string `json:"to"`
	Text           string `json:"text"`
	Units          []int  `json:"units"`
	Cents          int64  `json:"cents"`
	Currency       string `json:"currency"`
	Date           string `json:"date"`
	Reason         string `json:"reason"`
	Intent         string `json:"intent"`
	CancelIntent   string `json:"cancel_intent"`
	CancelTicketID string `json:"cancel_ticket_id"`
	Status         string `json:"status"`
	CreatedAt      string `json:"created_at"`
	CancelledAt    string `json:"cancelled_at"`
}

var errForeign = errors.New("foreign body")

// strictly decodes a body that is one JSON object with at least these members,
// none of them null. Another one is errForeign, and so is one that says a thing
// twice: the decoder would take the last of several, in whatever case.
func strictly(body []byte, v any, members ...string) error {
	var present map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &present) != nil || !saysOnce(json.NewDecoder(bytes.NewReader(body))) {
		return errForeign
	}
	for _, m := range members {
		if value, ok := present[m]; !ok || bytes.Equal(value, []byte("null")) {
			return errForeign
		}
	}
	if json.Unmarshal(body, v) != nil {
		return errForeign
	}
	return nil
}

// saysOnce reports whether in the next value of valid JSON every object has each
// member once, spelled as the marketplace spells them all: in lower case.
func saysOnce(d *json.Decoder) bool {
	token, err := d.Token()
	open, isDelim := token.(json.Delim)
	if err != nil || !isDelim {
		return err == nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			token, err := d.Token()
			name, _ := token.(string)
			if err != nil || seen[name] || strings.ContainsFunc(name, notLower) {
				return false
			}
			seen[name] = true
		}
		if !saysOnce(d) {
			return false
		}
	}
	_, err = d.Token() // its end
	return err == nil
}

// notLower also holds for letters outside ASCII, two of which fold to an s or a k.
func notLower(r rune) bool { return 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf }

// parseObject reads one effect.
func parseObject(body []byte) (object, error) {
	var o object
	err := strictly(body, &o, "id", "status", "created_at")
	return o, err
}

// instant reads a time as the marketplace writes it.
func instant(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: no time", errForeign)
	}
	return t.UTC(), nil
}

// sameUnits compares units of an order line in any order. None are the only
// one there is.
func sameUnits(a, b []int) bool {
	return slices.Equal(sortedUnits(a), sortedUnits(b))
}

func sortedUnits(units []int) []int {
	if len(units) == 0 {
		return []int{1}
	}
	return slices.Sorted(slices.Values(units))
}
