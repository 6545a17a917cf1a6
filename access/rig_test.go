package access_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"counterfoil/access"
)

// clock is set by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 17, 14, 32, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Keys are dear to make, and no test changes one.
var (
	rsaKey    = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	otherKey  = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	weakKey   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 1024)) })
	curveKey  = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	edwardKey = sync.OnceValue(func() ed25519.PrivateKey { _, key, err := ed25519.GenerateKey(rand.Reader); return must(key, err) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const (
	issuer   = "https://login.example.com/"
	audience = "https://support.example.com/mcp"
)

// claims are good ones at the clock's time, but for changes; nil takes one out.
func claims(c *clock, changes map[string]any) map[string]any {
	now := c.now()
	all := map[string]any{
		"iss": issuer, "aud": audience, "sub": "agent|7", "scope": "openid counterfoil:read counterfoil:handoff",
		"iat": now.Add(-time.Minute).Unix(), "nbf": now.Add(-time.Minute).Unix(), "exp": now.Add(10 * time.Minute).Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// signed is a JWT.
func signed(t *testing.T, alg jose.SignatureAlgorithm, kid string, key any, claims any, extra ...map[jose.HeaderKey]any) string {
	t.Helper()
	opts := (&jose.SignerOptions{}).WithType("at+jwt")
	if kid != "" {
		opts.WithHeader("kid", kid)
	}
	for _, headers := range extra {
		for name, value := range headers {
			opts.WithHeader(name, value)
		}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// public is a key as a JWKS has it.
func public(kid string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{KeyID: kid, Key: key.Public(), Use: "sig"}
}

// publisher publishes an issuer's keys over real HTTP.
type publisher struct {
	*httptest.Server
	mu    sync.Mutex
	text  []byte
	serve http.HandlerFunc // in place of the keys, where there is one
	asked int
}

func publish(t *testing.T, keys ...jose.JSONWebKey) *publisher {
	t.Helper()
	p := &publisher{}
	p.rotate(keys...)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked++
	text, serve := p.text, p.serve
	p.mu.Unlock()
	if serve != nil {
		serve(w, r)
		return
	}
	_, _ = w.Write(text)
}

func (p *publisher) rotate(keys ...jose.JSONWebKey) {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: append([]jose.JSONWebKey{}, keys...)})
	if err != nil {
		panic(err)
	}
	p.answer(text, nil)
}

// answer has the publisher answer otherwise from now on.
func (p *publisher) answer(text []byte, serve http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.serve = text, serve
}

func (p *publisher) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// jwts are checked with the keys that somebody publishes.
func jwts(t *testing.T, c *clock, p *publisher, changes ...func(*access.JWTOptions)) *access.JWTs {
	t.Helper()
	keys, err := access.NewRemoteKeys(p.URL, c.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := access.JWTOptions{
		Issuer: issuer, Audience: audience, Keys: keys, Skew: time.Minute,
		Principal: "sub", Scope: "scope", Scopes: access.DefaultScopes(), Now: c.now,
	}
	for _, change := range changes {
		change(&opts)
	}
	v, err := access.NewJWTs(opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// why is the reason of a refusal; empty where there was none, "error: …" for
// what could not be found out.
func why(err error) string {
	var no *access.RefusedError
	switch {
	case errors.As(err, &no):
		return no.Why
	case err != nil:
		return "error: " + err.Error()
	}
	return ""
}
