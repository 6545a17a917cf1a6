package store_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"counterfoil/intent"
)

func TestSpillIsRemovedOnceRead(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	if err := l.Spill(record(row)); err != nil {
		t.Fatal(err)
	}
	again := open(t, path) // while the first still runs
	if got, _ := find(t, l, row.Key); got.State != intent.StatePerformed {
		t.Errorf("state %s", got.State)
	}
	if _, err := os.Stat(path + ".spill"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the spill file: %v", err)
	}
	if f := again.Findings(); len(f) != 1 || !strings.Contains(f[0], row.Key.String()) {
		t.Errorf("findings %q", f)
	}
	if f := open(t, path).Findings(); len(f) != 0 {
		t.Errorf("findings of the next opening: %q", f)
	}
}

func TestUnreadableSpillIsKeptAside(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	if err := os.WriteFile(path+".spill", []byte("{\"spill\":1,\"cha\n{\"spill\":1,\"account\":\"acct_2\",\"change\":{},\"arguments\":[null]}\n{\"spi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Spill(record(row)); err != nil { // after a line that a crash cut off
		t.Fatal(err)
	}
	again := open(t, path)
	if got, _ := find(t, again, row.Key); got.State != intent.StatePerformed {
		t.Errorf("the line that can be read: state %s", got.State)
	}
	bad, err := os.ReadFile(path + ".spill.bad")
	if err != nil || bytes.Count(bad, []byte("\n")) != 3 {
		t.Errorf("kept aside: %q, %v", bad, err)
	}
	if f := again.Findings(); len(f) != 4 {
		t.Errorf("findings %q", f)
	}
}

func TestSpillThatCannotBeAppliedIsKeptAside(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	if err := l.Spill(record(row)); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteSQL("CREATE TRIGGER stop BEFORE UPDATE ON intents BEGIN SELECT raise(ABORT, 'stop'); END"); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if len(again.Findings()) != 1 {
		t.Errorf("findings %q", again.Findings())
	}
	kept, err := os.ReadFile(path + ".spill.bad")
	if err != nil || !bytes.Contains(kept, []byte(row.Nonce)) {
		t.Errorf("kept aside: %q, %v", kept, err)
	}
	if got, _ := find(t, again, row.Key); got != row {
		t.Errorf("the row is %+v", got)
	}
}

func TestSpillWaitsForALedgerThatCanBeWritten(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	row := commit(t, l, claim(1))
	if err := l.Spill(record(row)); err != nil {
		t.Fatal(err)
	}
	at := rootOf(t, l, "intents")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, path, at)
	l = open(t, path)
	if len(l.Findings()) != 1 {
		t.Errorf("findings %q", l.Findings())
	}
	if kept, err := os.ReadFile(path + ".spill"); err != nil || !bytes.Contains(kept, []byte(row.Nonce)) {
		t.Errorf("the spill file: %q, %v", kept, err)
	}
}
