package intent

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"strings"
)

// KeyVersion is the version of the key derivation. A ledger written under
// another version is not written to by this binary.
const KeyVersion = 1

const (
	keyDomain         = "counterfoil/intent/1"
	stepDomain        = "counterfoil/step/1"
	escalationDomain  = "counterfoil/escalation/1"
	fingerprintDomain = "counterfoil/call/1"
	providerDomain    = "counterfoil/provider-key/1"
	keyPrefix         = "cf1_"
)

// ErrNotAKey reports a string that is not an intent key.
var ErrNotAKey = errors.New(`not an intent key: it looks like cf1_ and 52 letters and digits`)

// keyEncoding is RFC 4648 base32 in lower case without padding.
var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Key is the intent key: the SHA-256 of the facts' canonical encoding. The zero
// Key is no intent's.
type Key [sha256.Size]byte

// DeriveKey derives the key of the intent that tool and facts define on account.
func DeriveKey(account, tool string, facts []Fact) Key {
	return sha256.Sum256(canonical(keyDomain, account, tool, facts))
}

// StepKey derives the key of a later step of an act; step counts from 1.
func StepKey(parent Key, step int) Key {
	return sha256.Sum256(canonical(stepDomain, "", "", []Fact{
		{Name: "intent", Value: parent.String()}, IntFact("step", int64(step)),
	}))
}

// EscalationKey derives the key under which a person is told of an intent for
// one cause, however often that cause comes up. A decision of a person ends an
// episode: what comes up after it is told again. Episodes count from 0.
func EscalationKey(subject Key, cause Cause, episode int) Key {
	return sha256.Sum256(canonical(escalationDomain, "", "", []Fact{
		{Name: "intent", Value: subject.String()}, {Name: "cause", Value: string(cause)}, IntFact("episode", int64(episode)),
	}))
}

// String is the key as the outside sees it: ^cf1_[a-z2-7]{52}$.
func (k Key) String() string { return keyPrefix + keyEncoding.EncodeToString(k[:]) }

// IsZero reports whether k is no intent's key.
func (k Key) IsZero() bool { return k == Key{} }

// MarshalText is String, for JSON.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is ParseKey, for JSON.
func (k *Key) UnmarshalText(text []byte) error {
	parsed, err := ParseKey(string(text))
	if err != nil {
		return err
	}
	*k = parsed
	return nil
}

// ParseKey reads a key as String writes it; anything else is ErrNotAKey.
func ParseKey(s string) (Key, error) {
	rest, ok := strings.CutPrefix(s, keyPrefix)
	if !ok {
		return Key{}, ErrNotAKey
	}
	raw, err := keyEncoding.DecodeString(rest)
	if err != nil || len(raw) != sha256.Size {
		return Key{}, ErrNotAKey
	}
	k := Key(raw)
	if k.String() != s { // the last letter has unused bits: one spelling only
		return Key{}, ErrNotAKey
	}
	return k, nil
}

// Fingerprint recognises an exact repeat: a hash of the tool and of what a
// call's arguments say about its facts, before any read.
type Fingerprint [16]byte

// DeriveFingerprint derives the fingerprint of a call from its facts as given.
func DeriveFingerprint(account, tool string, given []Fact) Fingerprint {
	sum := sha256.Sum256(canonical(fingerprintDomain, account, tool, given))
	return Fingerprint(sum[:16])
}

// ProviderKey derives the idempotency key of one attempt ordinal of one step:
// 32 lower-case hex characters, which fit the tightest provider's limit. It is
// deterministic, so that a lost ledger still meets the provider's
// deduplication. A secret, where there is one, makes it an HMAC-SHA-256.
func ProviderKey(secret []byte, key Key, ordinal int, provider, account string, step int) string {
	message := canonical(providerDomain, account, provider, []Fact{
		{Name: "intent", Value: key.String()},
		IntFact("ordinal", int64(ordinal)),
		IntFact("step", int64(step)),
	})
	if len(secret) == 0 {
		sum := sha256.Sum256(message)
		return hex.EncodeToString(sum[:16])
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(message)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Scope names what an intent acts on: a family and the ids, escaped so that two
// different scopes never spell the same.
func Scope(family string, ids ...string) string {
	var b strings.Builder
	b.WriteString(family)
	b.WriteByte(':')
	for i, id := range ids {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(escapeID(id))
	}
	return b.String()
}

var idEscapes = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")

func escapeID(id string) string { return idEscapes.Replace(id) }

func hexSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
