package sandbox

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// named strips from an id what people put around one: white space, then one
// leading '#'. Case is left to the columns, which compare ASCII letters
// without it.
func named(id string) string {
	return strings.TrimPrefix(strings.TrimSpace(id), "#")
}

// randomID returns the prefix and enough random hexadecimal digits, in capitals
// where the prefix is.
func randomID(prefix string) string {
	id := prefix + randomHex(8)
	if prefix == strings.ToUpper(prefix) {
		return strings.ToUpper(id)
	}
	return id
}

func newAccount() string { return "sandbox-" + randomHex(6) }

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails, by its documentation
	return hex.EncodeToString(b)
}
