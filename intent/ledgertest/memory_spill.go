package ledgertest

import (
	"fmt"
	"slices"

	"counterfoil/intent"
)

// Spill keeps a change outside the ledger until Replay.
func (v *view) Spill(c intent.Change) error {
	v.book.mu.Lock()
	defer v.book.mu.Unlock()
	if !v.book.alive[v.owner] {
		return fmt.Errorf("spill: %w", ErrDead)
	}
	v.book.spilled = append(v.book.spilled, copyChange(c))
	v.book.spillers[v.owner] = true
	return nil
}

// Replay does what opening a ledger begins with: it applies what was spilled.
// Evidence that an effect exists wins over any other state; everything else
// counts only if its row has not changed since.
func (m *Memory) Replay() {
	m.book.mu.Lock()
	defer m.book.mu.Unlock()
	m.book.replay()
}

func (b *book) replay() {
	for _, c := range b.spilled {
		if c.Row != nil && c.Row.State == intent.StatePerformed {
			c = b.evidence(c)
		}
		_, _ = b.apply(c) // what no longer fits is dropped
	}
	b.spilled = nil
	clear(b.spillers)
}

// evidence turns a spilled change that tells of an effect into one that fits
// the row as it now is.
func (b *book) evidence(c intent.Change) intent.Change {
	c.Since, c.Exclusive = 0, false
	e := b.byKey[c.Row.Key]
	if e == nil {
		c.Seen = 0
		if len(c.Resources) == 0 {
			c.Resources = []intent.Resource{{Kind: "ticket", ID: c.Row.Ticket}}
		}
		return c
	}
	c.Seen = e.row.Version
	c.Escalate = append(c.Escalate, c.LateOver(e.row)...)
	if e.row.State == intent.StatePerformed {
		c.Row = new(e.row)
		if c.Attempt != nil && slices.ContainsFunc(e.attempts, sameAttempt(*c.Attempt)) {
			c.Attempt = nil
		}
		return c
	}
	c.Row = new(withEffect(e.row, *c.Row))
	return c
}

func sameAttempt(a intent.Attempt) func(intent.Attempt) bool {
	return func(b intent.Attempt) bool {
		return a.Owner == b.Owner && a.ProviderKey == b.ProviderKey && milli(a.StartedAt).Equal(b.StartedAt)
	}
}

// withEffect is the row as it stands, with the effect that the other one tells of.
func withEffect(row, told intent.Row) intent.Row {
	row.State, row.Reason, row.Retry, row.Evidence = told.State, told.Reason, told.Retry, told.Evidence
	row.EffectID, row.Status, row.Final, row.EffectAt = told.EffectID, told.Status, told.Final, told.EffectAt
	row.Cents, row.Currency = told.Cents, told.Currency
	row.Sends = max(row.Sends, told.Sends)
	row.SenderDone = row.SenderDone || told.SenderDone
	row.WatchUntil, row.RetryAt, row.DueAt, row.Sweeps = told.WatchUntil, told.RetryAt, told.DueAt, told.Sweeps
	row.UpdatedAt = latest(row.UpdatedAt, told.UpdatedAt)
	row.ConfirmedAt = latest(row.ConfirmedAt, told.ConfirmedAt)
	return row
}

// copyChange is a copy that shares nothing with the caller's.
func copyChange(c intent.Change) intent.Change {
	c.Row = copied(c.Row)
	c.Act = copied(c.Act)
	if c.Act != nil {
		*c.Act = cloneAct(*c.Act)
	}
	c.Resources = slices.Clone(c.Resources)
	c.Fingerprints = slices.Clone(c.Fingerprints)
	c.Attempt = copied(c.Attempt)
	c.Escalate = slices.Clone(c.Escalate)
	c.Late = slices.Clone(c.Late)
	c.Update = copied(c.Update)
	c.Decision = copied(c.Decision)
	c.Followers = slices.Clone(c.Followers)
	return c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
