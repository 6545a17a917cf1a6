package ledgertest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"counterfoil/intent"
)

const (
	workers          = 8
	commitsPerWorker = 25
)

// concurrentAreLinear has all workers add to a few rows, each time from what
// they have read. No addition may be lost, and no version given twice.
func concurrentAreLinear(t *testing.T, ls Ledgers) {
	const rows = 5
	for n := range rows {
		commit(t, ls.First, claim(claimed(n, scope(""), cents(0)), seller))
	}
	var versions sync.Map
	inParallel(workers, func(w int) {
		l := []intent.Ledger{ls.First, ls.Second}[w%2]
		for i := range commitsPerWorker {
			v, err := addOne(t, l, keyOf((w+i)%rows))
			if err != nil {
				t.Errorf("add: %v", err)
				return
			}
			if _, twice := versions.LoadOrStore(v, true); twice {
				t.Errorf("version %d was given twice", v)
			}
		}
	})
	var sum int64
	for n := range rows {
		sum += find(t, ls.First, keyOf(n)).Cents
	}
	if sum != workers*commitsPerWorker {
		t.Errorf("%d additions are there, of %d", sum, workers*commitsPerWorker)
	}
	total := must[map[intent.Resource]intent.Total](t)(ls.First.Totals(t.Context(), []intent.Resource{seller}, "USD", intent.Key{}))
	same(t, "total", total[seller], intent.Total{Open: sum, Spent: sum})
}

// addOne adds one cent to a row, reading it again for as long as others are
// faster, and returns the version that this made.
func addOne(t *testing.T, l intent.Ledger, key intent.Key) (int64, error) {
	for {
		row, _, err := l.Find(t.Context(), key)
		if err != nil {
			return 0, err
		}
		seen := row.Version
		row.Cents++
		row, err = l.Commit(t.Context(), intent.Change{Row: &row, Seen: seen})
		var stale *intent.StaleError
		if !errors.As(err, &stale) {
			return row.Version, err
		}
	}
}

// concurrentClaims has all workers claim the same keys: each is won once, and
// the losers see the winner's row.
func concurrentClaims(t *testing.T, ls Ledgers) {
	const claims = 10
	wins := make([][]intent.Key, workers)
	inParallel(workers, func(w int) {
		l := []intent.Ledger{ls.First, ls.Second}[w%2]
		for n := range claims {
			c := claim(claimed(n, cents(int64(w))))
			c.Row.Scope = keyOf(n).String()
			c.Exclusive = true
			_, err := l.Commit(t.Context(), c)
			var stale *intent.StaleError
			switch {
			case err == nil:
				wins[w] = append(wins[w], keyOf(n))
			case !errors.As(err, &stale) || stale.Current.Key != keyOf(n):
				t.Errorf("claim: %v", err)
			}
		}
	})
	if all := slices.Concat(wins...); len(all) != claims {
		t.Errorf("%d claims were won, of %d keys", len(all), claims)
	}
	for w, won := range wins {
		for _, key := range won {
			same(t, "the winner's row", find(t, ls.First, key).Cents, int64(w))
		}
	}
}

func inParallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}
