package store

import (
	"slices"
	"sync"
)

// batchMost bounds how many share a transaction, so that neither the first of
// them nor another process waits long for the last.
const batchMost = 64

// line are the shares that no transaction has taken up yet: first come, first
// served.
type line struct {
	mu     sync.Mutex
	shares []*share
}

func (q *line) join(s *share) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shares = append(q.shares, s)
}

func (q *line) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.shares) == 0
}

// next takes a batch out.
func (q *line) next() []*share {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.shares), batchMost)
	batch := slices.Clone(q.shares[:n])
	q.shares = slices.Delete(q.shares, 0, n)
	return batch
}

// leave takes one out, unless a transaction has taken it up.
func (q *line) leave(s *share) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.shares, s)
	if i < 0 {
		return false
	}
	q.shares = slices.Delete(q.shares, i, i+1)
	return true
}
