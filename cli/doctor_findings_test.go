package cli_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"counterfoil/cli"
	"counterfoil/intent"
	"counterfoil/store"
)

// good is a ledger of which nothing is to be said.
func good(changes ...func(*store.Health)) store.Health {
	h := store.Health{
		Path: "/data/a.ledger.db", There: true, Volume: "ext4", Free: 100 << 30, Account: "a", Schema: 1, Bytes: 4096,
		Settings: []store.Setting{{Name: "journal_mode", Got: "wal", Want: "wal"}},
	}
	for _, change := range changes {
		change(&h)
	}
	return h
}

// has checks that a finding is among others, and the worst of them.
func has(t *testing.T, found []cli.Finding, check string, level cli.Level) {
	t.Helper()
	for _, f := range found {
		if f.Check == check {
			if f.Level != level || f.Says == "" || (f.Mend == "") != (level == "ok") {
				t.Errorf("%s: got %+v, want %s", check, f, level)
			}
			continue
		}
		if f.Level != "ok" {
			t.Errorf("%s was not asked for: %+v", f.Check, f)
		}
	}
	if check != "" {
		for _, f := range found {
			if f.Check == check {
				return
			}
		}
		t.Errorf("no finding on %s among %+v", check, found)
	}
}

// What a test cannot make of a real disk.
func TestLedgerFindings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*store.Health)
		check  string
		level  cli.Level
	}{
		{"nothing", func(*store.Health) {}, "ledger", "ok"},
		{"none yet", func(h *store.Health) { h.There = false }, "ledger", "ok"},
		{"no room", func(h *store.Health) { h.Free = 1 << 20 }, "free disk space", "wrong"},
		{"little room", func(h *store.Health) { h.Free = 500 << 20 }, "free disk space", "warn"},
		{"room unknown", func(h *store.Health) { h.Free = -1 }, "free disk space", "ok"},
		{"full", func(h *store.Health) { h.Write = errors.New("disk full") }, "ledger write", "wrong"},
		{"busy", func(h *store.Health) { h.Write = store.ErrBusy }, "ledger write", "warn"},
		{"a stopped process", func(h *store.Health) { h.Turn = errors.New("deadline exceeded") }, "ledger lock", "warn"},
		{"NFS", func(h *store.Health) { h.UnsafeKind = "NFS" }, "ledger file system", "warn"},
		{"a volume without a name", func(h *store.Health) { h.Volume = "" }, "ledger file system", "ok"},
		{"the disk is gone", func(h *store.Health) { h.Unreadable = errors.New("the disk does not answer") }, "ledger", "wrong"},
		{"settings unread", func(h *store.Health) { h.Settings = nil }, "ledger settings", "warn"},
		{"damage", func(h *store.Health) { h.Checked, h.Damage = true, []string{"row 3 missing"} }, "ledger, every page", "wrong"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			has(t, cli.LedgerFindings(good(tt.change), false), tt.check, tt.level)
		})
	}
	has(t, cli.LedgerFindings(good(), true), "several desktops", "warn")
	onNFS := cli.LedgerFindings(good(func(h *store.Health) { h.UnsafeKind = "NFS" }), true)
	if onNFS[0].Level != "wrong" {
		t.Errorf("a real provider on NFS: %+v", onNFS[0])
	}
	if !strings.Contains(onNFS[0].Mend, "serve --http") || strings.Contains(onNFS[0].Mend, "Postgres") {
		t.Errorf("to be mended by what there is not: %s", onNFS[0].Mend)
	}
}

func TestContentFindings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)
	open := func(state intent.State, age time.Duration) func(*store.Health) {
		return func(h *store.Health) { h.Open = []store.Standing{{State: state, Count: 2, Since: now.Add(-age)}} }
	}
	outbox := func(age time.Duration, notified int) func(*store.Health) {
		return func(h *store.Health) {
			h.Outbox = store.Untold{Count: 2, Notified: notified, Since: now.Add(-age), Tries: 3}
		}
	}
	tests := []struct {
		name   string
		change func(*store.Health)
		check  string
		level  cli.Level
	}{
		{"nothing", func(*store.Health) {}, "open acts", "ok"},
		{"sending", open(intent.StateInFlight, time.Second), "open acts, in_flight", "ok"},
		{"sending for long", open(intent.StateInFlight, time.Hour), "open acts, in_flight", "warn"},
		{"approved a while ago", open(intent.StateReady, time.Hour), "open acts, ready", "warn"},
		{"on watch", open(intent.StateNotPerformed, 20*time.Second), "open acts, not_performed", "ok"},
		{"pending", open(intent.StatePerformed, 30*time.Hour), "open acts, performed", "ok"},
		{"queued", open(intent.StateQueued, time.Second), "open acts, queued", "ok"},
		{"unknown", open(intent.StateUnknown, time.Second), "open acts, unknown", "warn"},
		{"waits", open(intent.StateAwaiting, time.Second), "open acts, awaiting_approval", "warn"},
		{"orphans", func(h *store.Health) { h.Orphans = store.Standing{Count: 1, Since: now} }, "orphaned acts", "warn"},
		{"none", func(*store.Health) {}, "orphaned acts", "ok"},
		{"told", func(*store.Health) {}, "outbox", "ok"},
		{"just queued", outbox(time.Second, 0), "outbox", "ok"},
		{"late", outbox(5*time.Minute, 0), "outbox", "warn"},
		{"very late", outbox(2*time.Hour, 1), "outbox", "wrong"},
		{"very late, but notified", outbox(2*time.Hour, 2), "outbox", "warn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			has(t, cli.ContentFindings(good(tt.change), now), tt.check, tt.level)
		})
	}
	unread := good(func(h *store.Health) { h.Unreadable = errors.New("damaged") })
	if got := cli.ContentFindings(unread, now); got != nil {
		t.Errorf("of what could not be read: %+v", got)
	}
}

func TestClockFindings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)
	has(t, []cli.Finding{cli.ClockFinding(time.Time{}, now)}, "clock", "ok")
	has(t, []cli.Finding{cli.ClockFinding(now.Add(time.Second), now)}, "clock", "ok")
	has(t, []cli.Finding{cli.ClockFinding(now.Add(time.Minute), now)}, "clock", "wrong")
	for off, level := range map[time.Duration]cli.Level{0: "ok", -time.Minute: "warn", time.Minute: "warn", time.Hour: "wrong", -time.Hour: "wrong"} {
		has(t, []cli.Finding{cli.OffFinding(off)}, "clock of the authority", level)
	}
}

func TestDeclaredFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		caps  intent.Capabilities
		level cli.Level
	}{
		{intent.Capabilities{}, "warn"},
		{intent.Capabilities{Lookup: intent.LookupWebhook}, "warn"},
		{intent.Capabilities{Dedupe: time.Hour}, "warn"},
		{intent.Capabilities{Lookup: intent.LookupReadAfterWrite}, "ok"},
		{intent.Capabilities{Lookup: intent.LookupDelayed, LookupDelay: time.Minute, Dedupe: time.Hour, LandsWithin: time.Minute}, "ok"},
	} {
		has(t, []cli.Finding{cli.DeclaredFinding("x", tt.caps)}, "declared, x", tt.level)
	}
}
