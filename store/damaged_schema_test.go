package store_test

import (
	"database/sql"
	"errors"
	"testing"

	"counterfoil/intent"
)

// A byte of the schema's text is another: a column of the outbox has another
// name. That is damage like any other, and once it is met nothing is written.
func TestDamagedSchema(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	commit(t, l, claim(1))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"PRAGMA writable_schema = ON",
		"UPDATE sqlite_schema SET sql = replace(sql, 'notified_at', 'notifiec_at') WHERE name = 'escalations'",
	} {
		if _, err := db.Exec(change); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	told := intent.Change{Escalate: []intent.Escalation{{Key: key(9), Cause: intent.CauseHandoff}}}
	if _, err := l.Commit(t.Context(), told); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("where the damage is: got error %v", err)
	}
	if _, err := l.Commit(t.Context(), claim(2)); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("elsewhere, once it was met: got error %v", err)
	}
}
