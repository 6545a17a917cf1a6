package tools

import (
	"strings"
	"unicode"
)

// id is an argument that names something at the authority.
type id struct {
	name  string
	value *string
}

// trimIDs trims white space around ids. An id that was left out stays empty; a
// blank one, or one with a control character inside, is an error.
func trimIDs(ids ...id) error {
	for _, id := range ids {
		if *id.value == "" {
			continue
		}
		*id.value = strings.TrimSpace(*id.value)
		if *id.value == "" {
			return &ArgumentError{id.name + " must not be blank"}
		}
		if strings.ContainsFunc(*id.value, unicode.IsControl) {
			return &ArgumentError{id.name + " must not have control characters in it"}
		}
	}
	return nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// unseen are the characters that nobody sees: white space, controls, and what is
// there only to join, shape or fill.
var unseen = []*unicode.RangeTable{
	unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

const blankPattern = '\u2800' // of Braille, with no dot in it

// readable holds a text for a person to having something in it to read.
func readable(name, text string) error {
	for _, r := range text {
		if r != blankPattern && !unicode.In(r, unseen...) {
			return nil
		}
	}
	return &ArgumentError{name + " must have a visible character in it"}
}
