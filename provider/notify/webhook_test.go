package notify_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
	"counterfoil/provider/notify"
)

var secret = []byte("correct horse battery staple")

func webhook(t *testing.T, url string) *notify.Webhook {
	t.Helper()
	client := provider.NewClient(clock, provider.Options{Timeout: 2 * time.Second})
	t.Cleanup(client.Close)
	w, err := notify.NewWebhook(notify.WebhookOptions{URL: url, Secret: secret, HTTP: client, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A receiver that does what the package's recipe says.
func TestWebhook(t *testing.T) {
	t.Parallel()
	e := escalation()
	var got []notify.Notification
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if err := notify.Verify(secret, r.Header.Get(notify.SignatureHeader), body, now); err != nil {
			t.Error(err)
		}
		var n notify.Notification
		if err := json.Unmarshal(body, &n); err != nil {
			t.Error(err)
		}
		if key := r.Header.Get("Idempotency-Key"); key != n.ID || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s of %q under %q", r.Method, r.Header.Get("Content-Type"), key)
		}
		got = append(got, n)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	for range 2 {
		if err := webhook(t, server.URL).Notify(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	want := notify.Notification{
		ID: e.Key.String(), Intent: e.Subject.String(), Cause: "unknown", TicketID: "T-4127",
		Reason: "technical_problem", Summary: e.Summary, CreatedAt: "2026-03-17T14:31:07.000Z",
	}
	if diff := cmp.Diff([]notify.Notification{want, want}, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}

func TestWebhookThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		says   string
	}{
		"a server's trouble": {http.StatusInternalServerError, "answered with status 500"},
		"no such address":    {http.StatusNotFound, "answered with status 404"},
		"a redirect":         {http.StatusTemporaryRedirect, "answered with status 307"},
		"a lost connection":  {0, "it is not known whether it arrived"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if tt.status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tt.status)
			}))
			t.Cleanup(server.Close)
			err := webhook(t, server.URL+"/hooks/private").Notify(t.Context(), escalation())
			if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "private") {
				t.Errorf("got %v, want %q and no address", err, tt.says)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// Many a receiver answers with a page, or in HTTP/1.0. Its 2xx is its word.
func TestWebhookArrivesWhateverTheBody(t *testing.T) {
	t.Parallel()
	tests := map[string]func(w http.ResponseWriter){
		"a body without a length": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nok")
		},
		"a large body": func(w http.ResponseWriter) { io.WriteString(w, strings.Repeat("page ", 1<<20)) },
		"a body cut off": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "20")
			w.WriteHeader(http.StatusAccepted)
		},
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				answer(w)
			}))
			t.Cleanup(server.Close)
			if err := webhook(t, server.URL).Notify(t.Context(), escalation()); err != nil {
				t.Errorf("it arrived, but: %v", err)
			}
		})
	}
}

func TestWebhookKeepsToItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	if err := webhook(t, server.URL).Notify(ctx, escalation()); err == nil {
		t.Error("notified by a server that never answered")
	}
}

func TestWebhookRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ url, secret, says string }{
		"nothing":             {"", string(secret), "must look like"},
		"no host":             {"https:///hook", string(secret), "must look like"},
		"another protocol":    {"ftp://example.com/private", string(secret), "must look like"},
		"in the clear":        {"http://example.com/private", string(secret), "must be https"},
		"almost this machine": {"http://localhost.example.com/private", string(secret), "must be https"},
		"a password":          {"https://me:private@example.com", string(secret), "must not hold"},
		"no secret":           {"https://example.com", "", "0 bytes"},
		"a short secret":      {"https://example.com", "fifteen letters", "15 bytes"},
		"this machine":        {"http://127.0.0.1:8080/hook", string(secret), ""},
		"this machine's name": {"http://localhost/hook", string(secret), ""},
		"this machine, IPv6":  {"http://[::1]:80/hook", string(secret), ""},
		"elsewhere":           {"https://example.com/hook", string(secret), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := notify.NewWebhook(notify.WebhookOptions{URL: tt.url, Secret: []byte(tt.secret)})
			refuses(t, err, tt.says)
		})
	}
}

// refuses checks that an error says this; nothing stands for no error.
func refuses(t *testing.T, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("refused: %v", err)
	case says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "private")):
		t.Errorf("got %v, want %q and nothing private", err, says)
	}
}
