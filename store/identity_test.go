package store_test

import (
	"errors"
	"os"
	"testing"

	"counterfoil/intent"
)

// A file that was removed under a running process takes no more writes: what
// it would hold, nobody would ever read.
func TestFileRemovedWhileOpen(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	commit(t, l, claim(1))
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Commit(t.Context(), claim(2)); !errors.Is(err, intent.ErrReadOnly) {
		t.Errorf("a commit to a removed file: %v, want ErrReadOnly", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	commit(t, l, claim(2))
}
