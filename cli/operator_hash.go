package cli

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// hashing is how dear it is to try a secret: RFC 9106, section 4, its second
// recommendation, for machines without memory to spare.
type hashing struct {
	memory uint32 // KiB
	time   uint32
	lanes  uint8
}

var ourHashing = hashing{memory: 64 << 10, time: 3, lanes: 4}

const (
	saltBytes = 16
	hashBytes = 32
)

// The line of the file, as argon2's own tools write it.
const (
	hashPrefix = "$argon2id$v=19$"
	hashForm   = "m=%d,t=%d,p=%d"
)

// errHashForm: the file was not written by us.
var errHashForm = errors.New("it does not hold a hash of argon2id")

// hashOf is a secret's line, under a salt of its own.
func hashOf(secret string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never returns an error
	h := ourHashing
	sum := argon2.IDKey([]byte(secret), salt, h.time, h.memory, h.lanes, hashBytes)
	return hashPrefix + fmt.Sprintf(hashForm, h.memory, h.time, h.lanes) +
		"$" + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(sum)
}

// hashFits reports whether a line is that of the secret. A wrong secret takes as
// long as the right one.
func hashFits(line, secret string) (bool, error) {
	h, salt, want, err := parseHash(line)
	if err != nil {
		return false, err
	}
	got := argon2.IDKey([]byte(secret), salt, h.time, h.memory, h.lanes, hashBytes)
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// parseHash takes what it may cost to be checked with a limit: a file that was
// tampered with is not to take all of the memory.
func parseHash(line string) (h hashing, salt, sum []byte, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), hashPrefix)
	parts := strings.Split(rest, "$")
	if !ok || len(parts) != 3 {
		return h, nil, nil, errHashForm
	}
	if _, err := fmt.Sscanf(parts[0], hashForm, &h.memory, &h.time, &h.lanes); err != nil {
		return h, nil, nil, errHashForm
	}
	if h.memory < 8<<10 || h.memory > 1<<20 || h.time < 1 || h.time > 64 || h.lanes < 1 {
		return h, nil, nil, errHashForm
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[1])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[2])
	if saltErr != nil || sumErr != nil || len(salt) < saltBytes || len(sum) != hashBytes {
		return h, nil, nil, errHashForm
	}
	return h, salt, sum, nil
}
