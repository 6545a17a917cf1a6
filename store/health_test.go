package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/store"
)

func examine(t *testing.T, path string, more ...string) store.Health {
	t.Helper()
	return store.ExamineWith(t.Context(), store.Examination{Path: path, Account: ledgertest.Account}, more...)
}

func TestExamineAGoodLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	commit(t, l, record(row))
	h := examine(t, path) // while it is used
	if h.Unreadable != nil || h.Turn != nil || h.Write != nil || !h.There || h.Schema != store.SchemaVersion || h.Account != ledgertest.Account {
		t.Fatalf("got %+v", h)
	}
	for _, s := range h.Settings {
		if s.Got != s.Want {
			t.Errorf("%s: %s, want %s", s.Name, s.Got, s.Want)
		}
	}
	if len(h.Settings) != 4 || h.Free <= 0 || h.Bytes <= 0 || h.UnsafeKind != "" || h.Spill.Path != "" || h.SpillBad.Path != "" {
		t.Errorf("got %+v", h)
	}
	want := store.Contents{Newest: row.UpdatedAt}
	if diff := cmp.Diff(want, h.Contents); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	if h := store.Examine(t.Context(), store.Examination{Path: path, Full: true}); h.Unreadable != nil || h.Account != ledgertest.Account || !h.Checked || h.Damage != nil {
		t.Errorf("whoever's it is: %+v", h)
	}
}

// Examining leaves the file and its neighbours as they are.
func TestExamineChangesNothing(t *testing.T) {
	t.Parallel()
	path := closed(t)
	before, err := os.ReadFile(path) // closed
	if err != nil {
		t.Fatal(err)
	}
	h := examine(t, path)
	if h.Unreadable != nil || h.Write != nil {
		t.Fatalf("got %+v", h)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("the -wal has %d bytes", info.Size())
	}
	if _, ok := find(t, open(t, path), key(1)); !ok {
		t.Error("the row is gone")
	}

	none := newPath(t)
	if h := examine(t, none); h.There || h.Unreadable != nil || h.Free <= 0 {
		t.Errorf("of none: %+v", h)
	}
	if h := examine(t, filepath.Join(none, "further", "down.db")); h.There || h.Free <= 0 {
		t.Errorf("in no directory: %+v", h)
	}
	if entries, err := os.ReadDir(filepath.Dir(none)); err != nil || len(entries) != 0 {
		t.Errorf("it made %v", entries)
	}
}

func TestExamineWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, setting, says string }{
		{"full", "max_page_count = 1", "disk full"},
		{"read-only", "query_only = ON", "read-only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := examine(t, closed(t), tt.setting)
			if h.Unreadable != nil || !errors.Is(h.Write, intent.ErrReadOnly) || !strings.Contains(h.Write.Error(), tt.says) {
				t.Errorf("got %v, %v", h.Unreadable, h.Write)
			}
		})
	}
}

func TestExamineABusyLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	leave, err := store.Enter(t.Context(), path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	if h := examine(t, path); h.Turn == nil || h.Write != nil {
		t.Errorf("while another has the turn: %v, %v", h.Turn, h.Write)
	}
	if err := leave(); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteSQL("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if h := examine(t, path, "busy_timeout = 1"); h.Turn != nil || !errors.Is(h.Write, store.ErrBusy) {
		t.Errorf("while another writes: %v, %v", h.Turn, h.Write)
	}
	if err := l.WriteSQL("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

func TestExamineWhatIsNoLedgerOfOurs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		path func(t *testing.T) string
		is   func(error) bool
	}{
		{"newer", func(t *testing.T) string {
			path := closed(t)
			edit(t, path, "UPDATE ledger SET schema = 99", "PRAGMA user_version = 99")
			return path
		}, as[*store.VersionError]},
		{"of another account", func(t *testing.T) string {
			path := closed(t)
			edit(t, path, "UPDATE accounts SET name = 'acct_2/live'")
			return path
		}, as[*store.AccountError]},
		{"another program's", func(t *testing.T) string {
			path := newPath(t)
			edit(t, path, "CREATE TABLE notes (text TEXT)")
			return path
		}, as[*store.ForeignError]},
		{"no database", func(t *testing.T) string {
			path := newPath(t)
			if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, func(err error) bool { return errors.Is(err, intent.ErrReadOnly) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if h := examine(t, tt.path(t)); !h.There || !tt.is(h.Unreadable) || h.Settings != nil {
				t.Errorf("got %v, %+v", h.Unreadable, h)
			}
		})
	}
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func TestExamineContents(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l, other := open(t, path), open(t, path)
	dead := claim(1)
	dead.Row.Owner = other.Owner()
	commit(t, l, dead)
	alive := claim(2)
	alive.Row.Owner = l.Owner()
	alive.Escalate = []intent.Escalation{
		{Key: key(8), Cause: intent.CauseUnknown, CreatedAt: now.Add(time.Minute), Tries: 7, NotifiedAt: now},
		{Key: key(9), Cause: intent.CauseUnknown, CreatedAt: now},
	}
	commit(t, l, alive)
	if err := other.Kill(); err != nil {
		t.Fatal(err)
	}
	unknown := claim(3)
	unknown.Row.State = intent.StateUnknown
	commit(t, l, unknown)
	if err := l.Spill(claim(4)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".spill.bad", []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := examine(t, path)
	since := dead.Row.CreatedAt
	want := store.Contents{
		Open: []store.Standing{
			{State: intent.StateInFlight, Count: 2, Since: since, Oldest: key(1)},
			{State: intent.StateUnknown, Count: 1, Since: unknown.Row.CreatedAt, Oldest: key(3)},
		},
		Orphans: store.Standing{State: intent.StateInFlight, Count: 1, Since: since, Oldest: key(1)},
		Outbox:  store.Untold{Count: 2, Notified: 1, Since: now, Tries: 7},
		Newest:  unknown.Row.UpdatedAt,
	}
	if diff := cmp.Diff(want, h.Contents); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	if h.Spill.Path != path+".spill" || h.Spill.Bytes == 0 || h.SpillBad.Bytes != 3 {
		t.Errorf("spilled: %+v, %+v", h.Spill, h.SpillBad)
	}
}

func TestExamineSettings(t *testing.T) {
	t.Parallel()
	path := closed(t)
	edit(t, path, "PRAGMA journal_mode = DELETE")
	h := examine(t, path, "locking_mode = exclusive")
	for _, want := range []store.Setting{{"journal_mode", "delete", "wal"}, {"locking_mode", "exclusive", "normal"}} {
		if !slices.Contains(h.Settings, want) {
			t.Errorf("settings %v, want %v", h.Settings, want)
		}
	}
}

func TestExamineDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	commit(t, l, claim(1))
	at := rootOf(t, l, "resources")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path, at)
	if h := examine(t, path); h.Unreadable != nil || h.Checked {
		t.Errorf("not looked for: %+v", h)
	}
	h := store.Examine(t.Context(), store.Examination{Path: path, Full: true})
	if !h.Checked || len(h.Damage) == 0 && h.Unreadable == nil {
		t.Errorf("looked for: %+v", h)
	}
}

// Sums and chains may be wrong on pages that are in order.
func TestExamineSumsAndChains(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	for n := range 3 {
		commit(t, l, record(commit(t, l, claim(n))))
	}
	commit(t, l, claim(3))
	for _, c := range []struct{ name, damage, repair, want string }{
		{name: "in order"},
		{
			"a sum", "UPDATE resources SET spent = spent - 1 WHERE name = 'S-ASHCOMBE'", "UPDATE resources SET spent = spent + 1 WHERE name = 'S-ASHCOMBE'",
			"seller S-ASHCOMBE: 11800 open and 47199 spent USD are kept, its intents make 11800 and 47200",
		},
		{
			"a sum in another currency", "INSERT INTO resources SELECT kind, name, 'EUR', changed, 5, 5, 0 FROM resources WHERE name = 'S-ASHCOMBE'",
			"DELETE FROM resources WHERE currency = 'EUR'", "seller S-ASHCOMBE: 5 open and 5 spent EUR are kept, its intents make 0 and 0",
		},
		{
			"an end that is not the newest", "UPDATE resources SET last = 3, open = 0, spent = 35400 WHERE name = 'S-ASHCOMBE'",
			"UPDATE resources SET last = 4, open = 11800, spent = 47200 WHERE name = 'S-ASHCOMBE'", "the intents list 16 resources, and the chains reach 15",
		},
		{
			"an end that is not there", "UPDATE resources SET last = 9 WHERE name = 'S-ASHCOMBE'", "UPDATE resources SET last = 4 WHERE name = 'S-ASHCOMBE'",
			"seller S-ASHCOMBE: its chain breaks off at intent 9",
		},
		{
			"a list", "UPDATE intents SET resources = x'01ff' WHERE id = 1", "", "intent 1: the resources of a row cannot be read",
		},
	} {
		if err := l.WriteSQL(c.damage); err != nil {
			t.Fatal(err)
		}
		h := store.Examine(t.Context(), store.Examination{Path: path, Full: true})
		if found := strings.Join(h.Damage, "\n"); h.Unreadable != nil || (found == "") != (c.want == "") || !strings.HasPrefix(found, c.want) {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", c.name, h.Unreadable, found, c.want)
		}
		if err := l.WriteSQL(c.repair); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExamineAnUnsafePlace(t *testing.T) {
	t.Parallel()
	if h := examine(t, filepath.Join(t.TempDir(), "Dropbox", "acct.ledger.db")); h.UnsafeKind == "" {
		t.Errorf("got %+v", h)
	}
}
