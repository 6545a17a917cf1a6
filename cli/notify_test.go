package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/provider/notify"
)

func TestNotifyRefused(t *testing.T) {
	t.Parallel()
	const hook = "webhook: {url: 'https://example.com/hook', secret_file: secret}"
	tests := []struct{ name, notify, err string }{
		{"no way", "{after: 5m}", "say how"},
		{"an unknown way", "{pigeon: {}}", "field pigeon not found"},
		{"an unknown setting", "{webhook: {url: 'https://example.com', secret: x}}", "field secret not found"},
		{"a bad delay", "{after: 5, " + hook + "}", `after: "5": must be a duration`},
		{"no secret", "{webhook: {url: 'https://example.com'}}", "webhook: secret_file is missing"},
		{"a secret that is not there", "{webhook: {url: 'https://example.com', secret_file: missing}}", "webhook: secret_file: open "},
		{"an empty secret", "{webhook: {url: 'https://example.com', secret_file: empty}}", "is empty"},
		{"a short secret", "{webhook: {url: 'https://example.com', secret_file: short}}", "at least 16 are needed"},
		{"in the clear", "{webhook: {url: 'http://example.com', secret_file: secret}}", "url must be https"},
		{"a mail to nobody", "{mail: {host: mail.example.com, from: a@example.com}}", "mail: to is empty"},
		{"a mail in the clear", "{mail: {host: mail.example.com, from: a@example.com, to: [b@example.com], tls: none}}", "on this machine only"},
		{"no password", "{mail: {host: mail.example.com, from: a@example.com, to: [b@example.com], user: a}}", "mail: password_file is missing"},
		{"no such port", "{mail: {host: mail.example.com, port: 65536, from: a@example.com, to: [b@example.com]}}", "cannot unmarshal"},
		{"no mapping", "webhook", "cannot unmarshal"},
		{"twice", "{" + hook + ", " + hook + "}", "already defined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			file := beside(t, written(t, "notify: "+tt.notify), map[string]string{
				"secret": "correct horse battery staple\n", "empty": "\n", "short": "short",
			})
			got := r.must(2, "call", "get_ticket", "ticket_id=T-4127", "--config", file)
			if !strings.Contains(got.err, tt.err) || strings.Contains(got.err, "short\n") {
				t.Errorf("said %q, want %q", got.err, tt.err)
			}
		})
	}
}

// beside puts more files into a file's folder.
func beside(t *testing.T, file string, texts map[string]string) string {
	t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// The desk is down for longer than it may be: a sweep sends one signed
// notification, and the next answer says so.
func TestWebhookOfADelay(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err == nil {
			err = notify.Verify([]byte("correct horse battery staple"), req.Header.Get(notify.SignatureHeader), body, time.Now())
		}
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, req.Header.Get("Idempotency-Key"))
	}))
	t.Cleanup(server.Close)
	r := newRig(t)
	file := beside(t, written(t, "notify: {after: 500ms, webhook: {url: '"+server.URL+"', secret_file: secret}}"), map[string]string{
		"secret": "correct horse battery staple\n",
	})
	r.must(0, "sandbox", "fault", "escalations.create", "down")
	handoff := []string{
		"call", "escalate_to_human", "ticket_id=T-4127", "reason=safety", "summary=Sharp edges.", "--json", "--config", file,
	}
	first := fields(t, r.must(3, handoff...).out)
	if note, _ := first["note"].(string); strings.Contains(note, "notified") {
		t.Errorf("note %q, want nobody notified yet", note)
	}
	var swept intent.Swept
	for range 100 {
		swept = decoded[intent.Swept](t, r.must(0, "sweep", "--json", "--config", file).out)
		if swept.Notified > 0 {
			break
		}
		<-time.After(100 * time.Millisecond) // the delay is real: the sandbox is served over a socket
	}
	again := fields(t, r.must(3, handoff...).out)
	if note, _ := again["note"].(string); !strings.Contains(note, "A person has been notified (by webhook)") {
		t.Errorf("note %q, want a person notified", note)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(keys) != 1 || keys[0] != first["intent_key"] || swept.Notified != 1 {
		t.Errorf("swept %+v, received %q, want %v once", swept, keys, first["intent_key"])
	}
}
