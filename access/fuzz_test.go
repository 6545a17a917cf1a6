package access_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"counterfoil/access"
)

// Whatever a file holds, it is refused as a whole, or names principals that may
// be named.
func FuzzTokensFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "tokens.json")
	tokens := access.NewTokens(path, time.Now)
	if _, _, err := tokens.Add(f.Context(), reader, time.Hour); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1,"tokens":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := access.NewTokens(path, time.Now).List()
		seen := map[string]bool{}
		for _, token := range list {
			if err != nil || seen[token.ID] || token.Principal.Valid() != nil {
				t.Errorf("%+v, %v", token, err)
			}
			seen[token.ID] = true
		}
	})
}

// Whatever a header says, nobody comes in by it but with the one token.
func FuzzAuthorization(f *testing.F) {
	c := newClock()
	tokens := access.NewTokens(filepath.Join(f.TempDir(), "tokens.json"), c.now)
	_, text, err := tokens.Add(f.Context(), reader, 0)
	if err != nil {
		f.Fatal(err)
	}
	jwt, err := access.NewJWTs(access.JWTOptions{
		Issuer: issuer, Audience: audience, Keys: access.NewFileKeys(filepath.Join(f.TempDir(), "none")),
		Principal: "sub", Scope: "scope", Scopes: access.DefaultScopes(), Now: c.now,
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, header := range []string{"", "Bearer", "Bearer " + text[:20], "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic YTpi"} {
		f.Add(header)
	}
	g := &access.Gate{Verifiers: []access.Verifier{tokens, jwt}, Required: true}
	f.Fuzz(func(t *testing.T, header string) {
		if resp := passes(t, g, "Authorization: "+header); resp.StatusCode == http.StatusOK {
			t.Errorf("%q lets in", header)
		}
	})
}
