package access

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"counterfoil/intent"
)

// Token is one token of the file. Its secret is kept nowhere.
type Token struct {
	ID        string
	Principal Principal
	CreatedAt time.Time
	ExpiresAt time.Time // never, where it is zero
}

// Expired tells whether the token counts no longer.
func (t Token) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// A token reads cf_ID_SECRET. It begins so that it is known for what it is where
// it should not be: in a log, in a repository.
const (
	tokenPrefix = "cf_"
	idBytes     = 5  // 8 characters
	secretBytes = 32 // 256 random bits, 52 characters
	saltBytes   = 16
)

var (
	tokenForm     = regexp.MustCompile(`^cf_([a-z2-7]{8})_([a-z2-7]{52})$`)
	idForm        = regexp.MustCompile(`^[a-z2-7]{8}$`)
	principalForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)
	spelling      = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
)

// entry is a token as the file has it.
type entry struct {
	ID        string         `json:"id"`
	Principal string         `json:"principal"`
	Classes   []intent.Class `json:"classes"`
	Salt      []byte         `json:"salt"`
	SHA256    []byte         `json:"sha256"` // of the salt and the secret
	CreatedAt time.Time      `json:"created_at"`
	ExpiresAt *time.Time     `json:"expires_at,omitempty"` // nil: never
}

func (e entry) token() Token {
	t := Token{ID: e.ID, Principal: Principal{e.Principal, e.Classes}, CreatedAt: e.CreatedAt}
	if e.ExpiresAt != nil {
		t.ExpiresAt = *e.ExpiresAt
	}
	return t
}

// newEntry makes a token. What is returned beside the entry is all of it, and
// is to be shown once.
func newEntry(p Principal, now, expires time.Time) (e entry, token string) {
	id, secret := random(idBytes), random(secretBytes)
	e = entry{
		ID: spelling.EncodeToString(id), Principal: p.Name, Classes: p.Classes,
		Salt: random(saltBytes), CreatedAt: now.UTC().Truncate(time.Second),
	}
	if !expires.IsZero() {
		e.ExpiresAt = new(expires.UTC().Truncate(time.Second))
	}
	spelt := spelling.EncodeToString(secret)
	e.SHA256 = hashed(e.Salt, spelt)
	return e, tokenPrefix + e.ID + "_" + spelt
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never returns an error
	return b
}

// hashed is one pass of SHA-256. A slow hash is for secrets that people choose,
// which can be guessed; 256 random bits cannot, however fast the guessing. The
// salt keeps two files from being compared.
func hashed(salt []byte, secret string) []byte {
	sum := sha256.New()
	sum.Write(salt)
	_, _ = io.WriteString(sum, secret)
	return sum.Sum(nil)
}

// nobody is compared with where an id is not known, so that it takes as long.
var nobody = entry{Salt: make([]byte, saltBytes), SHA256: make([]byte, sha256.Size)}

// bears tells whether a secret is the entry's, in a time that does not depend on
// either.
func (e entry) bears(secret string) bool {
	return subtle.ConstantTimeCompare(hashed(e.Salt, secret), e.SHA256) == 1
}

// document is the whole file.
type document struct {
	Version int     `json:"version"`
	Tokens  []entry `json:"tokens"`
}

const documentVersion = 1

// parseDocument takes a file apart that is right in every part. Half a file, or
// one that says more than this version understands, is not read at all: what is
// not understood might be what takes something away.
func parseDocument(text []byte) ([]entry, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var d document
	if err := dec.Decode(&d); err != nil {
		return nil, fmt.Errorf("it is no file of tokens: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it is no file of tokens: something follows the end")
	}
	if d.Version != documentVersion {
		return nil, fmt.Errorf("it is of version %d, and this program reads version %d", d.Version, documentVersion)
	}
	seen := map[string]bool{}
	for i, e := range d.Tokens {
		if err := e.valid(); err != nil {
			return nil, fmt.Errorf("token %d: %w", i+1, err)
		}
		if seen[e.ID] {
			return nil, fmt.Errorf("token %d: the id %s is there twice", i+1, e.ID)
		}
		seen[e.ID] = true
	}
	return d.Tokens, nil
}

func (e entry) valid() error {
	switch {
	case !idForm.MatchString(e.ID):
		return errors.New("its id has not the form of one")
	case len(e.Salt) < saltBytes || len(e.SHA256) != sha256.Size:
		return errors.New("its salt or its hash is too short")
	case e.CreatedAt.IsZero():
		return errors.New("it does not say when it was made")
	case e.ExpiresAt != nil && e.ExpiresAt.Before(e.CreatedAt):
		return errors.New("it ends before it was made")
	}
	return e.token().Principal.Valid()
}

// Valid reports an error unless p may be named in the file: with a name that has
// no colon, which marks an issuer's, and at least one class.
func (p Principal) Valid() error {
	if !principalForm.MatchString(p.Name) {
		return errors.New("a principal's name has 1 to 64 letters, digits or . _ @ + -, and begins with a letter or digit")
	}
	if len(p.Classes) == 0 {
		return errors.New("a principal needs at least one class")
	}
	for i, c := range p.Classes {
		if err := c.Valid(); err != nil {
			return err
		}
		if slices.Contains(p.Classes[:i], c) {
			return fmt.Errorf("class %s is given twice", c)
		}
	}
	return nil
}
