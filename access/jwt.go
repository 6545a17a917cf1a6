package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json" // takes no member twice, nor one in another case
	"github.com/go-jose/go-jose/v4/jwt"

	"counterfoil/intent"
)

// JWTOptions say which JWTs count.
type JWTOptions struct {
	Issuer    string                    // exactly as iss has it
	Audience  string                    // what aud must name
	Keys      Keys                      // the issuer's
	Skew      time.Duration             // by how much clocks may differ
	Principal string                    // the claim that names the principal
	Scope     string                    // the claim that bears the scopes
	Scopes    map[string][]intent.Class // what each allows
	Now       func() time.Time
}

// MaxSkew is by how much clocks may differ at most.
const MaxSkew = time.Minute

// DefaultScopes have one scope for each class.
func DefaultScopes() map[string][]intent.Class {
	scopes := map[string][]intent.Class{}
	for _, c := range []intent.Class{intent.ClassRead, intent.ClassHandoff, intent.ClassReversible, intent.ClassIrreversible} {
		scopes["counterfoil:"+string(c)] = []intent.Class{c}
	}
	return scopes
}

// JWTs are access tokens that an issuer has signed (RFC 9068).
type JWTs struct{ opts JWTOptions }

// NewJWTs checks the options.
func NewJWTs(opts JWTOptions) (*JWTs, error) {
	switch {
	case opts.Issuer == "":
		return nil, errors.New("issuer is missing")
	case opts.Audience == "":
		return nil, errors.New("audience is missing")
	case opts.Principal == "" || opts.Scope == "":
		return nil, errors.New("the claims of the principal and the scopes are missing")
	case opts.Skew < 0 || opts.Skew > MaxSkew:
		return nil, fmt.Errorf("clocks may differ by %v at most", MaxSkew)
	case len(opts.Scopes) == 0:
		return nil, errors.New("scopes are missing: without one, no token could do anything")
	}
	for scope, classes := range opts.Scopes {
		if !isScope(scope) {
			return nil, fmt.Errorf("%q is no scope: it has a character that none may have", scope)
		}
		if len(classes) == 0 {
			return nil, fmt.Errorf("scope %s allows no class", scope)
		}
		for _, c := range classes {
			if err := c.Valid(); err != nil {
				return nil, fmt.Errorf("scope %s: %w", scope, err)
			}
		}
	}
	return &JWTs{opts}, nil
}

// isScope is scope-token of RFC 6749, section 3.3.
func isScope(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '"' || c == '\\' || c > '~' })
}

// Scopes are all that allow something, sorted.
func (j *JWTs) Scopes() []string { return slices.Sorted(maps.Keys(j.opts.Scopes)) }

// algorithms are those by which only the issuer can sign: with a shared secret
// every checker could, and an issuer's public key must never pass for one.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Reads is of Verifier.
func (j *JWTs) Reads(token string) bool { return strings.Count(token, ".") == 2 }

// Verify is of Verifier.
func (j *JWTs) Verify(ctx context.Context, token string) (Principal, error) {
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return Principal{}, refused("is no JWT that was signed by an asymmetric algorithm")
	}
	header := parsed.Headers[0]
	if !isAccessToken(header) {
		return Principal{}, refused("is of a type that is no access token's")
	}
	keys, err := j.opts.Keys.Under(ctx, header.KeyID)
	if err != nil {
		return Principal{}, err
	}
	payload, err := payloadOf(parsed, header, keys)
	if err != nil {
		return Principal{}, err
	}
	var standard jwt.Claims
	var all map[string]any
	if json.Unmarshal(payload, &standard) != nil || json.Unmarshal(payload, &all) != nil {
		return Principal{}, refused("has claims that cannot be read")
	}
	if err := j.holds(standard, all); err != nil {
		return Principal{}, err
	}
	return j.principal(all)
}

// isAccessToken looks at the type that a token claims. Many issuers give plain
// "JWT", or nothing, where RFC 9068 has at+jwt.
func isAccessToken(header jose.Header) bool {
	kind, given := header.ExtraHeaders[jose.HeaderType]
	if !given {
		return true
	}
	text, _ := kind.(string)
	text = strings.TrimPrefix(strings.ToLower(text), "application/")
	return text == "jwt" || text == "at+jwt"
}

// payloadOf is what the issuer has signed.
func payloadOf(token *jwt.JSONWebToken, header jose.Header, keys []jose.JSONWebKey) (payload json.RawMessage, err error) {
	tried := false
	for _, key := range keys {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		tried = true
		if token.Claims(key.Key, &payload) == nil {
			return payload, nil
		}
	}
	if !tried {
		return nil, refused("is signed with a key that the issuer does not have")
	}
	return nil, refused("is not signed by the issuer")
}

// holds checks what a token says of itself, now.
func (j *JWTs) holds(standard jwt.Claims, all map[string]any) error {
	err := standard.ValidateWithLeeway(jwt.Expected{
		Issuer: j.opts.Issuer, AnyAudience: jwt.Audience{j.opts.Audience}, Time: j.opts.Now(),
	}, j.opts.Skew)
	switch {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return refused("is of another issuer")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused("is for another audience")
	case errors.Is(err, jwt.ErrExpired):
		return refused("has expired")
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return refused("is not valid yet")
	case err != nil:
		return refused("does not hold")
	case standard.Expiry == nil:
		return refused("does not say when it expires")
	case all["cnf"] != nil: // RFC 7800: it counts with a proof that is not looked at here
		return refused("counts only with a proof of a key, which is not checked here")
	}
	return nil
}

// jwtPrefix keeps an issuer's subjects apart from the names in the file, which
// have no colon: neither can pass for the other in the ledger.
const jwtPrefix = "jwt:"

// maxSubject bounds a principal's name, in bytes.
const maxSubject = 200

func (j *JWTs) principal(claims map[string]any) (Principal, error) {
	name, _ := claims[j.opts.Principal].(string)
	if name == "" || len(name) > maxSubject || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return Principal{}, refused("does not name a principal")
	}
	p := Principal{Name: jwtPrefix + name}
	for _, scope := range scopesIn(claims[j.opts.Scope]) {
		for _, c := range j.opts.Scopes[scope] {
			if !slices.Contains(p.Classes, c) {
				p.Classes = append(p.Classes, c)
			}
		}
	}
	return p, nil
}

// scopesIn reads a text with spaces (RFC 8693, section 4.2), or a list.
func scopesIn(claim any) []string {
	switch claim := claim.(type) {
	case string:
		return strings.Fields(claim)
	case []any:
		scopes := make([]string, 0, len(claim))
		for _, scope := range claim {
			if text, ok := scope.(string); ok {
				scopes = append(scopes, text)
			}
		}
		return scopes
	}
	return nil
}

// silent is a logger for whoever has none.
func silent(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
