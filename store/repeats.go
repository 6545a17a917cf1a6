package store

import (
	"context"
	"errors"
	"sync"

	"counterfoil/intent"
)

// repeats are counted in memory and written down with a commit that is made
// anyway, or at the end. A crash may lose some.
type repeats struct {
	mu sync.Mutex
	n  map[intent.Key]int64
}

// repeatsPerCommit bounds what a commit carries beside its own change.
const repeatsPerCommit = 32

func (r *repeats) count(key intent.Key, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil {
		r.n = map[intent.Key]int64{}
	}
	r.n[key] += n
}

func (r *repeats) take() map[intent.Key]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.n) == 0 {
		return nil
	}
	taken := map[intent.Key]int64{}
	for key, n := range r.n {
		if len(taken) == repeatsPerCommit {
			break
		}
		taken[key] = n
		delete(r.n, key)
	}
	return taken
}

func (r *repeats) giveBack(counted map[intent.Key]int64) {
	for key, n := range counted {
		r.count(key, n)
	}
}

// CountRepeat counts a repeat that was answered from the ledger.
func (l *Ledger) CountRepeat(key intent.Key) { l.repeats.count(key, 1) }

// Repeats is how many repeats of an intent were counted by the processes that
// have written theirs down, and by this one.
func (l *Ledger) Repeats(ctx context.Context, key intent.Key) (int64, error) {
	var n int64
	_, err := l.scan(ctx, "repeats of "+key.String(), "SELECT repeats FROM intents WHERE key = ?",
		[]any{(*keyBlob)(&key)}, &n)
	if err != nil {
		return 0, err
	}
	l.repeats.mu.Lock()
	defer l.repeats.mu.Unlock()
	return n + l.repeats.n[key], nil
}

func (tx *transaction) countRepeats(counted map[intent.Key]int64) error {
	for key, n := range counted {
		err := tx.exec("UPDATE intents SET repeats = repeats + ? WHERE key = ?", n, (*keyBlob)(&key))
		if err != nil {
			return err
		}
	}
	return nil
}

// foldRepeats writes down what was counted and no commit has carried yet.
func (l *Ledger) foldRepeats() error {
	for {
		counted := l.repeats.take()
		if len(counted) == 0 {
			return nil
		}
		err := l.transact(
			func(tx *transaction) error { return tx.countRepeats(counted) },
			func(*transaction) (bool, error) { return true, nil })
		if errors.Is(err, intent.ErrReadOnly) {
			return nil // counting is a courtesy
		}
		if err != nil {
			return err
		}
	}
}
