package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"counterfoil/intent"
	"counterfoil/store"
)

func TestBackup(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row := commit(t, l, claim(1))
	dst := filepath.Join(t.TempDir(), "a b?#%41.db")
	if err := l.Backup(t.Context(), dst); err != nil {
		t.Fatal(err)
	}
	later := commit(t, l, record(row))
	if err := l.Backup(t.Context(), dst); !errors.Is(err, store.ErrExists) {
		t.Errorf("onto a file that is there: got error %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(dst))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(dst) {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	restored := open(t, dst)
	if got, ok := find(t, restored, row.Key); !ok || got != row {
		t.Errorf("the backup has %+v", got)
	}
	if got, _ := find(t, l, row.Key); got != later {
		t.Errorf("the ledger has %+v", got)
	}
	if orphans, err := restored.Orphans(t.Context(), 5); err != nil || len(orphans) != 1 {
		t.Errorf("in the backup nobody is at it: %v, %v", orphans, err)
	}
	commit(t, restored, record(row))
	if got, _ := find(t, restored, row.Key); got.State != intent.StatePerformed {
		t.Errorf("state %s", got.State)
	}
}

func TestBackupOfAClosedLedger(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Backup(t.Context(), filepath.Join(t.TempDir(), "b.db")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("got error %v", err)
	}
}
