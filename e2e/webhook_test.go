//go:build unix

package e2e_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// webhook is somebody who is notified: it takes every POST and keeps it.
type webhook struct {
	secret []byte
	mu     sync.Mutex
	bodies [][]byte
	wrong  []string // what a receiver would have refused
}

var signature = regexp.MustCompile(`^t=(\d+),v1=([0-9a-f]{64})$`)

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bodies = append(h.bodies, body)
	if err == nil {
		err = h.refuses(r, body)
	}
	if err != nil {
		h.wrong = append(h.wrong, err.Error())
		w.WriteHeader(http.StatusBadRequest)
	}
}

// refuses is what a receiver does: it computes the signature for itself.
func (h *webhook) refuses(r *http.Request, body []byte) error {
	header := r.Header.Get("Counterfoil-Signature")
	parts := signature.FindStringSubmatch(header)
	if r.Method != http.MethodPost || parts == nil {
		return fmt.Errorf("%s with the signature %q", r.Method, header)
	}
	mac := hmac.New(sha256.New, h.secret)
	fmt.Fprintf(mac, "%s.%s", parts[1], body)
	if hex.EncodeToString(mac.Sum(nil)) != parts[2] {
		return fmt.Errorf("%q does not sign %s", header, body)
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
		return fmt.Errorf("%q was not signed now", header)
	}
	if id, _ := member(body, "id"); id == "" || id != r.Header.Get("Idempotency-Key") {
		return fmt.Errorf("Idempotency-Key %q for %s", r.Header.Get("Idempotency-Key"), body)
	}
	return nil
}

// listen begins to listen on the loopback, in the place of a person.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	s := stageOf(ts)
	if neg || len(args) != 2 || s.hook != nil {
		ts.Fatalf("usage: listen SECRET VAR, once in a script")
	}
	s.hook = &webhook{secret: []byte(args[0])}
	server := httptest.NewServer(s.hook)
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

// notified compares how many notifications have come; the last becomes stdout.
func notified(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: notified N")
	}
	text, err := compareNotified(ts, args)
	fmt.Fprint(ts.Stdout(), text)
	ts.Check(err)
}

func compareNotified(ts *testscript.TestScript, want []string) (text string, err error) {
	h := stageOf(ts).hook
	if h == nil {
		ts.Fatalf("nobody listens")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wrong) > 0 {
		ts.Fatalf("a receiver would refuse: %q", h.wrong)
	}
	if n := len(h.bodies); n > 0 {
		text = string(h.bodies[n-1]) + "\n"
	}
	if !slices.Equal(want, []string{strconv.Itoa(len(h.bodies))}) {
		return text, fmt.Errorf("notified: got %d, want %v", len(h.bodies), want)
	}
	return text, nil
}
