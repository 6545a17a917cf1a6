package cli_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestSandboxFault(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, misuse := range [][]string{
		{"refunds.create"},
		{"refunds.create", "sulk"},
		{"refunds.pay", "slow"},
		{"orders.get", "lag"},
		{"messages.create", "pending_then_failed"},
		{"refunds.create", "slow", "--times", "0"},
		{"refunds.create", "slow", "--delay", "-1s"},
		{"refunds.create", "slow", "--delay", "0s"},
	} {
		r.must(2, append([]string{"sandbox", "fault"}, misuse...)...)
	}
	if help := r.must(0, "sandbox", "fault", "--help").out; !strings.Contains(help, "sandbox reset --faults") {
		t.Errorf("the help does not say how to clear a fault:\n%s", help)
	}
	got := r.must(0, "sandbox", "fault", "refunds.create", "reject", "--times", "2").out
	if want := "refunds.create: reject (does not act, answers 422 refused_permanently), for 2 requests.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if got := fields(t, r.must(1, refund("--json")...).out); got["reason"] != "refused_by_authority" {
		t.Errorf("got %v", got)
	}
	r.must(0, "sandbox", "reset")
	r.must(0, refund()...)
}

// A sandbox on its own: it says first where it is, takes orders from others and
// ends at a signal.
func TestSandboxServe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(2, "sandbox", "serve", "--declare", "refunds.dedupe=perhaps")
	r.must(2, "sandbox", "serve", "--addr", "here")
	read, write := io.Pipe()
	box := &rig{t: t, dir: r.dir, env: r.env, out: write, sig: make(chan os.Signal, 1)}
	ended := make(chan ran)
	go func() {
		ended <- box.run("sandbox", "serve", "--declare", "refunds.lookup=none")
	}()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("first line %q", line)
	}
	r.env["COUNTERFOIL_SANDBOX_URL"] = url
	r.must(2, "sandbox", "fault", "orders.get", "lag")
	r.must(0, "sandbox", "fault", "refunds.create", "accept_then_500")
	if got := fields(t, r.must(3, append(refund("--json"), quick...)...).out); got["reason"] != "lookup_too_weak" {
		t.Errorf("what it declares does not hold: %v", got)
	}
	if got := r.refundsMade(); got != 1 {
		t.Errorf("%d refunds, want 1", got)
	}
	r.must(0, "sandbox", "reset", "--faults")
	if got := r.must(0, "sandbox", "reset").out; !strings.Contains(got, "account sandbox-") || !strings.Contains(got, "restart it") {
		t.Errorf("printed %q", got)
	}
	if got := r.refundsMade(); got != 0 {
		t.Errorf("%d refunds after the reset", got)
	}
	box.sig <- syscall.SIGTERM
	if got := <-ended; got.code != 0 {
		t.Errorf("ended with %d: %s", got.code, got.err)
	}
	r.must(1, "sandbox", "effects")
}
