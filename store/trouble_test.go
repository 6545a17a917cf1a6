package store_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"counterfoil/intent"
	"counterfoil/store"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(0))
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	var err error
	n := 0
	for err == nil { // what is left of the last pages
		n++
		_, err = l.Commit(t.Context(), claim(n))
	}
	if !errors.Is(err, intent.ErrReadOnly) || !strings.Contains(err.Error(), "claim "+key(n).String()+": disk full") {
		t.Errorf("got error %v", err)
	}
	if _, ok := find(t, l, key(n)); ok {
		t.Error("a refused claim left a row")
	}
	big := record(row)
	big.Attempt.Detail = strings.Repeat("x", 100_000)
	if _, err := l.Commit(t.Context(), big); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("record: got error %v", err)
	}
	if got, _ := find(t, l, row.Key); got != row {
		t.Errorf("a refused record changed the row to %+v", got)
	}
	if err := l.Spill(big); err != nil {
		t.Fatal(err)
	}
	if got, _ := find(t, open(t, path), row.Key); got.State != intent.StatePerformed {
		t.Errorf("after the disk has room again: %s", got.State)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	o := options(closed(t))
	o.ReadOnly = true
	l, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	row, ok := find(t, l, key(1))
	if !ok {
		t.Fatal("the row is there to be read")
	}
	for what, c := range map[string]intent.Change{"claim": claim(2), "record": record(row)} {
		if _, err := l.Commit(t.Context(), c); !errors.Is(err, intent.ErrReadOnly) {
			t.Errorf("%s: got error %v", what, err)
		}
	}
	if err := l.Writable(t.Context()); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("writable: got error %v", err)
	}
	if l.Owner() != "" || l.Alive("") {
		t.Error("who only reads owns nothing")
	}
	o.Path += ".other"
	if _, err := store.Open(t.Context(), o); err == nil {
		t.Error("a file that is not there is not made")
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	at := rootOf(t, l, "intents")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path, at)

	l = open(t, path)
	if err := l.Writable(t.Context()); err != nil {
		t.Errorf("before the damage is met: %v", err)
	}
	if _, err := l.Commit(t.Context(), record(row)); !errors.Is(err, intent.ErrReadOnly) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("where the damage is: got error %v", err)
	}
	elsewhere := intent.Change{Escalate: []intent.Escalation{{Key: key(9), Cause: intent.CauseHandoff}}}
	if _, err := l.Commit(t.Context(), elsewhere); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("elsewhere, once it was met: got error %v", err)
	}
}

// rootOf is where in the file the first page of a table lies.
func rootOf(t *testing.T, l *store.Ledger, table string) int64 {
	t.Helper()
	var root int64
	err := l.ReadSQL(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", []any{table},
		func(scan func(...any) error) error { return scan(&root) })
	if err != nil {
		t.Fatal(err)
	}
	return (root - 1) * 4096
}

func damage(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 4096)), at); err != nil {
		t.Fatal(err)
	}
}

func TestCommitOfUnknownResult(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk went away")
	answered := func() error { return broken }
	deliver := intent.Escalation{Key: key(9), Tries: 1, HandoffID: "H-1", DeliveredAt: now}
	changes := func(row intent.Row) map[string]intent.Change {
		return map[string]intent.Change{
			"claim":    claim(2),
			"record":   record(row),
			"escalate": {Escalate: []intent.Escalation{{Key: key(8), Cause: intent.CauseHandoff}}},
			"deliver":  {Update: &deliver},
		}
	}
	for what := range changes(intent.Row{}) {
		l := open(t, newPath(t))
		c := claim(1)
		c.Escalate = []intent.Escalation{{Key: key(9), Cause: intent.CauseHandoff}}
		row := commit(t, l, c)
		l.InsteadOfCommit(answered)
		if _, err := l.Commit(t.Context(), changes(row)[what]); !errors.Is(err, broken) {
			t.Errorf("%s, not made: got error %v", what, err)
		}
		if got, _ := find(t, l, key(1)); got != row {
			t.Errorf("%s, not made, changed the row to %+v", what, got)
		}

		l = open(t, newPath(t))
		row = commit(t, l, c)
		l.AfterCommit(answered)
		change := changes(row)[what]
		got, err := l.Commit(t.Context(), change)
		if err != nil {
			t.Errorf("%s, made: got error %v", what, err)
		}
		if change.Row == nil {
			continue
		}
		if there, _ := find(t, l, change.Row.Key); there != got || got.Version == 0 {
			t.Errorf("%s, made: returned %+v, there is %+v", what, got, there)
		}
	}
}
