package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/store"
)

func TestOpenManyAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			l, err := store.Open(t.Context(), options(path))
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if _, err := l.Commit(t.Context(), claim(n)); err != nil {
				t.Errorf("commit: %v", err)
			}
			if err := l.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	wg.Wait()
	rows, err := open(t, path).List(t.Context(), 100)
	if err != nil || len(rows) != 8 {
		t.Errorf("%d rows, %v; want 8", len(rows), err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	tests := []struct {
		name        string
		write, read string
	}{
		{"journal_mode", "wal", "wal"},
		{"synchronous", "2", "2"},
		{"foreign_keys", "1", "1"},
		{"trusted_schema", "0", "0"},
		{"busy_timeout", "2000", "2000"},
		{"journal_size_limit", strconv.Itoa(64 << 20), strconv.Itoa(64 << 20)},
		{"query_only", "0", "1"},
		{"secure_delete", "1", "0"},
		{"application_id", strconv.Itoa(0x63666f69), strconv.Itoa(0x63666f69)},
		{"user_version", strconv.Itoa(store.SchemaVersion), strconv.Itoa(store.SchemaVersion)},
	}
	for _, tt := range tests {
		write, err := l.WritePragma(tt.name)
		if err != nil || write != tt.write {
			t.Errorf("%s where it writes: %s, %v; want %s", tt.name, write, err, tt.write)
		}
		read, err := l.ReadPragma(tt.name)
		if err != nil || read != tt.read {
			t.Errorf("%s where it reads: %s, %v; want %s", tt.name, read, err, tt.read)
		}
	}
	if runtime.GOOS == "linux" && !sqlite.OFDLockingEnabled() {
		t.Error("a close anywhere in the process would drop the ledger's locks")
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "acct.ledger.db")
	l := open(t, path)
	commit(t, l, claim(1))
	if err := l.Spill(claim(2)); err != nil {
		t.Fatal(err)
	}
	if err := l.Backup(t.Context(), filepath.Join(dir, "backup.db")); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %o, want %o", filepath.Base(path), got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock", path + ".spill", path + ".owners/" + l.Owner()} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// edit changes a ledger that nobody has open.
func edit(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// closed is the path of a ledger with one row, closed.
func closed(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	l := open(t, path)
	commit(t, l, claim(1))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenRefusesANewerFile(t *testing.T) {
	t.Parallel()
	path := closed(t)
	edit(t, path, "UPDATE ledger SET schema = 99", "PRAGMA user_version = 99")
	_, err := store.Open(t.Context(), options(path))
	var version *store.VersionError
	if !errors.As(err, &version) || version.Schema != 99 {
		t.Errorf("a newer schema: got error %v", err)
	}
	edit(t, path, "UPDATE ledger SET schema = 1, key_version = 7", "PRAGMA user_version = 1")
	_, err = store.Open(t.Context(), options(path))
	if !errors.As(err, &version) || version.KeyVersion != 7 {
		t.Errorf("other keys: got error %v", err)
	}
	edit(t, path, "UPDATE ledger SET key_version = 1")
	if _, ok := find(t, open(t, path), key(1)); !ok {
		t.Error("the refused openings left the row alone")
	}
}

func TestNewerVersionTakesTheFileOver(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row := commit(t, l, claim(1))
	for _, takeover := range []string{"UPDATE ledger SET schema = 2", "UPDATE ledger SET schema = 1, key_version = 2"} {
		if err := l.WriteSQL(takeover); err != nil {
			t.Fatal(err)
		}
		_, err := l.Commit(t.Context(), record(row))
		var version *store.VersionError
		if !errors.Is(err, intent.ErrReadOnly) || !errors.As(err, &version) {
			t.Errorf("after %s: got error %v", takeover, err)
		}
		if err := l.Writable(t.Context()); !errors.Is(err, intent.ErrReadOnly) {
			t.Errorf("writable after %s: got error %v", takeover, err)
		}
	}
	if got, _ := find(t, l, key(1)); got != row {
		t.Errorf("the row is %+v", got)
	}
}

func TestOpenRefusesAnotherAccount(t *testing.T) {
	t.Parallel()
	path := closed(t)
	o := options(path)
	o.Account = "acct_2/live"
	for _, o.ReadOnly = range []bool{false, true} {
		_, err := store.Open(t.Context(), o)
		var account *store.AccountError
		if !errors.As(err, &account) || account.Found != ledgertest.Account || account.Asked != o.Account {
			t.Errorf("read-only %v: got error %v", o.ReadOnly, err)
		}
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	edit(t, path, "CREATE TABLE notes (text TEXT)")
	_, err := store.Open(t.Context(), options(path))
	var foreign *store.ForeignError
	if !errors.As(err, &foreign) {
		t.Errorf("another program's database: got error %v", err)
	}

	path = newPath(t)
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), options(path)); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("no database: got error %v", err)
	}
}

func TestOpenRefusesAnUnsafePlaceForARealProvider(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Dropbox", "acct.ledger.db")
	o := options(path)
	o.RealProvider = true
	_, err := store.Open(t.Context(), o)
	var place *store.FileSystemError
	if !errors.As(err, &place) || place.Kind == "" {
		t.Errorf("a real provider: got error %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused opening makes no file: %v", err)
	}
	if l := open(t, path); len(l.Findings()) != 1 {
		t.Errorf("findings for the sandbox: %q", l.Findings())
	}
}

func TestMemoryFileSystemIsUnsafe(t *testing.T) {
	t.Parallel()
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); err != nil || runtime.GOOS != "linux" {
		t.Skip("no " + shm)
	}
	if kind, err := store.UnsafePlace(shm); err != nil || kind != "tmpfs" {
		t.Errorf("%s: %q, %v", shm, kind, err)
	}
}

func TestQueueGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	leave, err := store.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := store.Enter(short, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another has the turn: %v", err)
	}
	if err := leave(); err != nil {
		t.Fatal(err)
	}
	// The waiter that gave up may still come to have the turn; it lets go of it.
	leave, err = store.Enter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := leave(); err != nil {
		t.Error(err)
	}
}

func TestClosedLedger(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row := commit(t, l, claim(1))
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Commit(t.Context(), record(row)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("commit: got error %v", err)
	}
	if _, _, err := l.Find(t.Context(), row.Key); !errors.Is(err, store.ErrClosed) {
		t.Errorf("find: got error %v", err)
	}
	if l.Alive(l.Owner()) {
		t.Error("who has closed is not alive")
	}
}
