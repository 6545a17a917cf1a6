package store_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"counterfoil/intent"
	"counterfoil/store"
)

// committed is what a Commit returned.
type committed struct {
	row intent.Row
	err error
}

// together has changes wait for one transaction, in this order, and returns what
// became of each.
func together(t *testing.T, l *store.Ledger, changes ...intent.Change) []committed {
	t.Helper()
	results := make([]committed, len(changes))
	var all []func()
	for i, c := range changes {
		all = append(all, func() { results[i].row, results[i].err = l.Commit(t.Context(), c) })
	}
	inOrder(l, all...)
	return results
}

// inOrder has callers wait for one transaction, each behind the one before.
func inOrder(l *store.Ledger, callers ...func()) {
	var wg sync.WaitGroup
	release := l.Hold()
	for i, call := range callers {
		wg.Go(call)
		for l.Waiting() < i+1 {
			runtime.Gosched()
		}
	}
	release()
	wg.Wait()
}

// transactions counts those that reach the disk from now on.
func transactions(l *store.Ledger) *atomic.Int64 {
	var n atomic.Int64
	l.OnCommit(func() { n.Add(1) })
	return &n
}

func TestCallersShareTransactions(t *testing.T) {
	t.Parallel()
	for callers, want := range map[int]int64{1: 1, 2: 1, store.BatchMost: 1, store.BatchMost + 1: 2, 3*store.BatchMost + 5: 4} {
		l := open(t, newPath(t))
		changes := make([]intent.Change, callers)
		for n := range changes {
			changes[n] = claim(n)
		}
		n := transactions(l)
		results := together(t, l, changes...)
		if got := n.Load(); got != want {
			t.Errorf("%d callers: %d transactions, want %d", callers, got, want)
		}
		versions := map[int64]bool{}
		for i, r := range results {
			if r.err != nil {
				t.Fatal(r.err)
			}
			if got, _ := find(t, l, key(i)); got != r.row {
				t.Errorf("returned %+v, there is %+v", r.row, got)
			}
			versions[r.row.Version] = true
		}
		if len(versions) != callers {
			t.Errorf("%d versions of %d changes", len(versions), callers)
		}
	}
}

// TestCallersInParallel has callers do as they do: no batch is arranged.
func TestCallersInParallel(t *testing.T) {
	t.Parallel()
	const callers, each = 64, 10
	l := open(t, newPath(t))
	n := transactions(l)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				row, err := l.Commit(t.Context(), claim(c*each+i))
				if err == nil {
					_, err = l.Commit(t.Context(), record(row))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := n.Load(); got > 2*callers*each/4 {
		t.Errorf("%d transactions of %d changes", got, 2*callers*each)
	}
}

// TestAloneInItsTransaction shows that a change is judged by what those before it
// in the transaction did, as if each had one of its own.
func TestAloneInItsTransaction(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row := commit(t, l, claim(0))
	mark, err := l.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sibling := claim(2)
	sibling.Row.Scope = "scope"
	blocked := claim(3)
	blocked.Row.Scope = "scope"
	late := claim(4) // decided before anything below was done to the seller
	late.Since = mark
	n := transactions(l)
	r := together(t, l, claim(1), claim(1), sibling, blocked, late, record(row), record(row))
	if got := n.Load(); got != 1 {
		t.Errorf("%d transactions", got)
	}
	for _, i := range []int{0, 2, 5} {
		if r[i].err != nil {
			t.Errorf("change %d: %v", i, r[i].err)
		}
	}
	var stale *intent.StaleError
	if !errors.As(r[1].err, &stale) || stale.Current != r[0].row {
		t.Errorf("the second claim of a key: %v", r[1].err)
	}
	if !errors.As(r[6].err, &stale) || stale.Current != r[5].row {
		t.Errorf("the second record of a row: %v", r[6].err)
	}
	var by *intent.BlockedError
	if !errors.As(r[3].err, &by) || by.By != r[2].row {
		t.Errorf("the second claim in a scope: %v", r[3].err)
	}
	if !errors.Is(r[4].err, intent.ErrMoved) {
		t.Errorf("a claim decided before its neighbours: %v", r[4].err)
	}
	for i, want := range []bool{true, true, true, false, false} {
		if _, ok := find(t, l, key(i)); ok != want {
			t.Errorf("claim %d is there: %v", i, ok)
		}
	}
}

func TestNobodySuffersForAnother(t *testing.T) {
	t.Parallel()
	cannotBe := claim(1)
	cannotBe.Row.State = "done"
	tooLate := claim(1)
	tooLate.Update = &intent.Escalation{Key: key(99)} // there is none
	commitOf := func(c intent.Change) func(*store.Ledger) error {
		return func(l *store.Ledger) error {
			_, err := l.Commit(t.Context(), c)
			return err
		}
	}
	inTransaction := func(query string, then func() error) func(*store.Ledger) error {
		return func(l *store.Ledger) error { return l.InTransaction(query, then) }
	}
	const writes = "INSERT INTO names (name) VALUES ('nobody')"
	for what, poisoned := range map[string]func(*store.Ledger) error{
		"what the schema refuses":      commitOf(cannotBe),
		"wrong after it has written":   commitOf(tooLate),
		"refused after it has written": inTransaction(writes, func() error { return intent.ErrMoved }),
		"a panic":                      inTransaction(writes, func() error { panic("ours") }),
		"a transaction that is gone":   inTransaction("ROLLBACK", func() error { return errors.New("gone") }),
	} {
		l := open(t, newPath(t))
		var r [3]committed
		var err error
		inOrder(
			l,
			func() { r[0].row, r[0].err = l.Commit(t.Context(), claim(0)) },
			func() { err = poisoned(l) },
			func() { r[1].row, r[1].err = l.Commit(t.Context(), claim(2)) },
			func() { r[2].row, r[2].err = l.Commit(t.Context(), claim(2)) },
		)
		var stale *intent.StaleError
		if r[0].err != nil || err == nil || r[1].err != nil || !errors.As(r[2].err, &stale) || stale.Current != r[1].row {
			t.Errorf("%s: %v, %v, %v, %v", what, r[0].err, err, r[1].err, r[2].err)
		}
		for n, want := range map[int]intent.Row{0: r[0].row, 1: {}, 2: r[1].row} {
			if got, _ := find(t, l, key(n)); got != want {
				t.Errorf("%s: row %d is %+v, want %+v", what, n, got, want)
			}
		}
		if n := count(t, l, "SELECT count(*) FROM names WHERE name = 'nobody'"); n != 0 {
			t.Errorf("%s: what it wrote stayed", what)
		}
		commit(t, l, claim(9))
	}
}

func count(t *testing.T, l *store.Ledger, query string) (n int) {
	t.Helper()
	if err := l.ReadSQL(t.Context(), query, nil, func(scan func(...any) error) error { return scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCommitOfABatchFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk went away")
	l := open(t, newPath(t))
	row := commit(t, l, claim(0))
	l.InsteadOfNextCommit(func() error { return broken })
	r := together(t, l, claim(1), claim(1), record(row))
	if !errors.Is(r[0].err, broken) || !errors.Is(r[2].err, broken) {
		t.Errorf("not made: %v, %v", r[0].err, r[2].err)
	}
	// It was refused for the sake of a claim that was undone.
	if got, _ := find(t, l, key(1)); r[1].err != nil || got != r[1].row {
		t.Errorf("the second claim: %v, there is %+v", r[1].err, got)
	}
	if got, _ := find(t, l, key(0)); got != row {
		t.Errorf("a record that was not made changed the row to %+v", got)
	}

	l = open(t, newPath(t))
	row = commit(t, l, claim(0))
	l.AfterCommit(func() error { return broken })
	r = together(t, l, claim(1), claim(1), record(row))
	var stale *intent.StaleError
	if r[0].err != nil || !errors.As(r[1].err, &stale) || stale.Current != r[0].row || r[2].err != nil {
		t.Errorf("made: %v, %v, %v", r[0].err, r[1].err, r[2].err)
	}
	if got, _ := find(t, l, key(0)); got != r[2].row || got.State != intent.StatePerformed {
		t.Errorf("a record that was made: %+v", got)
	}
}

// TestFullDiskInABatch: who still fits is served, and who does not is told so.
func TestFullDiskInABatch(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	row := commit(t, l, claim(0))
	if err := l.Fill(); err != nil {
		t.Fatal(err)
	}
	big := claim(1)
	big.Act.Payload = []byte(strings.Repeat("x", 100_000))
	r := together(t, l, big, record(row), claim(1))
	if !errors.Is(r[0].err, intent.ErrReadOnly) || r[1].err != nil {
		t.Errorf("got errors %v, %v", r[0].err, r[1].err)
	}
	for i, k := range []intent.Key{key(1), key(0)} {
		want := []committed{r[2], r[1]}[i]
		got, ok := find(t, l, k)
		if want.err != nil && !errors.Is(want.err, intent.ErrReadOnly) || ok != (want.err == nil || i == 1) {
			t.Errorf("told %v, there is %+v", want.err, got)
		}
		if want.err == nil && got != want.row {
			t.Errorf("returned %+v, there is %+v", want.row, got)
		}
	}
}

func TestCallerThatLeaves(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	errs := make([]error, 3)
	inOrder(
		l,
		func() { _, errs[0] = l.Commit(ctx, claim(0)) },
		func() { _, errs[1] = l.Commit(ctx, claim(1)) },
		func() { cancel(); _, errs[2] = l.Commit(ctx, claim(2)) },
	)
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	for n := range 3 {
		if _, ok := find(t, l, key(n)); !ok {
			t.Errorf("claim %d is lost", n)
		}
	}
}

func TestClosedWhileTheyWait(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	errs := make([]error, 3)
	inOrder(
		l,
		func() { _, errs[0] = l.Commit(t.Context(), claim(0)) },
		func() { _, errs[1] = l.Commit(t.Context(), claim(1)) },
		func() { l.SetClosed(store.ErrClosed); _, errs[2] = l.Commit(t.Context(), claim(2)) },
	)
	l.SetClosed(nil)
	for _, err := range errs {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("got error %v", err)
		}
	}
}
