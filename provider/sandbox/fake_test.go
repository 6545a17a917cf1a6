package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"counterfoil/provider"
)

const declaredByDefault = `{"account":"sandbox-00","environment":"sandbox","capabilities":{"refunds":` +
	`{"dedupe":"24h","lookup":"read_after_write","lands_within":"30s","errors_stored":true}}}`

// raw is an answer of something that may or may not be the marketplace.
type raw struct {
	status int
	header map[string]string
	body   string
}

func (a raw) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// fake is a marketplace that gives its answers in turn, and the last one again
// and again.
func fake(t *testing.T, account string, answers ...raw) (*provider.Marketplace, *atomic.Int32) {
	t.Helper()
	requests := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/account" {
			raw{status: 200, body: account}.write(w)
			return
		}
		io.Copy(io.Discard, r.Body)
		if got := r.Header.Get("Marketplace-Account"); got != "sandbox-00" {
			t.Errorf("%s %s for account %q", r.Method, r.URL, got)
		}
		n := int(requests.Add(1))
		answers[min(n, len(answers))-1].write(w)
	}))
	t.Cleanup(s.Close)
	return connect(t, s.URL, nil), requests
}

// theRefund is how the marketplace shows aRefund, with changes of old to new.
func theRefund(intentKey string, changes ...string) string {
	o := `{"id":"re_1","order_id":"SU-88421","item_id":"SHELF-OAK-4","ticket_id":"T-4127","units":[1],` +
		`"cents":11800,"currency":"USD","reason":"cracked","intent":"` + intentKey + `","status":"succeeded",` +
		`"created_at":"2026-03-17T14:32:08.123Z"}`
	return strings.NewReplacer(changes...).Replace(o)
}
