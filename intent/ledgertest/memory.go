package ledgertest

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"counterfoil/intent"
)

// ErrDead is what a killed process gets from its view of the ledger.
var ErrDead = errors.New("the process is dead")

// Memory is a ledger in memory: the plainest thing that keeps the contract. It
// is itself the view of a process of its own, and Process gives further ones.
// It waits for nothing, so it may be used in a bubble of testing/synctest.
type Memory struct {
	view
}

// view is one process's view of a book.
type view struct {
	book  *book
	owner string
}

// book is what all processes share.
type book struct {
	mu       sync.Mutex
	account  string
	seq      int64
	entries  []*entry // in the order of their creation
	byKey    map[intent.Key]*entry
	changed  map[intent.Resource]int64
	outbox   []*intent.Escalation
	alive    map[string]bool
	spilled  []intent.Change
	spillers map[string]bool // the processes whose changes are in spilled
	repeats  map[intent.Key]int
	commits  int

	failCommits, failReads       int // negative: until told otherwise
	failCommitsWith, failReadsBy error
}

// entry is all that is kept of one intent.
type entry struct {
	row          intent.Row
	act          intent.Act
	resources    []intent.Resource
	fingerprints []intent.Fingerprint
	attempts     []intent.Attempt
	decisions    []intent.Decision
}

// NewMemory returns an empty ledger of account.
func NewMemory(account string) *Memory {
	b := &book{
		account:  account,
		seq:      1,
		byKey:    map[intent.Key]*entry{},
		changed:  map[intent.Resource]int64{},
		alive:    map[string]bool{},
		repeats:  map[intent.Key]int{},
		spillers: map[string]bool{},
	}
	return b.open("process-1")
}

func (b *book) open(owner string) *Memory {
	b.alive[owner] = true
	return &Memory{view{book: b, owner: owner}}
}

// Process is another process's view of the same ledger. The process is alive
// until Kill, and an owner that has been killed stays dead.
func (m *Memory) Process(owner string) intent.Ledger {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	if _, known := m.book.alive[owner]; !known {
		m.book.alive[owner] = true
	}
	return &view{book: m.book, owner: owner}
}

// Kill ends the process that bears owner's id: Alive turns false, and whatever
// it still asks of the ledger is ErrDead.
func (m *Memory) Kill(owner string) {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	m.book.alive[owner] = false
}

// FailCommits makes the next n commits, of whichever process, change nothing
// and return err wrapped; a negative n: all of them, until it is called again.
func (m *Memory) FailCommits(n int, err error) {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	m.book.failCommits, m.book.failCommitsWith = n, err
}

// FailReads is FailCommits for the reads.
func (m *Memory) FailReads(n int, err error) {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	m.book.failReads, m.book.failReadsBy = n, err
}

// Spilled are the changes that wait outside the ledger, oldest first.
func (m *Memory) Spilled() []intent.Change {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	return slices.Clone(m.book.spilled)
}

// Escalations are all entries of the outbox, delivered or not, oldest first.
func (m *Memory) Escalations() []intent.Escalation {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	all := make([]intent.Escalation, len(m.book.outbox))
	for i, e := range m.book.outbox {
		all[i] = *e
	}
	return all
}

// Commits is how many durable commits were made.
func (m *Memory) Commits() int {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	return m.book.commits
}

// Repeats is how many repeats of an intent were counted.
func (m *Memory) Repeats(key intent.Key) int {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	return m.book.repeats[key]
}

// Clone is a copy of the ledger as it now is, like a backup: what either does
// from here on, the other does not see. The spill is not part of it.
func (m *Memory) Clone() *Memory {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	b := &book{
		account:  m.book.account,
		seq:      m.book.seq,
		byKey:    map[intent.Key]*entry{},
		changed:  maps.Clone(m.book.changed),
		alive:    maps.Clone(m.book.alive),
		repeats:  maps.Clone(m.book.repeats),
		spillers: map[string]bool{},
	}
	for _, e := range m.book.entries {
		b.add(e.clone())
	}
	for _, e := range m.book.outbox {
		b.outbox = append(b.outbox, new(*e))
	}
	return &Memory{view{book: b, owner: m.owner}}
}

func (b *book) add(e *entry) {
	b.entries = append(b.entries, e)
	b.byKey[e.row.Key] = e
}

func (e *entry) clone() *entry {
	return &entry{
		row:          e.row,
		act:          cloneAct(e.act),
		resources:    slices.Clone(e.resources),
		fingerprints: slices.Clone(e.fingerprints),
		attempts:     slices.Clone(e.attempts),
		decisions:    slices.Clone(e.decisions),
	}
}

func cloneAct(a intent.Act) intent.Act {
	a.Arguments = cloneBytes(a.Arguments)
	a.Payload = cloneBytes(a.Payload)
	a.Request = cloneBytes(a.Request)
	return a
}

// cloneBytes keeps no difference between none and empty: a ledger has only one
// of them.
func cloneBytes[B ~[]byte](b B) B {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}
