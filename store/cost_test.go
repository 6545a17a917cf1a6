package store_test

import (
	"os"
	"sync/atomic"
	"testing"

	"counterfoil/intent"
	"counterfoil/store"
)

// TestCost counts transactions that reach the disk.
func TestCost(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	var commits atomic.Int64
	l.OnCommit(func() { commits.Add(1) })
	walSize := func() int64 {
		info, err := os.Stat(path + "-wal") // its size alone: nothing is opened
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	costs := func(what string, want int64, do func()) {
		t.Helper()
		before, size := commits.Load(), walSize()
		do()
		if got := commits.Load() - before; got != want {
			t.Errorf("%s: %d durable commits, want %d", what, got, want)
		}
		if want == 0 && walSize() != size {
			t.Errorf("%s: the -wal grew", what)
		}
	}

	var row intent.Row
	c := claim(1)
	c.Row.Owner = l.Owner()
	costs("claim", 1, func() { row = commit(t, l, c) })
	costs("record", 1, func() { row = commit(t, l, record(row)) })
	seller, ticket := c.Resources[1], c.Resources[3]
	costs("reads", 0, func() {
		ctx := t.Context()
		find(t, l, row.Key)
		if _, ok, err := l.Recognise(ctx, ticket, fingerprint(1)); !ok || err != nil {
			t.Error(ok, err)
		}
		if _, err := l.Around(ctx, seller, 10); err != nil {
			t.Error(err)
		}
		if _, err := l.Totals(ctx, c.Resources, "USD", row.Key); err != nil {
			t.Error(err)
		}
		if _, err := l.Mark(ctx); err != nil {
			t.Error(err)
		}
		if _, err := l.Orphans(ctx, 10); err != nil {
			t.Error(err)
		}
	})
	costs("repeats", 0, func() {
		for range 100 {
			l.CountRepeat(row.Key)
		}
	})
	costs("a refused claim", 0, func() {
		if _, err := l.Commit(t.Context(), c); err == nil {
			t.Error("want an error")
		}
	})
	costs("the commit that carries the repeats", 1, func() { commit(t, l, claim(2)) })
	l.CountRepeat(row.Key)
	repeats(t, l, row.Key, 101)
	costs("proof that a write is possible", 1, func() {
		if err := l.Writable(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	repeats(t, l, row.Key, 101)
	if got, _ := find(t, l, row.Key); got != row {
		t.Errorf("counting changed the row to %+v", got)
	}
}

func repeats(t *testing.T, l *store.Ledger, key intent.Key, want int64) {
	t.Helper()
	if got, err := l.Repeats(t.Context(), key); err != nil || got != want {
		t.Errorf("%d repeats, %v; want %d", got, err, want)
	}
}
