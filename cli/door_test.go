package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"
)

func bearer(token string) string { return "Authorization: Bearer " + token }

// request is any request to a server; headers are "Name: value".
func (s *httpServer) request(method, path, body string, headers ...string) (status int, header http.Header, answer string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, strings.TrimSuffix(s.url, "/mcp")+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// listed are the tools that a token's bearer is shown.
func (s *httpServer) listed(token string) (names []string) {
	s.t.Helper()
	_, answer := s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bearer(token))
	var reply struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		s.t.Fatalf("%v in %s", err, answer)
	}
	for _, tool := range reply.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

var readTools = []string{"get_order", "get_ticket", "list_effects", "search_procedures"}

// Others can reach it, so that it starts only where they can be known.
func TestServeHTTPBeyondThisMachine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, args := range [][]string{
		{"--http", "0.0.0.0:0"},
		{"--http", "127.0.0.1:0", "--require-token"},
		{"--http", "127.0.0.1:0", "--host", "support.example.com"},
		{"--http", "127.0.0.1:0", "--config", written(t, "http: {require_token: true}")},
		{"--http", "127.0.0.1:0", "--config", written(t, "http: {hosts: [support.example.com]}")},
	} {
		if got := r.must(2, append([]string{"serve"}, args...)...); !strings.Contains(got.err, "nobody has a token: make one with counterfoil token add") {
			t.Errorf("%v: said %q", args, got.err)
		}
	}
	if _, err := os.Stat(r.dir); err == nil {
		t.Error("something was opened all the same")
	}
	for _, args := range [][]string{{"--require-token"}, {"--host", "a"}, {"--http", "127.0.0.1:0", "--host", "a:80"}, {"--http", "127.0.0.1:0", "--host", ""}} {
		r.must(2, append([]string{"serve"}, args...)...)
	}
	// One that has expired is none.
	id, _ := r.newToken("desk-7", "read", "--expires", "1ns")
	r.must(2, "serve", "--http", "0.0.0.0:0")
	if got := r.must(0, "token", "list").out; !strings.Contains(got, "(expired)") {
		t.Errorf("listed %s", got)
	}
	r.must(0, "token", "revoke", id)

	_, token := r.newToken("desk-7", "read")
	s := r.serveHTTP("--http", "0.0.0.0:0", "--host", "support.example.com")
	s.url = "http://127.0.0.1" + s.url[strings.LastIndex(s.url, ":"):] // the last --http counts: every address
	if status, header, body := s.request("POST", "/mcp", refundMessage(`11800`)); status != 401 || header.Get("WWW-Authenticate") != `Bearer realm="counterfoil"` || !strings.Contains(body, "a token is needed") {
		t.Errorf("without: %d %v %s", status, header, body)
	}
	if diff := cmp.Diff(readTools, s.listed(token)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if status, _ := s.send(refundMessage(`11800`), "Host: support.example.com"); status != 401 {
		t.Errorf("by its other name: %d", status)
	}
	if status, _ := s.send(refundMessage(`11800`), "Host: evil.example"); status != 403 {
		t.Errorf("by no name of its own: %d", status)
	}
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/.well-known/oauth-protected-resource/mcp": 404} {
		s.mustGet(path, status)
	}
	if status, _, body := s.request("GET", "/metrics", "", bearer(token)); status != 200 || !strings.Contains(body, "counterfoil_open_intents") && !strings.Contains(body, "counterfoil_ledger_readable") {
		t.Errorf("/metrics: %d %s", status, body)
	}
}

// On this machine nobody needs a token, but one that is shown has to count, and
// what it may not do is not there.
func TestServeHTTPPrincipals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	readerID, reader := r.newToken("reader", "read")
	_, payer := r.newToken("payer", "read,irreversible")
	s := r.serveHTTP("--log-level", "debug")
	if diff := cmp.Diff(readTools, s.listed(reader)); diff != "" {
		t.Errorf("a reader's list (-want +got):\n%s", diff)
	}
	if n := len(s.listed(payer)); n != 7 {
		t.Errorf("a payer is shown %d tools", n)
	}
	const unknown = `error -32602: Unknown tool "issue_refund": tools/list has the names`
	if status, answer := s.send(refundMessage(`11800`), bearer(reader)); status != 200 || inWords(answer) != unknown {
		t.Errorf("a reader's refund: %d %s", status, answer)
	}
	for _, wrong := range []string{reader[:len(reader)-1] + "7", "cf_aaaaaaaa" + reader[11:], "eyJhbGciOiJub25lIn0.e30.", "x"} {
		if wrong == reader {
			continue
		}
		status, header, _ := s.request("POST", "/mcp", refundMessage(`11800`), bearer(wrong))
		if want := `Bearer realm="counterfoil", error="invalid_token", error_description="the token is not known"`; status != 401 || header.Get("WWW-Authenticate") != want {
			t.Errorf("%q: %d %v", wrong, status, header)
		}
	}
	if status, _, _ := s.request("POST", "/mcp", refundMessage(`11800`), "X-Forwarded-For: 203.0.113.9"); status != 401 {
		t.Errorf("through a proxy: %d", status)
	}
	if n := r.refundsMade(); n != 0 {
		t.Fatalf("%d refunds were made", n)
	}

	if status, answer := s.send(refundMessage(`11800`), bearer(payer)); status != 200 || !strings.HasPrefix(inWords(answer), "result: performed") {
		t.Errorf("a payer's refund: %d %s", status, answer)
	}
	// Whoever asks, it is the same act.
	s.mustAnswer(refundMessage(`11800`), "already_performed")
	key := fields(t, r.must(0, refund("--json")...).out)["intent_key"].(string)
	attempts, _ := fields(t, r.must(0, "ledger", "show", key, "--json").out)["attempts"].([]any)
	if len(attempts) != 1 || attempts[0].(map[string]any)["principal"] != "payer" {
		t.Errorf("attempts: %v", attempts)
	}

	r.must(0, "token", "revoke", readerID)
	if status, _ := s.send(toolCall("get_order", `{"order_id":"SU-88421"}`), bearer(reader)); status != 401 {
		t.Errorf("revoked: %d", status)
	}
	file := filepath.Join(r.dir, "tokens.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, header, _ := s.request("POST", "/mcp", refundMessage(`11800`), bearer(payer)); status != 503 || header.Get("Retry-After") == "" {
		t.Errorf("a damaged file: %d", status)
	}
	if got := r.must(2, "serve", "--http", "127.0.0.1:0"); !strings.Contains(got.err, "tokens.json") {
		t.Errorf("it starts on a damaged file: %s", got.err)
	}

	s.stop()
	log := s.log()
	for _, token := range []string{reader, payer} {
		if strings.Contains(log, token[12:]) {
			t.Error("a token is in the log")
		}
	}
	for _, line := range []string{"principal=reader", "principal=payer", "is not known", "no file of tokens"} {
		if !strings.Contains(log, line) {
			t.Errorf("%q is not in the log:\n%s", line, log)
		}
	}
}

// stop has the server leave.
func (s *httpServer) stop() {
	s.t.Helper()
	s.sig <- os.Interrupt
	s.last = <-s.ended
	s.ended <- s.last
}

// log is what a server that has left has logged.
func (s *httpServer) log() string { return s.last.err }

// A principal's writes are held back, and nobody else's; a repeat counts too.
func TestServeHTTPThrottle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, ann := r.newToken("ann", "read,irreversible")
	_, bob := r.newToken("bob", "irreversible")
	s := r.serveHTTP("--config", written(t, "http: {writes_per_minute: 1, write_burst: 2}"))
	for range 2 {
		if status, answer := s.send(refundMessage(`11800`), bearer(ann)); status != 200 {
			t.Errorf("got %d %s", status, answer)
		}
	}
	status, header, answer := s.request("POST", "/mcp", refundMessage(`2600`), bearer(ann))
	if status != 429 || !strings.HasPrefix(inWords(answer), "error -32010: Too many writes: nothing of this call was begun") || header.Get("Retry-After") == "" {
		t.Errorf("the third: %d %v %s", status, header, answer)
	}
	if status, _ := s.send(toolCall("get_order", `{"order_id":"SU-88421"}`), bearer(ann)); status != 200 {
		t.Errorf("a read: %d", status)
	}
	if status, answer := s.send(refundMessage(`11800`), bearer(bob)); status != 200 || !strings.HasPrefix(inWords(answer), "result: already_performed") {
		t.Errorf("somebody else: %d %s", status, answer)
	}
	for range 3 {
		s.mustAnswer(refundMessage(`11800`), "already_performed")
	}
	if n := r.refundsMade(); n != 1 {
		t.Errorf("%d refunds were made", n)
	}
}

// issuer publishes its key and signs tokens.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k", Key: key.Public(), Use: "sig"}}})
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(subject, scope string, expires time.Duration) string {
	i.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k"))
	if err != nil {
		i.t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": "https://login.example.com", "aud": "https://support.example.com/mcp", "sub": subject, "scope": scope, "exp": time.Now().Add(expires).Unix(),
	}).Serialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return token
}

func (i *issuer) config() string {
	return fmt.Sprintf(`
http:
  jwt:
    resource: https://support.example.com/mcp
    issuer: https://login.example.com
    jwks_url: %s
`, i.URL)
}

// An issuer's tokens: who has none learns where to get one, and scopes decide.
func TestServeHTTPWithAnIssuer(t *testing.T) {
	t.Parallel()
	r, i := newRig(t), newIssuer(t)
	config := written(t, i.config())
	s := r.serveHTTP("--config", config)
	const where = `scope="counterfoil:handoff counterfoil:irreversible counterfoil:read counterfoil:reversible", resource_metadata="https://support.example.com/.well-known/oauth-protected-resource/mcp"`
	if status, header, _ := s.request("POST", "/mcp", refundMessage(`11800`)); status != 401 || header.Get("WWW-Authenticate") != `Bearer realm="counterfoil", `+where {
		t.Errorf("without: %d %v", status, header)
	}
	status, _, document := s.request("GET", "/.well-known/oauth-protected-resource/mcp", "")
	got := fields(t, document)
	if status != 200 || got["resource"] != "https://support.example.com/mcp" || fmt.Sprint(got["authorization_servers"]) != "[https://login.example.com]" {
		t.Errorf("metadata: %d %s", status, document)
	}
	if status, _ := s.send(refundMessage(`11800`), "Host: support.example.com"); status != 401 {
		t.Errorf("by the resource's name: %d", status)
	}
	if diff := cmp.Diff(readTools, s.listed(i.token("sam", "openid counterfoil:read", time.Hour))); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	status, header, _ := s.request("POST", "/mcp", refundMessage(`11800`), bearer(i.token("sam", "openid", time.Hour)))
	if want := `Bearer realm="counterfoil", error="insufficient_scope", error_description="no scope of the token allows anything", ` + where; status != 403 || header.Get("WWW-Authenticate") != want {
		t.Errorf("no scope of ours: %d %v", status, header)
	}
	status, header, _ = s.request("POST", "/mcp", refundMessage(`11800`), bearer(i.token("sam", "counterfoil:irreversible", -time.Hour)))
	if status != 401 || !strings.Contains(header.Get("WWW-Authenticate"), `error="invalid_token", error_description="the token has expired"`) {
		t.Errorf("expired: %d %v", status, header)
	}
	payer := bearer(i.token("sam", "counterfoil:irreversible", time.Hour))
	if status, answer := s.send(refundMessage(`11800`), payer); status != 200 || !strings.HasPrefix(inWords(answer), "result: performed") {
		t.Errorf("a refund: %d %s", status, answer)
	}
	key := fields(t, r.must(0, refund("--json")...).out)["intent_key"].(string)
	if text := r.must(0, "ledger", "show", key).out; !strings.Contains(text, "jwt:sam") {
		t.Errorf("shown: %s", text)
	}
	// A person's tokens count beside the issuer's.
	_, token := r.newToken("desk-7", "read")
	if n := len(s.listed(token)); n != 4 {
		t.Errorf("%d tools", n)
	}
	i.Close()
	if status, _ := s.send(refundMessage(`11800`), payer); status != 200 {
		t.Errorf("the issuer is away, and its key is known: %d", status)
	}

	// A server that has never had the keys cannot tell: come again.
	fresh := newRig(t).serveHTTP("--config", config)
	if status, header, _ := fresh.request("POST", "/mcp", refundMessage(`11800`), payer); status != 503 || header.Get("Retry-After") == "" || header.Get("WWW-Authenticate") != "" {
		t.Errorf("the issuer is away, and its key is not known: %d %v", status, header)
	}
}

func TestHTTPConfigurationRefused(t *testing.T) {
	t.Parallel()
	const jwt = "http: {jwt: {resource: https://a.example/mcp, issuer: https://b.example, "
	tests := map[string]struct{ text, says string }{
		"an unknown setting":   {"http: {token: true}", "field token not found"},
		"no writes":            {"http: {writes_per_minute: 0}", "writes_per_minute: must be 1"},
		"no burst":             {"http: {write_burst: -1}", "write_burst: must be 1"},
		"a host with a port":   {"http: {hosts: ['a.example:80']}", "without a port"},
		"any host":             {"http: {hosts: ['*']}", "without a port"},
		"a host that is a URL": {"http: {hosts: ['https://a.example']}", "without a port"},
		"no resource":          {"http: {jwt: {issuer: https://b.example, jwks_file: k}}", "resource is missing"},
		"no issuer":            {"http: {jwt: {resource: https://a.example/mcp, jwks_file: k}}", "issuer is missing"},
		"a plain resource":     {"http: {jwt: {resource: http://a.example/mcp, issuer: i, jwks_file: k}}", "must be https"},
		"no keys":              {jwt + "}}", "jwks_url or jwks_file"},
		"keys twice":           {jwt + "jwks_file: k, jwks_url: https://b.example/k}}", "jwks_url or jwks_file"},
		"plain keys":           {jwt + "jwks_url: http://b.example/k}}", "must be https"},
		"much skew":            {jwt + "jwks_file: k, clock_skew: 5m}}", "1m0s at most"},
		"no skew":              {jwt + "jwks_file: k, clock_skew: a bit}}", "must be a duration"},
		"no class":             {jwt + "jwks_file: k, scopes: {a: [all]}}}", "scope a"},
		"no scopes":            {jwt + "jwks_file: k, scopes: {}}}", "scopes are missing"},
	}
	got := newRig(t).must(2, "serve", "--http", "127.0.0.1:0", "--config", written(t, jwt+"jwks_file: absent}}"))
	if !strings.Contains(got.err, "absent is not there") {
		t.Errorf("a file of keys that is absent: said %q", got.err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newRig(t).must(2, "call", "get_ticket", "ticket_id=T-4127", "--config", written(t, tt.text))
			if !strings.Contains(got.err, tt.says) || strings.Count(got.err, "\n") != 1 {
				t.Errorf("said %q, want %q", got.err, tt.says)
			}
		})
	}
}

// What was done over stdio is not done again over HTTP with a token.
func TestOneIntentOverBothTransports(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, payer := r.newToken("payer", "read,irreversible")
	p := r.pipe()
	first := p.send(refundMessage(`11800`))
	if got := inWords(first); !strings.HasPrefix(got, "result: performed") {
		t.Fatal(got)
	}
	s := r.serveHTTP()
	_, second := s.send(refundMessage(`11800`), bearer(payer))
	if got := inWords(second); !strings.HasPrefix(got, "result: already_performed") {
		t.Error(got)
	}
	if a, b := intentKeyIn(first), intentKeyIn(second); a == "" || a != b {
		t.Errorf("two keys: %s and %s", a, b)
	}
	if n := r.refundsMade(); n != 1 {
		t.Errorf("%d refunds were made", n)
	}
	s.stop()
}

func intentKeyIn(answer string) string { return regexp.MustCompile(`cf1_[a-z2-7]+`).FindString(answer) }
