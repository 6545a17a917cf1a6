package store

import (
	"context"
	"fmt"
	"strings"

	"counterfoil/intent"
)

// Commit makes one change durable, in one transaction, and returns the row as
// it now is. See intent.Ledger for what it refuses. A caller that goes away
// does not stop it.
func (l *Ledger) Commit(ctx context.Context, c intent.Change) (intent.Row, error) {
	if err := check(c); err != nil {
		return intent.Row{}, fmt.Errorf("%s: %w", subject(c), err)
	}
	if err := l.replayOwn(ctx); err != nil {
		return intent.Row{}, describe(c, err)
	}
	row, err := l.commit(c, (*transaction).apply)
	if err != nil {
		return intent.Row{}, describe(c, err)
	}
	return row, nil
}

// describe says what was tried, except where the error is an answer to it.
func describe(c intent.Change, err error) error {
	if refuses(err) {
		return err
	}
	return fmt.Errorf("%s: %w", subject(c), err)
}

// commit applies a change in a transaction, with the repeats that were counted
// since the last one.
func (l *Ledger) commit(
	c intent.Change,
	apply func(*transaction, intent.Change) (intent.Row, error),
) (row intent.Row, err error) {
	counted := l.repeats.take()
	err = l.transact(
		func(tx *transaction) error {
			if row, err = apply(tx, c); err != nil {
				return err
			}
			return tx.countRepeats(counted)
		},
		func(tx *transaction) (bool, error) { return tx.landed(c, row) })
	if err != nil {
		l.repeats.giveBack(counted)
		return intent.Row{}, err
	}
	return row, nil
}

// apply makes one change: it first looks at all that refuses it, then writes.
// Several may be applied in one transaction.
func (tx *transaction) apply(c intent.Change) (row intent.Row, err error) {
	if c.Row != nil {
		if row, err = tx.applyRow(c); err != nil {
			return intent.Row{}, err
		}
	}
	for _, f := range c.Followers {
		if err := tx.follow(f); err != nil {
			return intent.Row{}, err
		}
	}
	if err := tx.post(c); err != nil {
		return intent.Row{}, err
	}
	return row, nil
}

func (tx *transaction) applyRow(c intent.Change) (intent.Row, error) {
	before, err := tx.load(&c.Row.Key)
	if err != nil {
		return intent.Row{}, err
	}
	stand, err := tx.refuse(&c, before)
	if err != nil {
		return intent.Row{}, err
	}
	id, after, err := tx.put(before, *c.Row, c.Resources, c.Fingerprints, stand)
	if err != nil {
		return intent.Row{}, err
	}
	return after, tx.append(id, c)
}

// refuse is what the row and its surroundings have against a change. Where that
// had to be found out, it says as well how the resources stand.
func (tx *transaction) refuse(c *intent.Change, before *loaded) ([]standing, error) {
	if before.version != c.Seen {
		current, err := tx.find(c.Row.Key)
		if err != nil {
			return nil, err
		}
		return nil, &intent.StaleError{Current: current}
	}
	if c.Exclusive && c.Row.Scope != "" {
		if err := tx.refuseBlocked(c.Row); err != nil {
			return nil, err
		}
	}
	if c.Since == 0 {
		return nil, nil
	}
	moved, stand, err := tx.moved(before.resources, c.Resources, c.Since)
	if err == nil && moved {
		return nil, intent.ErrMoved
	}
	return stand, err
}

const queryBlocker = `SELECT key FROM intents
	WHERE scope = ? AND blocks = 1 AND key <> ? ORDER BY id LIMIT 1`

func (tx *transaction) refuseBlocked(row *intent.Row) error {
	var by keyBlob
	blocked, err := tx.first(queryBlocker, []any{&row.Scope, (*keyBlob)(&row.Key)}, &by)
	if err != nil || !blocked {
		return err
	}
	blocker, err := tx.find(intent.Key(by))
	if err != nil {
		return err
	}
	return &intent.BlockedError{By: blocker}
}

// follow makes the row of a later step, unless it is there.
func (tx *transaction) follow(f intent.Follower) error {
	before, err := tx.load(&f.Row.Key)
	if err != nil || before.id != 0 {
		return err
	}
	id, _, err := tx.put(before, f.Row, f.Resources, nil, nil)
	if err != nil {
		return err
	}
	return tx.append(id, intent.Change{Act: &f.Act})
}

// append writes what hangs on a row.
func (tx *transaction) append(id int64, c intent.Change) error {
	if c.Act != nil {
		if err := tx.putAct(id, c.Act); err != nil {
			return err
		}
	}
	if c.Attempt != nil {
		if err := tx.putAttempt(id, c.Attempt); err != nil {
			return err
		}
	}
	if c.Decision == nil {
		return nil
	}
	const query = `INSERT INTO decisions (intent, n, verb, who, note, secret, at)
		VALUES (?1, 1 + ifnull((SELECT n FROM decisions WHERE intent = ?1 ORDER BY n DESC LIMIT 1), 0), ?, ?, ?, ?, ?)`
	d := c.Decision
	return tx.exec(query, id, d.Verb, d.Who, d.Note, d.Secret, instant(d.At))
}

func (tx *transaction) putAct(id int64, a *intent.Act) error {
	const query = `INSERT INTO acts (intent, arguments, payload, request, figures, policy) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (intent) DO UPDATE SET arguments = excluded.arguments, payload = excluded.payload,
			request = excluded.request, figures = excluded.figures, policy = excluded.policy`
	tx.args = append(tx.args[:0], id, string(a.Arguments), blob(a.Payload), blob(a.Request), &a.Figures, &a.Policy)
	return tx.exec(query, tx.args...)
}

var queryAttempt = "INSERT INTO attempts (intent, n, " + strings.Join(attemptColumns, ", ") +
	") VALUES (?1, 1 + ifnull((SELECT n FROM attempts WHERE intent = ?1 ORDER BY n DESC LIMIT 1), 0)" + strings.Repeat(", ?", len(attemptColumns)) + ")"

func (tx *transaction) putAttempt(id int64, a *intent.Attempt) error {
	var names [5]any
	for i, name := range [...]string{a.Owner, a.Principal, a.Answer, a.Settled, string(a.Evidence)} {
		var err error
		if names[i], err = tx.optional(name); err != nil {
			return err
		}
	}
	tx.args = append(appendAttemptFields(append(tx.args[:0], id), a), names[:]...)
	return tx.exec(queryAttempt, tx.args...)
}

// blob is bytes as a column bears them: none is NULL.
func blob(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// landed reports whether a commit that was answered with an error was made.
func (tx *transaction) landed(c intent.Change, want intent.Row) (bool, error) {
	if c.Row != nil {
		now, err := tx.find(c.Row.Key)
		return err == nil && now == want, err
	}
	if c.Update != nil {
		now, ok, err := tx.escalation(c.Update.Key)
		return ok && sameDelivery(now, *c.Update), err
	}
	for _, e := range c.Escalate {
		if _, ok, err := tx.escalation(e.Key); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
