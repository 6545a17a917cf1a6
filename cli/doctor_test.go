package cli_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"counterfoil/sandbox"
)

type finding struct {
	Check string `json:"check"`
	Level string `json:"level"`
	Says  string `json:"says"`
	Mend  string `json:"mend"`
}

// doctor runs doctor and returns its findings by what was looked at.
func (r *rig) doctor(code int, args ...string) map[string]finding {
	r.t.Helper()
	got := r.must(code, append([]string{"doctor", "--json"}, args...)...)
	found := map[string]finding{}
	for _, f := range decoded[struct {
		Findings []finding `json:"findings"`
	}](r.t, got.out).Findings {
		if (f.Level == "ok") != (f.Mend == "") {
			r.t.Errorf("what to do and whether there is something differ: %+v", f)
		}
		found[f.Check] = f
	}
	return found
}

// expect checks one finding.
func expect(t *testing.T, found map[string]finding, check, level, says string) {
	t.Helper()
	f, ok := found[check]
	if !ok || f.Level != level || !strings.Contains(f.Says, says) {
		t.Errorf("%s: got %+v, want %s, %q", check, f, level, says)
	}
}

func (r *rig) ledgerPath() string {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.dir, "*.ledger.db"))
	if err != nil || len(paths) != 1 {
		r.t.Fatalf("ledgers %v, %v", paths, err)
	}
	return paths[0]
}

// edit changes the ledger while nobody has it open.
func (r *rig) edit(statements ...string) {
	r.t.Helper()
	db, err := sql.Open("sqlite", "file:"+r.ledgerPath())
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(r.t.Context(), s); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) write(name, text string, mode fs.FileMode) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// On a fresh machine nothing is wrong, and doctor makes nothing.
func TestDoctorBeforeAnything(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	found := r.doctor(0)
	expect(t, found, "ledger", "ok", "there is none yet")
	expect(t, found, "sandbox", "ok", "there is none yet")
	expect(t, found, "tools", "ok", "schemas compiled")
	expect(t, found, "policy", "ok", "built-in")
	if _, err := os.Stat(r.dir); err == nil {
		t.Error("doctor made the data directory")
	}
	if got := r.must(0, "doctor").out; !strings.HasSuffix(got, "\nNothing is wrong.\n") {
		t.Errorf("printed %s", got)
	}
	r.must(2, "doctor", "all")
	r.must(2, "doctor", "--config", filepath.Join(r.dir, "none.yaml"))
}

func TestDoctorOfAGoodMachine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	r.policy("refund_ceilings: {USD: {per_refund_cents: 1, per_ticket_cents: 2}}")
	before, err := os.ReadFile(r.ledgerPath()) // nobody has it open
	if err != nil {
		t.Fatal(err)
	}
	found := r.doctor(0, "--full", "--sweep-every", "20s")
	for check, says := range map[string]string{
		"configuration": "sweep-every 20s (--sweep-every)", "sandbox": "reached; account sandbox-", "declared, refunds": "deduplicates for 24 h",
		"policy": "version ", "ledger": "schema 1", "ledger settings": "journal_mode wal, synchronous full", "ledger lock": "can be had",
		"ledger write": "possible", "ledger, every page": "no damage", "open acts": "none", "orphaned acts": "none", "outbox": "empty",
		"clock": "20", "operator's secret": "none is set", "files": "their owner's alone", "sqlite3 on the PATH": "none",
	} {
		expect(t, found, check, "ok", says)
	}
	after, err := os.ReadFile(r.ledgerPath())
	if err != nil || string(after) != string(before) {
		t.Errorf("doctor changed the ledger: %v", err)
	}
	r.must(0, refund()...)
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).UnixMilli() }
	tests := []struct {
		name         string
		make         func(r *rig)
		code         int
		check, level string
		says         string
	}{
		{"a newer file", func(r *rig) { r.edit("UPDATE ledger SET schema = 99", "PRAGMA user_version = 99") }, 1, "ledger", "wrong", "schema 99"},
		{"another account's", func(r *rig) { r.edit("UPDATE accounts SET name = 'acct_2'") }, 1, "ledger", "wrong", "of account acct_2"},
		{"no ledger", func(r *rig) { r.write(filepath.Base(r.ledgerPath()), strings.Repeat("notes ", 2000), 0o600) }, 1, "ledger", "wrong", "cannot be read"},
		{"another journal", func(r *rig) { r.edit("PRAGMA journal_mode = DELETE") }, 1, "ledger settings", "wrong", "journal_mode delete, not wal"},
		{"orphans", func(r *rig) {
			r.edit(fmt.Sprintf("UPDATE intents SET state = 'in_flight', open = 1, created_at = %d", ago(3*time.Hour)))
		}, 0, "orphaned acts", "warn", "1 act in flight whose process is gone, the oldest since 3 h"},
		{"unknown", func(r *rig) { r.edit("UPDATE intents SET state = 'unknown', open = 1") }, 0, "open acts, unknown", "warn", "1 act"},
		{"an approval", func(r *rig) { r.must(1, sofa...) }, 0, "open acts, awaiting_approval", "warn", "1 act"},
		{"an old outbox", func(r *rig) {
			r.must(1, sofa...)
			r.edit("UPDATE escalations SET delivered_at = NULL, tries = 9", "DROP TRIGGER escalations_fixed",
				fmt.Sprintf("UPDATE escalations SET created_at = %d", ago(2*time.Hour)))
		}, 1, "outbox", "wrong", "1 message to people not delivered, the oldest for 2 h; tried up to 9 times"},
		{"a spill", func(r *rig) { r.write(filepath.Base(r.ledgerPath())+".spill", "x", 0o600) }, 0, "spill file", "warn", "could not be written"},
		{"a bad spill", func(r *rig) { r.write(filepath.Base(r.ledgerPath())+".spill.bad", "x", 0o600) }, 0, "spill file, kept aside", "warn", "could not be read back"},
		{"a clock that was set back", func(r *rig) {
			r.edit(fmt.Sprintf("UPDATE intents SET updated_at = %d", time.Now().Add(3*time.Hour).UnixMilli()))
		}, 1, "clock", "wrong", "behind the newest act"},
		{"no policy", func(r *rig) { r.policy("refund_ceilings: 7") }, 1, "policy", "wrong", "policy.yaml"},
		{"no sandbox", func(r *rig) { r.write("sandbox.db", strings.Repeat("notes ", 2000), 0o600) }, 1, "sandbox", "wrong", ""},
		{"a file for all", func(r *rig) {
			if err := os.Chmod(r.write("policy.yaml", "refund_ceilings: {}", 0o600), 0o644); err != nil {
				r.t.Fatal(err)
			}
		}, 0, "files", "warn", "policy.yaml"},
		{"a broken hash", func(r *rig) { r.write("operator.hash", "secret", 0o600) }, 1, "operator's secret", "wrong", "hash"},
		{"a secret", func(r *rig) { r.types(right, right); r.must(0, "operator", "init") }, 0, "operator's secret", "ok", "set;"},
		{"another ledger named", func(r *rig) { r.env["COUNTERFOIL_SANDBOX_URL"] = "http://127.0.0.1:1" }, 1, "sandbox", "wrong", "does not answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.must(0, refund()...)
			tt.make(r)
			expect(t, r.doctor(tt.code), tt.check, tt.level, tt.says)
			if text := r.must(tt.code, "doctor").out; tt.level != "ok" && !strings.Contains(text, "       -> ") {
				t.Errorf("it does not say how to mend it:\n%s", text)
			}
		})
	}
}

func TestDoctorDamage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	r.edit("PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'intents_blocking'")
	r.doctor(0)
	found := r.doctor(1, "--full")
	if f := found["ledger, every page"]; f.Level != "wrong" && found["ledger"].Level != "wrong" {
		t.Errorf("got %+v, %+v", f, found["ledger"])
	}
}

func TestDoctorAsksOtherPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a script cannot stand in for a program")
	}
	tests := []struct{ name, script, level, says string }{
		{"old", "echo 3.40.1 2022-12-28 14:03:47", "warn", "3.40.1: before 3.51.3"},
		{"new enough", "echo 3.51.3 2026-02-02", "ok", "3.51.3"},
		{"newer", "echo 4.0.0", "ok", "4.0.0"},
		{"silent", "true", "warn", "does not say"},
		{"broken", "echo 3.60.1; exit 1", "warn", "does not say"},
		{"hanging", "exec sleep 100", "warn", "does not say"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "sqlite3"), []byte("#!/bin/sh\nPATH=/bin:/usr/bin\n"+tt.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			r.env["PATH"] = filepath.Join(bin, "none") + string(filepath.ListSeparator) + bin
			expect(t, r.doctor(0), "sqlite3 on the PATH", tt.level, tt.says)
		})
	}
}

// The authority's clock is told by its Date header.
func TestDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		off   time.Duration
		code  int
		level string
		says  string
	}{
		{"the same", 0, 0, "ok", "the same"},
		{"a little ahead", 2 * time.Minute, 0, "warn", "behind its own"},
		{"far behind", -3 * time.Hour, 1, "wrong", "ahead of its own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			box, err := sandbox.Open(t.Context(), filepath.Join(t.TempDir(), "sandbox.db"), sandbox.Options{Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", time.Now().Add(tt.off).UTC().Format(http.TimeFormat))
				box.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { server.Close(); _ = box.Close() })
			r := newRig(t)
			r.env["COUNTERFOIL_SANDBOX_URL"] = server.URL
			expect(t, r.doctor(tt.code), "clock of the authority", tt.level, tt.says)
		})
	}
}

// Doctor works beside a server, and takes nothing from it.
func TestDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	c := r.serve("serve")
	c.call("issue_refund", refundOf("HOOK-OAK-2", 2600))
	found := r.doctor(0, "--full")
	expect(t, found, "ledger write", "ok", "possible")
	expect(t, found, "orphaned acts", "ok", "none")
	if got := c.call("issue_refund", refundOf("HOOK-OAK-2", 2600)); got["outcome"] != "already_performed" {
		t.Errorf("after it, the server answers %v", got)
	}
	c.in.Close()
	if got := <-c.ended; got.code != 0 {
		t.Errorf("ended with %d: %s", got.code, got.err)
	}
}
