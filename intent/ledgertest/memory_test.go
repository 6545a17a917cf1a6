package ledgertest_test

import (
	"errors"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

func TestMemory(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledgertest.Ledgers {
		m := ledgertest.NewMemory(ledgertest.Account)
		return ledgertest.Ledgers{
			First:      m,
			Second:     m.Process("process-2"),
			KillSecond: func() { m.Kill("process-2") },
			Reopen: func() intent.Ledger {
				m.Kill(m.Owner())
				m.Kill("process-2")
				m.Replay()
				return m.Process("process-3")
			},
		}
	})
}

func row(n int64) intent.Row {
	key := intent.DeriveKey("a", "t", []intent.Fact{intent.IntFact("n", n)})
	return intent.Row{Key: key, State: intent.StateInFlight, CreatedAt: time.UnixMilli(n)}
}

func claim(n int64) intent.Change {
	return intent.Change{Row: new(row(n)), Resources: []intent.Resource{{Kind: "ticket", ID: "T"}}}
}

func TestMemoryFailsAsTold(t *testing.T) {
	t.Parallel()
	m := ledgertest.NewMemory("a")
	full := errors.New("disk full")
	m.FailCommits(2, full)
	m.FailReads(1, full)
	for range 2 {
		if _, err := m.Commit(t.Context(), claim(1)); !errors.Is(err, full) {
			t.Errorf("got error %v, want %v", err, full)
		}
	}
	if _, err := m.Mark(t.Context()); !errors.Is(err, full) {
		t.Errorf("got error %v, want %v", err, full)
	}
	if _, ok, err := m.Find(t.Context(), row(1).Key); ok || err != nil {
		t.Errorf("after failed commits: %v, %v", ok, err)
	}
	if _, err := m.Commit(t.Context(), claim(1)); err != nil {
		t.Errorf("the third commit: %v", err)
	}
	if m.Commits() != 1 {
		t.Errorf("%d commits, want 1", m.Commits())
	}
}

func TestMemoryDeadProcessDoesNothing(t *testing.T) {
	t.Parallel()
	m := ledgertest.NewMemory("a")
	p := m.Process("p")
	m.Kill("p")
	if _, err := p.Commit(t.Context(), claim(1)); !errors.Is(err, ledgertest.ErrDead) {
		t.Errorf("commit: got error %v, want ErrDead", err)
	}
	if _, err := p.Mark(t.Context()); !errors.Is(err, ledgertest.ErrDead) {
		t.Errorf("mark: got error %v, want ErrDead", err)
	}
	if m.Process("p"); m.Alive("p") {
		t.Error("an owner that was killed stays dead")
	}
}

func TestMemoryCloneIsABackup(t *testing.T) {
	t.Parallel()
	m := ledgertest.NewMemory("a")
	first, err := m.Commit(t.Context(), claim(1))
	if err != nil {
		t.Fatal(err)
	}
	backup := m.Clone()
	if _, err := m.Commit(t.Context(), claim(2)); err != nil {
		t.Fatal(err)
	}
	later := first
	later.State = intent.StateUnknown
	if _, err := m.Commit(t.Context(), intent.Change{Row: &later, Seen: first.Version}); err != nil {
		t.Fatal(err)
	}
	got, ok, err := backup.Find(t.Context(), first.Key)
	if !ok || err != nil || got != first {
		t.Errorf("the backup has %+v, %v, %v; want %+v", got, ok, err, first)
	}
	if _, ok, _ := backup.Find(t.Context(), row(2).Key); ok {
		t.Error("the backup has a later row")
	}
}
