//go:build unix

package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is what a script's stage is for the tests that are too busy for a
// script: a marketplace in a process of its own, and a data directory whose
// ledger any number of other processes use.
type world struct {
	*testing.T
	binary string
	dir    string   // the servers' data directory
	url    string   // of the marketplace
	flags  []string // of every process that acts
}

// promptly is a marketplace that declares to do everything soon, so that nothing
// is on watch for long.
var promptly = everyKind("lands_within=1s")

// everyKind declares something of every kind of effect.
func everyKind(declared string) string {
	var all []string
	for _, kind := range []string{"refunds", "messages", "pickups", "replacements", "escalations"} {
		all = append(all, kind+"."+declared)
	}
	return strings.Join(all, ",")
}

// patiently has a process take its time, where nothing is meant to time out.
var patiently = []string{"--provider-timeout", "5s", "--answer-within", "12s"}

// newWorld starts a marketplace, which declares what it is told to.
func newWorld(t *testing.T, binary, declare string) *world {
	t.Helper()
	w := &world{T: t, binary: binary, dir: filepath.Join(t.TempDir(), "data")}
	w.flags = []string{"--provider-timeout", "2s", "--answer-within", "9s"}
	args := []string{"sandbox", "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(t.TempDir(), "market")}
	if declare != "" {
		args = append(args, "--declare", declare)
	}
	cmd := exec.Command(binary, args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed: that is what Wait says
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the marketplace did not say where it is: %v", err)
	}
	w.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return w
}

// command is a process of the binary's, in this world.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.binary, args...)
	cmd.Env = []string{"COUNTERFOIL_DATA_DIR=" + w.dir, "COUNTERFOIL_SANDBOX_URL=" + w.url, "HOME=" + w.dir}
	return cmd
}

// run runs the binary to its end.
func (w *world) run(args ...string) (stdout, stderr string, code int) {
	w.Helper()
	return endOf(w.T, w.command(args...))
}

// endOf runs a command to its end.
func endOf(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %v: %v", cmd.Args, err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// ask is one call by a process of its own.
func (w *world) ask(tool string, args values) told {
	w.Helper()
	return w.asked(w.command(w.asking(tool, args)...))
}

func (w *world) asking(tool string, args values) []string {
	return append([]string{"call", tool, "--json", "--args", args.json(w.T)}, w.flags...)
}

// asked runs a call and holds its answer to the laws.
func (w *world) asked(cmd *exec.Cmd) told {
	w.Helper()
	stdout, stderr, code := endOf(w.T, cmd)
	a, err := hear([]byte(strings.TrimSuffix(stdout, "\n")))
	if err != nil {
		w.Fatalf("%v: %v\n%s", cmd.Args, err, stderr)
	}
	if want, known := exits[a.Outcome]; !known || code != want {
		w.Fatalf("%v: exit status %d, want %d for %s", cmd.Args, code, want, a.Outcome)
	}
	return a
}

// sweep sweeps once.
func (w *world) sweep() {
	w.Helper()
	if _, stderr, code := w.run(append([]string{"sweep"}, w.flags...)...); code != 0 {
		w.Fatalf("sweep: exit status %d\n%s", code, stderr)
	}
}

// effect is what the marketplace has because somebody acted.
type effect struct {
	Kind, ID, Key, Intent, Status, At string
	Cents                             int64
}

// effects is what exists, read at the marketplace.
func (w *world) effects() []effect {
	w.Helper()
	var books struct{ Effects []effect }
	w.http(http.MethodGet, "/admin/effects", nil, &books)
	return books.Effects
}

// fault makes the marketplace misbehave.
func (w *world) fault(operation, mode string, times int, delay time.Duration) {
	w.Helper()
	w.http(http.MethodPost, "/admin/faults", map[string]any{
		"operation": operation, "mode": mode, "times": times, "delay_ms": delay.Milliseconds(),
	}, nil)
}

func (w *world) clearFaults() {
	w.Helper()
	w.http(http.MethodDelete, "/admin/faults", nil, nil)
}

// http asks the marketplace for something that no tool can.
func (w *world) http(method, path string, body, to any) {
	w.Helper()
	if err := w.tryHTTP(method, path, body, to); err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
}

func (w *world) tryHTTP(method, path string, body, to any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, w.url+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %w", resp.Status, text, err)
	}
	if to != nil {
		return json.Unmarshal(text, to)
	}
	return nil
}

// row is a row of the ledger.
type row struct {
	IntentKey string `json:"intent_key"`
	Tool      string
	State     string
	Attempts  int
	EffectID  string `json:"effect_id"`
}

// rows are the ledger's, read by the binary.
func (w *world) rows() []row {
	w.Helper()
	stdout, stderr, code := w.run("ledger", "list", "--json")
	if code != 0 {
		w.Fatalf("ledger list: exit status %d\n%s", code, stderr)
	}
	var ledger struct{ Intents []row }
	if err := json.Unmarshal([]byte(stdout), &ledger); err != nil {
		w.Fatal(err)
	}
	return ledger.Intents
}

// until looks until it is so.
func (w *world) until(what string, is func() bool) {
	w.Helper()
	bound := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !is() {
		select {
		case <-again.C:
		case <-bound:
			w.Fatalf("%s did not come about within %v", what, patience)
		}
	}
}

// ledger is the path of the one ledger in the data directory.
func (w *world) ledger() string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "*.ledger.db"))
	if err != nil || len(found) != 1 {
		w.Fatalf("want one ledger in the data directory, got %q, %v", found, err)
	}
	return found[0]
}

// values are the arguments of a tool's.
type values map[string]any

func (a values) json(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// told is an answer with the id of the effect that it speaks of.
type told struct {
	answered
	effectID string
	text     string
}

// hear reads an answer and holds it to the laws.
func hear(text []byte) (told, error) {
	a, err := lawful(text)
	heard := told{answered: a, text: string(text)}
	for _, id := range effectIDs {
		if value, there := member(text, id); there {
			heard.effectID = value
		}
	}
	return heard, err
}

// done reports whether the answer says that the effect exists.
func (a told) done() bool { return a.Outcome == "performed" || a.Outcome == "already_performed" }
