package access_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"counterfoil/access"
	"counterfoil/intent"
)

// Every algorithm by which only an issuer can sign.
func TestJWTAccepted(t *testing.T) {
	t.Parallel()
	c := newClock()
	v := jwts(t, c, publish(t, public("r", rsaKey()), public("e", curveKey()), public("d", edwardKey())))
	want := access.Principal{Name: "jwt:agent|7", Classes: []intent.Class{intent.ClassRead, intent.ClassHandoff}}
	for alg, key := range map[jose.SignatureAlgorithm]any{
		jose.RS256: rsaKey(), jose.RS512: rsaKey(), jose.PS256: rsaKey(), jose.ES256: curveKey(), jose.EdDSA: edwardKey(),
	} {
		kid := map[string]string{"R": "r", "P": "r", "E": "e"}[string(alg)[:1]]
		if alg == jose.EdDSA {
			kid = "d"
		}
		for _, id := range []string{kid, ""} {
			token := signed(t, alg, id, key, claims(c, nil))
			got, err := v.Verify(t.Context(), token)
			if diff := cmp.Diff(want, got); diff != "" || err != nil || !v.Reads(token) {
				t.Errorf("%s, key %q: %v (-want +got):\n%s", alg, id, err, diff)
			}
		}
	}
}

func TestJWTClaims(t *testing.T) {
	t.Parallel()
	c := newClock()
	v := jwts(t, c, publish(t, public("r", rsaKey())))
	at := func(d time.Duration) int64 { return c.now().Add(d).Unix() }
	tests := map[string]struct {
		change map[string]any
		why    string // empty: it counts
	}{
		"as it comes":             {nil, ""},
		"another issuer":          {map[string]any{"iss": "https://evil.example/"}, "is of another issuer"},
		"an issuer alike":         {map[string]any{"iss": strings.TrimSuffix(issuer, "/")}, "is of another issuer"},
		"no issuer":               {map[string]any{"iss": nil}, "is of another issuer"},
		"another audience":        {map[string]any{"aud": "https://other.example/mcp"}, "is for another audience"},
		"audience with a slash":   {map[string]any{"aud": audience + "/"}, "is for another audience"},
		"no audience":             {map[string]any{"aud": nil}, "is for another audience"},
		"an empty audience":       {map[string]any{"aud": []string{}}, "is for another audience"},
		"several audiences":       {map[string]any{"aud": []string{"other", audience}}, ""},
		"an audience of numbers":  {map[string]any{"aud": []int{1}}, "has claims that cannot be read"},
		"expired":                 {map[string]any{"exp": at(-2 * time.Minute)}, "has expired"},
		"expired within the skew": {map[string]any{"exp": at(-time.Minute)}, ""},
		"expired beyond the skew": {map[string]any{"exp": at(-time.Minute - time.Second)}, "has expired"},
		"no exp":                  {map[string]any{"exp": nil}, "does not say when it expires"},
		"exp a text":              {map[string]any{"exp": "tomorrow"}, "has claims that cannot be read"},
		"exp beyond all time":     {map[string]any{"exp": 1e300}, "has claims that cannot be read"},
		"nbf to come":             {map[string]any{"nbf": at(2 * time.Minute)}, "is not valid yet"},
		"nbf within the skew":     {map[string]any{"nbf": at(time.Minute)}, ""},
		"nbf beyond the skew":     {map[string]any{"nbf": at(time.Minute + time.Second)}, "is not valid yet"},
		"no nbf":                  {map[string]any{"nbf": nil, "iat": nil}, ""},
		"issued in the future":    {map[string]any{"iat": at(2 * time.Minute)}, "is not valid yet"},
		"no subject":              {map[string]any{"sub": nil}, "does not name a principal"},
		"an empty subject":        {map[string]any{"sub": ""}, "does not name a principal"},
		"a subject of two lines":  {map[string]any{"sub": "a\nlevel=ERROR"}, "does not name a principal"},
		"a long subject":          {map[string]any{"sub": strings.Repeat("a", 201)}, "does not name a principal"},
		"a subject that is none":  {map[string]any{"sub": 7}, "has claims that cannot be read"},
		"bound to a key":          {map[string]any{"cnf": map[string]any{"jkt": "x"}}, "counts only with a proof of a key, which is not checked here"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := v.Verify(t.Context(), signed(t, jose.RS256, "r", rsaKey(), claims(c, tt.change)))
			if got := why(err); got != tt.why {
				t.Errorf("got %q, want %q", got, tt.why)
			}
		})
	}
}

func TestJWTScopes(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := publish(t, public("r", rsaKey()))
	own := map[string][]intent.Class{"desk": {intent.ClassRead, intent.ClassHandoff}, "money": {intent.ClassIrreversible, intent.ClassRead}}
	tests := map[string]struct {
		claim  string
		scopes map[string][]intent.Class
		value  any
		want   []intent.Class
	}{
		"none":            {"scope", nil, nil, nil},
		"empty":           {"scope", nil, "", nil},
		"others'":         {"scope", nil, "openid profile read counterfoil counterfoil:", nil},
		"of another case": {"scope", nil, "Counterfoil:read", nil},
		"one":             {"scope", nil, "counterfoil:irreversible", []intent.Class{intent.ClassIrreversible}},
		"a list":          {"scope", nil, []any{"counterfoil:read", 7, "counterfoil:read"}, []intent.Class{intent.ClassRead}},
		"a number":        {"scope", nil, 7, nil},
		"in another claim": {
			"scp", nil, []string{"counterfoil:reversible"}, []intent.Class{intent.ClassReversible},
		},
		"mapped":        {"scope", own, "money desk", []intent.Class{intent.ClassIrreversible, intent.ClassRead, intent.ClassHandoff}},
		"not mapped":    {"scope", own, "counterfoil:read", nil},
		"in one string": {"scope", own, "money,desk", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := jwts(t, c, p, func(o *access.JWTOptions) {
				o.Scope = tt.claim
				if tt.scopes != nil {
					o.Scopes = tt.scopes
				}
			})
			got, err := v.Verify(t.Context(), signed(t, jose.RS256, "r", rsaKey(), claims(c, map[string]any{"scope": nil, tt.claim: tt.value})))
			if diff := cmp.Diff(tt.want, got.Classes); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Tokens that somebody else made, or that were tampered with.
func TestJWTForged(t *testing.T) {
	t.Parallel()
	c := newClock()
	v := jwts(t, c, publish(t, public("r", rsaKey()), public("e", curveKey()), public("weak", weakKey()),
		jose.JSONWebKey{KeyID: "seal", Key: otherKey().Public(), Use: "enc"},
		jose.JSONWebKey{KeyID: "bound", Key: otherKey().Public(), Algorithm: "PS256"},
		jose.JSONWebKey{KeyID: "shared", Key: []byte(strings.Repeat("k", 32))},
		jose.JSONWebKey{KeyID: "private", Key: otherKey()},
	))
	good := claims(c, nil)
	spki, err := x509.MarshalPKIXPublicKey(rsaKey().Public())
	if err != nil {
		t.Fatal(err)
	}
	asPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
	token := signed(t, jose.RS256, "r", rsaKey(), good)
	parts := strings.Split(token, ".")
	richer := claims(c, map[string]any{"scope": "counterfoil:irreversible"})
	const noJWT, stranger, unsigned = "is no JWT that was signed by an asymmetric algorithm", "is signed with a key that the issuer does not have", "is not signed by the issuer"
	tests := map[string]struct{ token, why string }{
		"alg none":                      {part(t, map[string]any{"alg": "none", "typ": "JWT"}) + "." + part(t, good) + ".", noJWT},
		"alg None":                      {part(t, map[string]any{"alg": "nOnE", "kid": "r"}) + "." + part(t, good) + "." + parts[2], noJWT},
		"no alg":                        {part(t, map[string]any{"kid": "r"}) + "." + part(t, good) + "." + parts[2], noJWT},
		"HS256 with the public key":     {signed(t, jose.HS256, "r", asPEM, good), noJWT},
		"HS256 with its DER":            {signed(t, jose.HS256, "r", spki, good), noJWT},
		"HS256 with a published secret": {signed(t, jose.HS256, "shared", []byte(strings.Repeat("k", 32)), good), noJWT},
		"an unknown key":                {signed(t, jose.RS256, "x", otherKey(), good), stranger},
		"another's key under the id":    {signed(t, jose.RS256, "r", otherKey(), good), unsigned},
		"another's key, no id":          {signed(t, jose.RS256, "", otherKey(), good), unsigned},
		"an algorithm of another key":   {signed(t, jose.ES256, "r", curveKey(), good), unsigned},
		"a key for encryption":          {signed(t, jose.RS256, "seal", otherKey(), good), stranger},
		"a key for another algorithm":   {signed(t, jose.RS256, "bound", otherKey(), good), stranger},
		"a private key published":       {signed(t, jose.RS256, "private", otherKey(), good), stranger},
		"its own key in the header": {
			signed(t, jose.RS256, "", otherKey(), good, map[jose.HeaderKey]any{"jwk": public("", otherKey())}), unsigned,
		},
		"claims exchanged":    {parts[0] + "." + part(t, richer) + "." + parts[2], unsigned},
		"no signature":        {parts[0] + "." + parts[1] + ".", unsigned},
		"signature cut off":   {token[:len(token)-8], unsigned},
		"header exchanged":    {part(t, map[string]any{"alg": "RS512", "kid": "r"}) + "." + parts[1] + "." + parts[2], unsigned},
		"an unknown crit":     {signed(t, jose.RS256, "r", rsaKey(), good, map[jose.HeaderKey]any{"crit": []string{"exp"}}), unsigned},
		"another type":        {signed(t, jose.RS256, "r", rsaKey(), good, map[jose.HeaderKey]any{"typ": "logout+jwt"}), "is of a type that is no access token's"},
		"a type that is one":  {signed(t, jose.RS256, "r", rsaKey(), good, map[jose.HeaderKey]any{"typ": 7}), "is of a type that is no access token's"},
		"no claims":           {raw(t, `["a"]`), "has claims that cannot be read"},
		"a claim twice":       {raw(t, `{"iss":"`+issuer+`","aud":"`+audience+`","sub":"a","exp":9999999999,"scope":"","scope":"counterfoil:irreversible"}`), "has claims that cannot be read"},
		"a claim in capitals": {raw(t, `{"iss":"`+issuer+`","AUD":"`+audience+`","sub":"a","exp":9999999999}`), "is for another audience"},
		"a weak key":          {signed(t, jose.RS256, "weak", weakKey(), good), stranger},
		"nothing":             {"..", noJWT},
		"no JSON":             {"a.b.c", noJWT},
		"a list":              {part(t, []string{"alg"}) + "." + part(t, good) + "." + parts[2], noJWT},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := v.Verify(t.Context(), tt.token)
			if got := why(err); got != tt.why || p.Name != "" {
				t.Errorf("got %v, %q, want %q", p, got, tt.why)
			}
		})
	}
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Errorf("and the good one: %v", err)
	}
}

// part is one part of a JWT, as anybody can write it.
func part(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// raw is a token whose issuer was made to sign this very text.
func raw(t *testing.T, payload string) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: rsaKey()}, (&jose.SignerOptions{}).WithHeader("kid", "r"))
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestJWTKeysInAFile(t *testing.T) {
	t.Parallel()
	c := newClock()
	path := filepath.Join(t.TempDir(), "keys.json")
	v := jwts(t, c, publish(t), func(o *access.JWTOptions) { o.Keys = access.NewFileKeys(path) })
	token := signed(t, jose.RS256, "r", rsaKey(), claims(c, nil))
	write := func(keys ...jose.JSONWebKey) {
		text, err := json.Marshal(jose.JSONWebKeySet{Keys: append([]jose.JSONWebKey{}, keys...)})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Verify(t.Context(), token); !strings.Contains(why(err), "error: ") {
		t.Errorf("no file: %v", err)
	}
	write(public("r", rsaKey()))
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Errorf("there: %v", err)
	}
	write(public("r", otherKey()))
	if _, err := v.Verify(t.Context(), token); why(err) != "is not signed by the issuer" {
		t.Errorf("exchanged: %v", err)
	}
	write()
	if _, err := v.Verify(t.Context(), token); why(err) != "is signed with a key that the issuer does not have" {
		t.Errorf("withdrawn: %v", err)
	}
	for _, text := range []string{"", "{}", "[]", `{"keys":null}`, `{"keys":[`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(t.Context(), token); !strings.Contains(why(err), "error: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestJWTOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*access.JWTOptions)
		says   string
	}{
		"no issuer":      {func(o *access.JWTOptions) { o.Issuer = "" }, "issuer"},
		"no audience":    {func(o *access.JWTOptions) { o.Audience = "" }, "audience"},
		"much skew":      {func(o *access.JWTOptions) { o.Skew = time.Minute + 1 }, "1m0s at most"},
		"less than none": {func(o *access.JWTOptions) { o.Skew = -1 }, "1m0s at most"},
		"no scopes":      {func(o *access.JWTOptions) { o.Scopes = nil }, "scopes are missing"},
		"no class":       {func(o *access.JWTOptions) { o.Scopes = map[string][]intent.Class{"a": {"all"}} }, "class"},
		"none at all":    {func(o *access.JWTOptions) { o.Scopes = map[string][]intent.Class{"a": {}} }, "allows no class"},
		"no scope":       {func(o *access.JWTOptions) { o.Scopes = map[string][]intent.Class{`a"b`: {intent.ClassRead}} }, "is no scope"},
	}
	for name, tt := range tests {
		opts := access.JWTOptions{Issuer: issuer, Audience: audience, Principal: "sub", Scope: "scope", Scopes: access.DefaultScopes()}
		tt.change(&opts)
		if _, err := access.NewJWTs(opts); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
