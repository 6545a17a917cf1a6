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
