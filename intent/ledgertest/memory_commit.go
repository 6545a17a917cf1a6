package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"counterfoil/intent"
)

// Commit makes one change, or none of it.
func (v *view) Commit(_ context.Context, c intent.Change) (intent.Row, error) {
	b := v.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.alive[v.owner] {
		return intent.Row{}, fmt.Errorf("commit: %w", ErrDead)
	}
	if b.failCommits != 0 {
		b.failCommits = max(b.failCommits-1, -1)
		return intent.Row{}, fmt.Errorf("commit: %w", b.failCommitsWith)
	}
	if b.spillers[v.owner] { // a process that lives on must not contradict what it knows
		b.replay()
	}
	return b.apply(c)
}

// apply looks at all that can be wrong before it changes anything.
func (b *book) apply(c intent.Change) (intent.Row, error) {
	if err := check(c); err != nil {
		return intent.Row{}, fmt.Errorf("commit: %w", err)
	}
	if err := b.refuse(c); err != nil {
		return intent.Row{}, err
	}
	b.commits++
	b.seq++
	var row intent.Row
	if c.Row != nil {
		row = b.put(c).row
	}
	for _, f := range c.Followers {
		b.follow(f)
	}
	b.post(c)
	return row, nil
}

// refuse is why the change may not be made, nil where it may.
func (b *book) refuse(c intent.Change) error {
	if c.Update != nil && b.find(c.Update.Key) == nil {
		return fmt.Errorf("commit: no escalation %s", c.Update.Key)
	}
	if c.Row == nil {
		return nil
	}
	var current intent.Row
	e := b.byKey[c.Row.Key]
	if e != nil {
		current = e.row
	}
	if current.Version != c.Seen {
		return &intent.StaleError{Current: current}
	}
	if by, blocked := b.blocker(*c.Row); c.Exclusive && blocked {
		return &intent.BlockedError{By: by}
	}
	if c.Since != 0 && b.moved(e, c) {
		return intent.ErrMoved
	}
	return nil
}

func (b *book) blocker(row intent.Row) (by intent.Row, blocked bool) {
	for _, other := range b.entries {
		if other.row.Scope == row.Scope && other.row.Key != row.Key && other.row.Blocks() {
			return other.row, true
		}
	}
	return intent.Row{}, false
}

func (b *book) moved(e *entry, c intent.Change) bool {
	touched := c.Resources
	if e != nil {
		touched = slices.Concat(e.resources, touched)
	}
	return slices.ContainsFunc(touched, func(r intent.Resource) bool { return b.changed[r] > c.Since })
}

// put writes the row and all that is appended to it.
func (b *book) put(c intent.Change) *entry {
	e := b.byKey[c.Row.Key]
	if e == nil {
		e = &entry{}
		e.row.Key = c.Row.Key
		b.add(e)
	}
	e.row = normal(*c.Row)
	e.row.Version = b.seq
	if c.Act != nil {
		e.act = cloneAct(*c.Act)
	}
	e.resources = union(e.resources, c.Resources)
	e.fingerprints = union(e.fingerprints, c.Fingerprints)
	if c.Attempt != nil {
		a := *c.Attempt
		a.N = len(e.attempts) + 1
		a.StartedAt, a.EndedAt = milli(a.StartedAt), milli(a.EndedAt)
		e.attempts = append(e.attempts, a)
	}
	if c.Decision != nil {
		d := *c.Decision
		d.At = milli(d.At)
		e.decisions = append(e.decisions, d)
	}
	b.touch(e.resources)
	return e
}

func (b *book) follow(f intent.Follower) {
	if b.byKey[f.Row.Key] != nil {
		return
	}
	b.put(intent.Change{Row: &f.Row, Act: &f.Act, Resources: f.Resources})
}

func (b *book) touch(rs []intent.Resource) {
	for _, r := range rs {
		b.changed[r] = b.seq
	}
}

// post writes to the outbox. An entry that is there is left as it is. One that
// was delivered does not become undelivered, and a person who was notified stays
// so.
func (b *book) post(c intent.Change) {
	for _, e := range c.Escalate {
		if b.find(e.Key) != nil {
			continue
		}
		for _, t := range []*time.Time{&e.CreatedAt, &e.DueAt, &e.DeliveredAt, &e.NotifiedAt} {
			*t = milli(*t)
		}
		b.outbox = append(b.outbox, &e)
	}
	if c.Update == nil {
		return
	}
	e := b.find(c.Update.Key)
	if !e.DeliveredAt.IsZero() && c.Update.DeliveredAt.IsZero() {
		return
	}
	e.Tries, e.Ordinal, e.DueAt = c.Update.Tries, c.Update.Ordinal, milli(c.Update.DueAt)
	e.HandoffID, e.DeliveredAt = c.Update.HandoffID, milli(c.Update.DeliveredAt)
	if e.NotifiedAt.IsZero() {
		e.NotifiedAt = milli(c.Update.NotifiedAt)
	}
}

func (b *book) find(key intent.Key) *intent.Escalation {
	for _, e := range b.outbox {
		if e.Key == key {
			return e
		}
	}
	return nil
}

// check is what is wrong with a change, whatever the ledger holds.
func check(c intent.Change) error {
	if c.Row == nil {
		if c.Seen != 0 || c.Act != nil || c.Resources != nil || c.Fingerprints != nil || c.Since != 0 ||
			c.Exclusive || c.Attempt != nil || c.Decision != nil || c.Followers != nil {
			return errors.New("a change of a row without the row")
		}
	} else if c.Seen == 0 && len(c.Resources) == 0 {
		return errors.New("a new row that touches nothing")
	}
	if c.Row != nil {
		if err := checkRow(*c.Row); err != nil {
			return err
		}
	}
	for _, f := range c.Followers {
		if err := checkRow(f.Row); err != nil {
			return err
		}
	}
	for _, e := range c.Escalate {
		if e.Key.IsZero() {
			return errors.New("an escalation without a key")
		}
	}
	return nil
}

func checkRow(r intent.Row) error {
	switch {
	case r.Key.IsZero():
		return errors.New("a row without a key")
	case !slices.Contains(intent.States(), r.State):
		return fmt.Errorf("no state: %q", r.State)
	case r.Reason != "" && !slices.Contains(intent.Reasons(), r.Reason):
		return fmt.Errorf("no reason: %q", r.Reason)
	}
	return nil
}

func union[T comparable](have, more []T) []T {
	for _, x := range more {
		if !slices.Contains(have, x) {
			have = append(have, x)
		}
	}
	return have
}

// normal is the row as a ledger gives it back.
func normal(r intent.Row) intent.Row {
	for _, t := range []*time.Time{
		&r.EffectAt, &r.OrdinalAt, &r.ClaimedAt, &r.SendBy, &r.WatchUntil, &r.RetryAt, &r.DueAt,
		&r.CreatedAt, &r.UpdatedAt, &r.ConfirmedAt,
	} {
		*t = milli(*t)
	}
	return r
}

// milli is a time as a ledger gives it back: UTC, whole milliseconds.
func milli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
