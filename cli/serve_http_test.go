package cli_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// httpServer is a server over HTTP that runs in this process.
type httpServer struct {
	*site
	sig   chan os.Signal
	ended chan ran
	last  ran // how it ended, once stop has returned
}

func (r *rig) serveHTTP(args ...string) *httpServer {
	r.t.Helper()
	lines, out := io.Pipe()
	s := &httpServer{sig: make(chan os.Signal, 2), ended: make(chan ran, 1)}
	runs := &rig{t: r.t, dir: r.dir, env: r.env, out: out, sig: s.sig}
	go func() {
		defer out.Close()
		s.ended <- runs.run(append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	}()
	s.site = &site{t: r.t, url: listeningOn(r.t, lines)}
	r.t.Cleanup(func() {
		s.sig <- syscall.SIGTERM
		<-s.ended
	})
	return s
}

// get reads a page beside the endpoint.
func (s *httpServer) get(path string) (status int, body string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, strings.TrimSuffix(s.url, "/mcp")+path, nil)
	if err != nil {
		s.t.Fatal(err)
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
	return resp.StatusCode, string(text)
}

// mustGet wants a status and, on the page, every one of texts.
func (s *httpServer) mustGet(path string, status int, texts ...string) {
	s.t.Helper()
	got, body := s.get(path)
	if got != status {
		s.t.Errorf("%s: got %d, want %d", path, got, status)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			s.t.Errorf("%s: %q is not in\n%s", path, text, body)
		}
	}
}

// mustAnswer sends a call that has to be answered so.
func (s *httpServer) mustAnswer(message, want string) {
	s.t.Helper()
	if status, answer := s.send(message, ""); status != http.StatusOK || !strings.HasPrefix(inWords(answer), "result: "+want) {
		s.t.Errorf("got %d %s, want %s", status, inWords(answer), want)
	}
}

// later sends a call and goes on.
func (s *httpServer) later(ctx context.Context, message string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(message))
		if err != nil {
			answer <- err.Error()
			return
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		answer <- string(text)
	}()
	return answer
}

// slowRefund has the next refund made at once and answered a second later.
func (r *rig) slowRefund() {
	r.t.Helper()
	r.must(0, "sandbox", "fault", "refunds.create", "slow", "--times", "1", "--delay", "1s")
}

// whenRefunded returns once the authority has the refund.
func (r *rig) whenRefunded() {
	r.t.Helper()
	for begun := time.Now(); r.refundsMade() == 0; {
		if time.Since(begun) > time.Minute {
			r.t.Fatal("the refund was never made")
		}
	}
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serveHTTP()
	s.mustGet("/healthz", http.StatusOK, "ok")
	s.mustGet("/readyz", http.StatusOK, `{"ledger":"ok","provider":"ok"}`)
	s.mustAnswer(refundMessage(`11800`), "performed")
	s.mustAnswer(refundMessage(`11800`), "already_performed")
	if got := fields(t, r.must(0, refund("--json")...).out); got["outcome"] != "already_performed" {
		t.Errorf("another process got %v", got)
	}
	s.mustGet("/metrics", http.StatusOK,
		`counterfoil_calls_total{outcome="performed",tool="issue_refund"} 1`,
		`counterfoil_repeats_total{evidence="ledger",tool="issue_refund"} 1`,
		`counterfoil_ledger_readable 1`, `counterfoil_outbox_undelivered 0`)
	s.mustAnswer(toolCall("issue_refund", `{"ticket_id":"T-4188","order_id":"SU-88510","item_id":"SOFA-LINEN-3","amount_cents":42000}`), "not_performed, approval_required")
	s.mustGet("/metrics", http.StatusOK, `counterfoil_open_intents{state="awaiting_approval"} 1`)
}

// The client leaves while the refund is made; under a new id it reads of that
// one, and there is no second.
func TestServeHTTPClosedConnection(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serveHTTP()
	r.slowRefund()
	ctx, hangUp := context.WithCancel(t.Context())
	lost := s.later(ctx, refundMessage(`11800`))
	r.whenRefunded()
	hangUp()
	<-lost
	again := strings.Replace(refundMessage(`11800`), `"id":1`, `"id":"again"`, 1)
	s.mustAnswer(again, "already_performed")
	s.mustAnswer(again, "already_performed")
	if n := r.refundsMade(); n != 1 {
		t.Errorf("%d refunds were made", n)
	}
}

// What was claimed when the signal came is finished, answered and recorded.
func TestServeHTTPLeaves(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serveHTTP()
	r.slowRefund()
	answer := s.later(t.Context(), refundMessage(`11800`))
	r.whenRefunded()
	s.sig <- syscall.SIGTERM
	if got := inWords(<-answer); !strings.HasPrefix(got, "result: performed") {
		t.Errorf("answered %s", got)
	}
	got := <-s.ended
	s.ended <- got
	if got.code != 0 {
		t.Errorf("ended with %d: %s", got.code, got.err)
	}
	if got := fields(t, r.must(0, refund("--json")...).out); got["outcome"] != "already_performed" || got["evidence"] != "ledger" {
		t.Errorf("the next process got %v", got)
	}
}

func TestServeHTTPNotReady(t *testing.T) {
	t.Parallel()
	t.Run("the provider", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		s := r.serveHTTP()
		r.must(0, "sandbox", "fault", "orders.get", "down")
		s.mustGet("/readyz", http.StatusServiceUnavailable, `"ledger":"ok"`, `"provider":"not ready"`)
		s.mustGet("/healthz", http.StatusOK)
	})
	t.Run("the ledger", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		account := fields(t, r.must(0, "key", "escalate_to_human", "--facts", "ticket=T-4127", "reason=other", "--json").out)["account"]
		if err := os.WriteFile(r.dir+"/"+account.(string)+".ledger.db", []byte(strings.Repeat("damaged ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		s := r.serveHTTP()
		s.mustGet("/readyz", http.StatusServiceUnavailable, `"ledger":"not ready"`, `"provider":"ok"`)
		s.mustGet("/metrics", http.StatusOK, `counterfoil_ledger_readable 0`)
		s.mustAnswer(refundMessage(`11800`), "not_performed, ledger_unavailable")
	})
}

func TestServeHTTPRefusesAnAddressThatOthersReach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:8787", "counterfoil.example:8787", "127.0.0.1", ""} {
		got := r.must(2, "serve", "--http", addr)
		if !strings.Contains(got.err, "others can reach this address, and nobody has a token") && !strings.Contains(got.err, "must look like") || got.out != "" {
			t.Errorf("%q: said %s%s", addr, got.out, got.err)
		}
	}
	if _, err := os.Stat(r.dir); err == nil {
		t.Error("something was opened all the same")
	}
}
