package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"counterfoil/intent"
)

var _ intent.Ledger = (*Memory)(nil)

// errNoRow is what a read of what hangs on a row meets where there is none.
var errNoRow = errors.New("no such intent")

// Account is the account whose ledger this is.
func (v *view) Account() string { return v.book.account }

// Owner is this process's id.
func (v *view) Owner() string { return v.owner }

// Alive reports whether owner is a process that was not killed.
func (v *view) Alive(owner string) bool {
	v.book.mu.Lock()
	defer v.book.mu.Unlock()
	return v.book.alive[owner]
}

// reading calls read with the book locked, unless the read is to be refused.
func (v *view) reading(ctx context.Context, what string, read func(*book) error) error {
	b := v.book
	b.mu.Lock()
	defer b.mu.Unlock()
	err := ctx.Err()
	switch {
	case err != nil:
	case !b.alive[v.owner]:
		err = ErrDead
	case b.failReads != 0:
		b.failReads = max(b.failReads-1, -1)
		err = b.failReadsBy
	default:
		err = read(b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// readEntry is reading, of one intent.
func (v *view) readEntry(ctx context.Context, what string, key intent.Key, read func(*entry)) error {
	return v.reading(ctx, what+" "+key.String(), func(b *book) error {
		e := b.byKey[key]
		if e == nil {
			return errNoRow
		}
		read(e)
		return nil
	})
}

// readLast is reading, of the newest entry that is so.
func (v *view) readLast(ctx context.Context, what string, is func(*entry) bool) (row intent.Row, ok bool, err error) {
	err = v.reading(ctx, what, func(b *book) error {
		for _, e := range slices.Backward(b.entries) {
			if is(e) {
				row, ok = e.row, true
				break
			}
		}
		return nil
	})
	return row, ok, err
}

// readRows is reading, of the rows that are so, in the order of their creation.
func (v *view) readRows(ctx context.Context, what string, is func(*book, *entry) bool) (rows []intent.Row, err error) {
	err = v.reading(ctx, what, func(b *book) error {
		for _, e := range b.entries {
			if is(b, e) {
				rows = append(rows, e.row)
			}
		}
		return nil
	})
	return rows, err
}

// Find is the row of a key.
func (v *view) Find(ctx context.Context, key intent.Key) (row intent.Row, ok bool, err error) {
	err = v.reading(ctx, "find "+key.String(), func(b *book) error {
		if e := b.byKey[key]; e != nil {
			row, ok = e.row, true
		}
		return nil
	})
	return row, ok, err
}

// Recognise is the newest row that touches the ticket and bears the fingerprint.
func (v *view) Recognise(ctx context.Context, ticket intent.Resource, fp intent.Fingerprint) (row intent.Row, ok bool, err error) {
	return v.readLast(ctx, "recognise", func(e *entry) bool {
		return slices.Contains(e.resources, ticket) && slices.Contains(e.fingerprints, fp)
	})
}

// ByEffect is the newest row of a tool that touches the ticket and whose effect
// has this id.
func (v *view) ByEffect(ctx context.Context, ticket intent.Resource, tool, effectID string) (row intent.Row, ok bool, err error) {
	return v.readLast(ctx, "find by effect", func(e *entry) bool {
		return effectID != "" && e.row.EffectID == effectID && e.row.Tool == tool && slices.Contains(e.resources, ticket)
	})
}

// Act is what is kept of an intent.
func (v *view) Act(ctx context.Context, key intent.Key) (act intent.Act, err error) {
	err = v.readEntry(ctx, "act of", key, func(e *entry) { act = cloneAct(e.act) })
	return act, err
}

// Attempts are the ended attempts of an intent, oldest first.
func (v *view) Attempts(ctx context.Context, key intent.Key) (as []intent.Attempt, err error) {
	err = v.readEntry(ctx, "attempts of", key, func(e *entry) { as = slices.Clone(e.attempts) })
	return as, err
}

// Decisions are what people decided of an intent, oldest first.
func (v *view) Decisions(ctx context.Context, key intent.Key) (ds []intent.Decision, err error) {
	err = v.readEntry(ctx, "decisions of", key, func(e *entry) { ds = slices.Clone(e.decisions) })
	return ds, err
}

// Mark is the number of the last commit; never 0.
func (v *view) Mark(ctx context.Context) (mark int64, err error) {
	err = v.reading(ctx, "mark", func(b *book) error { mark = b.seq; return nil })
	return mark, err
}

// Around are the rows that touch r, newest first.
func (v *view) Around(ctx context.Context, r intent.Resource, limit int) ([]intent.Row, error) {
	rows, err := v.readRows(ctx, "around "+r.Kind+" "+r.ID, func(_ *book, e *entry) bool {
		return slices.Contains(e.resources, r)
	})
	slices.Reverse(rows)
	return first(rows, limit), err
}

// Totals are the sums per resource.
func (v *view) Totals(ctx context.Context, rs []intent.Resource, currency string, except intent.Key) (map[intent.Resource]intent.Total, error) {
	totals := make(map[intent.Resource]intent.Total, len(rs))
	err := v.reading(ctx, "totals", func(b *book) error {
		for _, r := range rs {
			totals[r] = b.total(r, currency, except)
		}
		return nil
	})
	return totals, err
}

func (b *book) total(r intent.Resource, currency string, except intent.Key) (t intent.Total) {
	for _, e := range b.entries {
		row := &e.row
		if row.Key == except || row.Currency != currency || !slices.Contains(e.resources, r) {
			continue
		}
		if row.Open() && row.State != intent.StatePerformed && row.EffectID == "" {
			t.Open += row.Cents
		}
		if row.Open() || row.State == intent.StatePerformed {
			t.Spent += row.Cents
		}
	}
	return t
}

// List is all rows, open first, then newest.
func (v *view) List(ctx context.Context, limit int) ([]intent.Row, error) {
	rows, err := v.readRows(ctx, "list", func(*book, *entry) bool { return true })
	slices.Reverse(rows)
	slices.SortStableFunc(rows, func(a, b intent.Row) int {
		if a.Open() != b.Open() {
			if a.Open() {
				return -1
			}
			return 1
		}
		return b.CreatedAt.Compare(a.CreatedAt)
	})
	return first(rows, limit), err
}

// Due are the rows that the sweeper is to look at, the longest due first.
func (v *view) Due(ctx context.Context, now time.Time, limit int) ([]intent.Row, error) {
	rows, err := v.readRows(ctx, "due", func(_ *book, e *entry) bool {
		return !e.row.DueAt.IsZero() && !e.row.DueAt.After(milli(now))
	})
	slices.SortStableFunc(rows, func(a, b intent.Row) int { return a.DueAt.Compare(b.DueAt) })
	return first(rows, limit), err
}

// Orphans are the rows in flight whose owner is not alive, oldest first.
func (v *view) Orphans(ctx context.Context, limit int) ([]intent.Row, error) {
	rows, err := v.readRows(ctx, "orphans", func(b *book, e *entry) bool {
		return e.row.State == intent.StateInFlight && !b.alive[e.row.Owner]
	})
	return first(rows, limit), err
}

// Outbox are the undelivered escalations that are due, the longest due first.
func (v *view) Outbox(ctx context.Context, now time.Time, limit int) (es []intent.Escalation, err error) {
	err = v.reading(ctx, "outbox", func(b *book) error {
		for _, e := range b.outbox {
			if e.DeliveredAt.IsZero() && !e.DueAt.After(milli(now)) {
				es = append(es, *e)
			}
		}
		return nil
	})
	slices.SortStableFunc(es, func(a, b intent.Escalation) int { return a.DueAt.Compare(b.DueAt) })
	return first(es, limit), err
}

// Escalation is one entry of the outbox.
func (v *view) Escalation(ctx context.Context, key intent.Key) (e intent.Escalation, ok bool, err error) {
	err = v.reading(ctx, "escalation "+key.String(), func(b *book) error {
		if found := b.find(key); found != nil {
			e, ok = *found, true
		}
		return nil
	})
	return e, ok, err
}

// CountRepeat counts a repeat that was answered from the ledger.
func (v *view) CountRepeat(key intent.Key) {
	v.book.mu.Lock()
	defer v.book.mu.Unlock()
	v.book.repeats[key]++
}

func first[T any](all []T, limit int) []T {
	return all[:min(len(all), max(limit, 0))]
}

// latest is the later of two times.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
