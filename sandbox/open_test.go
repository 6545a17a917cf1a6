package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"counterfoil/sandbox"
)

const (
	childFile = "SANDBOX_TEST_CHILD_FILE"
	processes = 8
	refunds   = 20 // by each process
)

// TestMain lets the test binary be one of the processes of TestEightProcesses.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child opens the file when its standard input ends, refunds under keys that
// all processes share and under its own, and prints the account.
func child(path string) error {
	if _, err := new(bytes.Buffer).ReadFrom(os.Stdin); err != nil {
		return err
	}
	ctx := context.Background()
	box, err := sandbox.Open(ctx, path, sandbox.Options{Now: time.Now})
	if err != nil {
		return err
	}
	defer box.Close()
	for i := range refunds {
		for _, key := range []string{fmt.Sprint("shared-", i), fmt.Sprint(os.Getpid(), "-", i)} {
			r := httptest.NewRequest(http.MethodPost, "/v1/refunds", strings.NewReader(`{"order_id":"SU-88421","amount_cents":1,"currency":"USD"}`))
			r.Header.Set("Idempotency-Key", key)
			w := httptest.NewRecorder()
			box.ServeHTTP(w, r)
			if w.Code != 200 {
				return fmt.Errorf("refund under %s: %d %s", key, w.Code, w.Body)
			}
		}
	}
	account, err := box.Account(ctx)
	fmt.Println(account)
	return err
}

// Eight processes open a file that does not exist yet, at once, and write to it.
func TestEightProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a file #1?.db")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	outputs := make([]bytes.Buffer, processes)
	for i := range processes {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), childFile+"="+path)
		c.Stdin, c.Stdout, c.Stderr = start, &outputs[i], &outputs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	start.Close()
	release.Close()
	accounts := map[string]bool{}
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, &outputs[i])
		}
		accounts[strings.TrimSpace(outputs[i].String())] = true
	}
	if len(accounts) != 1 {
		t.Errorf("the processes saw these accounts: %v", accounts)
	}
	for account := range accounts {
		if !regexp.MustCompile(`^sandbox-[0-9a-f]{12}$`).MatchString(account) {
			t.Errorf("account = %q", account)
		}
	}
	m := openMarket(t, path, newClock(), "")
	keys := map[string]int{}
	m.clock.move(1 << 60) // the children lived in the present
	for _, e := range m.books().Effects {
		keys[e.Key]++
	}
	if want := refunds * (processes + 1); len(keys) != want {
		t.Errorf("refunds under %d keys, want %d", len(keys), want)
	}
	for key, n := range keys {
		if n != 1 {
			t.Errorf("%d refunds under %s, want 1", n, key)
		}
	}
}

func TestTwoServersShowOneMarketplace(t *testing.T) {
	t.Parallel()
	one := newMarket(t, "")
	two := openMarket(t, one.path, one.clock, "")
	one.fault("refunds.create", "reject", 1, 0)
	if got := summary(acts()[0].do(two, "key-1")); got != "422 refused_permanently" {
		t.Errorf("a fault set in one is met in two: %s", got)
	}
	acts()[0].do(two, "key-1")
	if got := acts()[0].listed(one); got != 1 {
		t.Errorf("a refund made in two, listed %d times in one", got)
	}
	if err := one.box.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(two.books().Effects); got != 0 {
		t.Errorf("%d effects in two after a reset in one", got)
	}
}

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	c, path := newClock(), filepath.Join(t.TempDir(), "sandbox.db")
	var accounts []string
	for range 2 {
		t.Run("", func(t *testing.T) {
			m := openMarket(t, path, c, "")
			acts()[0].do(m, "key-1")
			accounts = append(accounts, m.get("/v1/account").text("account"))
			if got := acts()[0].count(m); got != 1 {
				t.Errorf("%d refunds, want 1", got)
			}
		})
	}
	if accounts[0] != accounts[1] {
		t.Errorf("accounts %v, want the same one", accounts)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path string
		opts sandbox.Options
	}{
		"a directory that is not there": {
			path: filepath.Join(t.TempDir(), "no", "sandbox.db"),
			opts: sandbox.Options{Now: time.Now},
		},
		"an impossible declaration": {
			path: filepath.Join(t.TempDir(), "sandbox.db"),
			opts: sandbox.Options{Now: time.Now, Declare: map[string]string{"refunds.dedupe": "maybe"}},
		},
		"no clock": {path: filepath.Join(t.TempDir(), "sandbox.db")},
	}
	for name, tt := range tests {
		if _, err := sandbox.Open(t.Context(), tt.path, tt.opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
