package access

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-jose/go-jose/v4"
)

// Keys are an issuer's public keys.
type Keys interface {
	// Under are the keys of that id, or all where a token names none. There may
	// be none; an error means that they could not be had.
	Under(ctx context.Context, id string) ([]jose.JSONWebKey, error)
	// Count is how many there are now; it fetches them where they are fetched.
	Count(ctx context.Context) (int, error)
}

// minRSA is the least that RFC 7518, section 3.3, allows, in bits.
const minRSA = 2048

// maxKeys bounds how many keys a token without a key's id is tried with.
const maxKeys = 64

// keySet is a JWKS, less what signs nothing for us: symmetric keys, private ones,
// weak ones, those for encryption, and what this library does not know.
type keySet []jose.JSONWebKey

func parseKeys(text []byte) (keySet, error) {
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("it is no JWKS: %w", err)
	}
	if doc.Keys == nil {
		return nil, errors.New("it is no JWKS: it has no keys")
	}
	set := keySet{}
	for _, raw := range doc.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && signs(key) {
			set = append(set, key)
		}
	}
	if len(set) > maxKeys {
		return nil, fmt.Errorf("it holds %d keys, and at most %d are read", len(set), maxKeys)
	}
	return set, nil
}

func signs(key jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	if public, ok := key.Key.(*rsa.PublicKey); ok {
		return public.N.BitLen() >= minRSA
	}
	return true
}

func (s keySet) under(id string) keySet {
	if id == "" {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), func(key jose.JSONWebKey) bool { return key.KeyID != id })
}

// fileKeys are those of a file, read at every check as Tokens are.
type fileKeys struct {
	path string

	mu   sync.Mutex
	text []byte
	set  keySet
}

// NewFileKeys are the keys of a JWKS in a file.
func NewFileKeys(path string) Keys { return &fileKeys{path: path} }

func (k *fileKeys) Under(_ context.Context, id string) ([]jose.JSONWebKey, error) {
	set, err := k.current()
	return set.under(id), err
}

func (k *fileKeys) Count(context.Context) (int, error) {
	set, err := k.current()
	return len(set), err
}

func (k *fileKeys) current() (keySet, error) {
	text, err := readFile(k.path)
	if err == nil && text == nil {
		err = fmt.Errorf("%s is not there", k.path)
	}
	if err != nil {
		return nil, fmt.Errorf("the issuer's keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.set != nil && bytes.Equal(text, k.text) {
		return k.set, nil
	}
	set, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("the issuer's keys: %s: %w", k.path, err)
	}
	k.text, k.set = text, set
	return set, nil
}
