package access_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"counterfoil/access"
	"counterfoil/intent"
)

// behind is what a gate stands before: it says who came in.
var behind = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	p, named := access.Caller(r.Context())
	name, asked := intent.Principal(r.Context())
	if named != asked || p.Name != name || r.Header.Get("Authorization") != "" {
		http.Error(w, "the ledger would name "+name, http.StatusTeapot)
		return
	}
	_, _ = io.WriteString(w, "in: "+p.Name)
})

// passes sends one request through a gate; headers are "Name: value".
func passes(t *testing.T, g *access.Gate, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://support.example.com/mcp", strings.NewReader(`{}`))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	g.Admit(behind).ServeHTTP(w, r)
	return w.Result()
}

// stub knows one token; its answer to it may be an error.
type stub struct {
	token string
	p     access.Principal
	err   error
}

func (s stub) Reads(token string) bool { return strings.HasPrefix(token, "stub") }

func (s stub) Verify(_ context.Context, token string) (access.Principal, error) {
	if token != s.token {
		return access.Principal{}, &access.RefusedError{Why: "is not known"}
	}
	return s.p, s.err
}

func TestGate(t *testing.T) {
	t.Parallel()
	meta, err := access.NewMetadata(audience, issuer, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	const challenge = `Bearer realm="counterfoil"`
	const oauth = `, scope="a b", resource_metadata="https://support.example.com/.well-known/oauth-protected-resource/mcp"`
	const invalid = challenge + `, error="invalid_token", error_description="the token `
	known := stub{token: "stub-1", p: reader}
	tests := map[string]struct {
		gate    access.Gate
		headers []string
		status  int
		says    string // of the body
		header  string // WWW-Authenticate
	}{
		"known":                          {access.Gate{Required: true}, []string{"Authorization: Bearer stub-1"}, 200, "in: desk-7", ""},
		"in another case":                {access.Gate{Required: true}, []string{"Authorization: bearer stub-1"}, 200, "in: desk-7", ""},
		"none":                           {access.Gate{Required: true}, nil, 401, "a token is needed", challenge},
		"none, with an issuer":           {access.Gate{Required: true, Metadata: meta}, nil, 401, "a token is needed", challenge + oauth},
		"unknown":                        {access.Gate{Required: true}, []string{"Authorization: Bearer stub-2"}, 401, "is not known", invalid + `is not known"`},
		"unknown, with an issuer":        {access.Gate{Required: true, Metadata: meta}, []string{"Authorization: Bearer stub-2"}, 401, "is not known", invalid + `is not known"` + oauth},
		"of no form":                     {access.Gate{Required: true}, []string{"Authorization: Bearer mine"}, 401, "is not known", invalid + `is not known"`},
		"empty":                          {access.Gate{Required: true}, []string{"Authorization: Bearer "}, 401, "is not in one header", invalid + `is not in one header of the form Authorization: Bearer TOKEN"`},
		"an empty header":                {access.Gate{}, []string{"Authorization: "}, 401, "is not in one header", invalid + `is not in one header of the form Authorization: Bearer TOKEN"`},
		"another scheme":                 {access.Gate{}, []string{"Authorization: Basic c3R1Yi0x"}, 401, "is not in one header", invalid + `is not in one header of the form Authorization: Bearer TOKEN"`},
		"twice":                          {access.Gate{}, []string{"Authorization: Bearer stub-1", "Authorization: Bearer stub-1"}, 401, "is not in one header", invalid + `is not in one header of the form Authorization: Bearer TOKEN"`},
		"two in one":                     {access.Gate{}, []string{"Authorization: Bearer stub-1, Bearer stub-1"}, 401, "is not in one header", invalid + `is not in one header of the form Authorization: Bearer TOKEN"`},
		"not required: none":             {access.Gate{}, nil, 200, "in: ", ""},
		"not required: known":            {access.Gate{}, []string{"Authorization: Bearer stub-1"}, 200, "in: desk-7", ""},
		"not required: wrong":            {access.Gate{}, []string{"Authorization: Bearer stub-2"}, 401, "is not known", invalid + `is not known"`},
		"not required: by a proxy":       {access.Gate{}, []string{"X-Forwarded-For: 203.0.113.9"}, 401, "a token is needed", challenge},
		"not required: by two":           {access.Gate{}, []string{"Forwarded: for=203.0.113.9"}, 401, "a token is needed", challenge},
		"not required: a proxy's scheme": {access.Gate{}, []string{"X-Forwarded-Proto: https"}, 401, "a token is needed", challenge},
		"not required: a network's":      {access.Gate{}, []string{"Cf-Connecting-Ip: 203.0.113.9"}, 401, "a token is needed", challenge},
		"not required: for nobody":       {access.Gate{}, []string{"X-Forwarded-For: "}, 401, "a token is needed", challenge},
		"a proxy and a token":            {access.Gate{}, []string{"Via: 1.1 edge", "Authorization: Bearer stub-1"}, 200, "in: desk-7", ""},
		"nothing checks any tokens":      {access.Gate{Required: true, Verifiers: []access.Verifier{}}, []string{"Authorization: Bearer stub-1"}, 401, "is not known", invalid + `is not known"`},
		"no scope of it is ours": {
			access.Gate{Metadata: meta, Verifiers: []access.Verifier{stub{token: "stub-1", p: access.Principal{Name: "x"}}}},
			[]string{"Authorization: Bearer stub-1"},
			403, "allows anything",
			challenge + `, error="insufficient_scope", error_description="no scope of the token allows anything"` + oauth,
		},
		"it cannot be checked": {
			access.Gate{Metadata: meta, Verifiers: []access.Verifier{stub{token: "stub-1", err: errors.New("disk on fire")}}},
			[]string{"Authorization: Bearer stub-1"},
			503, "cannot be checked now", "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := tt.gate
			if g.Verifiers == nil {
				g.Verifiers = []access.Verifier{known}
			}
			resp := passes(t, &g, tt.headers...)
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tt.status || !strings.Contains(string(body), tt.says) || strings.Contains(string(body), "fire") {
				t.Errorf("got %d %s, want %d %s", resp.StatusCode, body, tt.status, tt.says)
			}
			if diff := cmp.Diff(tt.header, resp.Header.Get("WWW-Authenticate")); diff != "" {
				t.Errorf("WWW-Authenticate (-want +got):\n%s", diff)
			}
			if closes := resp.Header.Get("Connection") == "close"; closes != (tt.status != 200) {
				t.Errorf("the connection ends: %v", closes)
			}
			if wait := resp.Header.Get("Retry-After"); (wait != "") != (tt.status == 503) {
				t.Errorf("Retry-After: %q", wait)
			}
		})
	}
}

// A proxy that says nothing of itself often speaks HTTP/1.0.
func TestGateOldHTTP(t *testing.T) {
	t.Parallel()
	gate := &access.Gate{Log: slog.New(slog.DiscardHandler)}
	passed := gate.Admit(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for minor, want := range map[int]int{0: http.StatusUnauthorized, 1: http.StatusOK} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.ProtoMinor = minor
		w := httptest.NewRecorder()
		passed.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("HTTP/1.%d: got %d, want %d", minor, w.Code, want)
		}
	}
}

// No token, right or wrong, and no part of one that is secret, is in the log,
// however much of it is asked for.
func TestGateLogsNoToken(t *testing.T) {
	t.Parallel()
	tokens, c, _ := newTokens(t)
	_, text := add(t, tokens, reader, 0)
	p := publish(t, public("r", rsaKey()))
	keys, err := access.NewRemoteKeys(p.URL, c.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := jwts(t, c, p, func(o *access.JWTOptions) { o.Keys = keys })
	good := signed(t, jose.RS256, "r", rsaKey(), claims(c, nil))
	var log buffer
	g := &access.Gate{
		Verifiers: []access.Verifier{tokens, v}, Required: true,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	given := []string{
		text, text[:len(text)-1] + "2", "cf_aaaaaaaa_" + text[12:], text[12:], good, good[:len(good)-6],
		signed(t, jose.RS256, "x", otherKey(), claims(c, nil)), signed(t, jose.RS256, "r", rsaKey(), claims(c, map[string]any{"scope": ""})),
	}
	for _, token := range given {
		passes(t, g, "Authorization: Bearer "+token)
	}
	for _, token := range given {
		secret := token[max(0, len(token)-40):]
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, log.String())
		}
	}
	for _, line := range []string{"msg=admitted principal=desk-7", `principal=jwt:agent|7`, "is not known", "is not signed by the issuer"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log has no %q:\n%s", line, log.String())
		}
	}
}

// A caller who went away while their token was checked is no fault of ours.
func TestGateCallerGone(t *testing.T) {
	t.Parallel()
	for why, level := range map[error]string{context.Canceled: "INFO", errors.New("disk on fire"): "ERROR"} {
		var log buffer
		passes(t, &access.Gate{Verifiers: []access.Verifier{stub{token: "stub-1", err: why}}, Log: slog.New(slog.NewTextHandler(&log, nil))}, "Authorization: Bearer stub-1")
		if !strings.Contains(log.String(), "level="+level) {
			t.Errorf("%v: %s", why, log.String())
		}
	}
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	tests := []struct{ resource, path, host string }{
		{"https://support.example.com/mcp", "/.well-known/oauth-protected-resource/mcp", "support.example.com"},
		{"https://support.example.com:8443/tools/mcp/", "/.well-known/oauth-protected-resource/tools/mcp", "support.example.com"},
		{"https://support.example.com", "/.well-known/oauth-protected-resource", "support.example.com"},
		{"http://127.0.0.1:8787/mcp", "/.well-known/oauth-protected-resource/mcp", "127.0.0.1"},
	}
	for _, tt := range tests {
		m, err := access.NewMetadata(tt.resource, issuer, []string{"counterfoil:read"})
		if err != nil {
			t.Fatal(err)
		}
		if m.Path() != tt.path || m.Host() != tt.host {
			t.Errorf("%s: at %s, on %s", tt.resource, m.Path(), m.Host())
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, tt.path, nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%d %s, %v", w.Code, w.Body, err)
		}
		want := map[string]any{
			"resource": tt.resource, "authorization_servers": []any{issuer}, "scopes_supported": []any{"counterfoil:read"},
			"bearer_methods_supported": []any{"header"}, "resource_name": "Counterfoil",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		w = httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodPost, tt.path, nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d", w.Code)
		}
	}
	for _, resource := range []string{
		"", "support.example.com/mcp", "http://support.example.com/mcp", "https://support.example.com/mcp?a=b", "https://support.example.com/mcp?",
		"https://support.example.com/mcp#a", "https://support.example.com/a//b", "https://support.example.com/a/../b", "https://support.example.com/{a}", "https://support.example.com/a b",
	} {
		if _, err := access.NewMetadata(resource, issuer, nil); err == nil {
			t.Errorf("%q was taken", resource)
		}
	}
}

func TestPrincipalMay(t *testing.T) {
	t.Parallel()
	if reader.May(intent.ClassHandoff) || !reader.May(intent.ClassRead) || reader.May("") || (access.Principal{}).May(intent.ClassRead) {
		t.Error("a reader may read, and nothing else")
	}
	payer := access.Principal{Classes: []intent.Class{intent.ClassIrreversible}}
	if !payer.May("") || !payer.May("something new") || payer.May(intent.ClassReversible) {
		t.Error("what is no class counts as irreversible")
	}
}
