package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
	row, err := l.commit(ctx, c, (*transaction).apply)
	if err != nil {
		return intent.Row{}, describe(c, err)
	}
	return row, nil
}

// describe says what was tried, except where the error is an answer to it.
func describe(c intent.Change, err error) error {
	var stale *intent.StaleError
	var blocked *intent.BlockedError
	if errors.As(err, &stale) || errors.As(err, &blocked) || errors.Is(err, intent.ErrMoved) {
		return err
	}
	return fmt.Errorf("%s: %w", subject(c), err)
}

// commit applies a change in a transaction of its own, with the repeats that
// were counted since the last one.
func (l *Ledger) commit(
	ctx context.Context, c intent.Change,
	apply func(*transaction, context.Context, intent.Change) (intent.Row, error),
) (row intent.Row, err error) {
	counted := l.repeats.take()
	err = l.transact(ctx,
		func(ctx context.Context, tx *transaction) error {
			if row, err = apply(tx, ctx, c); err != nil {
				return err
			}
			return tx.countRepeats(ctx, counted)
		},
		func(ctx context.Context, tx *transaction) (bool, error) { return tx.landed(ctx, c, row) })
	if err != nil {
		l.repeats.giveBack(counted)
		return intent.Row{}, err
	}
	return row, nil
}

// apply makes one change: it first looks at all that refuses it, then writes.
// Several may be applied in one transaction.
func (tx *transaction) apply(ctx context.Context, c intent.Change) (row intent.Row, err error) {
	if c.Row != nil {
		if row, err = tx.applyRow(ctx, c); err != nil {
			return intent.Row{}, err
		}
	}
	for _, f := range c.Followers {
		if err := tx.follow(ctx, f); err != nil {
			return intent.Row{}, err
		}
	}
	if err := tx.post(ctx, c); err != nil {
		return intent.Row{}, err
	}
	return row, nil
}

func (tx *transaction) applyRow(ctx context.Context, c intent.Change) (intent.Row, error) {
	before, err := tx.load(ctx, c.Row.Key)
	if err != nil {
		return intent.Row{}, err
	}
	if before.row.Version != c.Seen {
		return intent.Row{}, &intent.StaleError{Current: before.row}
	}
	touched, err := tx.resolve(ctx, before.resources, c.Resources)
	if err != nil {
		return intent.Row{}, err
	}
	if err := tx.refuse(ctx, c, touched); err != nil {
		return intent.Row{}, err
	}
	after, err := tx.put(ctx, before, *c.Row, touched, c.Fingerprints)
	if err != nil {
		return intent.Row{}, err
	}
	return after.row, tx.append(ctx, after.id, c)
}

// refuse is what the surroundings have against a change.
func (tx *transaction) refuse(ctx context.Context, c intent.Change, touched []touched) error {
	if c.Exclusive && c.Row.Scope != "" {
		if err := tx.refuseBlocked(ctx, *c.Row); err != nil {
			return err
		}
	}
	if c.Since == 0 {
		return nil
	}
	moved, err := tx.changedSince(ctx, touched, c.Since)
	if err == nil && moved {
		return intent.ErrMoved
	}
	return err
}

const queryBlocker = `SELECT key FROM intents
	WHERE scope = ? AND blocks = 1 AND key <> ? ORDER BY id LIMIT 1`

func (tx *transaction) refuseBlocked(ctx context.Context, row intent.Row) error {
	var by keyBlob
	err := tx.row(ctx, queryBlocker, []any{row.Scope, keyBlob(row.Key)}, &by)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	blocker, err := tx.load(ctx, intent.Key(by))
	if err != nil {
		return err
	}
	return &intent.BlockedError{By: blocker.row}
}

// follow makes the row of a later step, unless it is there.
func (tx *transaction) follow(ctx context.Context, f intent.Follower) error {
	before, err := tx.load(ctx, f.Row.Key)
	if err != nil || before.id != 0 {
		return err
	}
	touched, err := tx.resolve(ctx, "", f.Resources)
	if err != nil {
		return err
	}
	after, err := tx.put(ctx, before, f.Row, touched, nil)
	if err != nil {
		return err
	}
	return tx.append(ctx, after.id, intent.Change{Act: &f.Act})
}

// append writes what hangs on a row.
func (tx *transaction) append(ctx context.Context, id int64, c intent.Change) error {
	if c.Act != nil {
		if err := tx.putAct(ctx, id, *c.Act); err != nil {
			return err
		}
	}
	if c.Attempt != nil {
		if err := tx.putAttempt(ctx, id, *c.Attempt); err != nil {
			return err
		}
	}
	if c.Decision == nil {
		return nil
	}
	const query = `INSERT INTO decisions (intent, n, verb, who, note, secret, at)
		SELECT ?1, 1 + ifnull(max(n), 0), ?2, ?3, ?4, ?5, ?6 FROM decisions WHERE intent = ?1`
	d := c.Decision
	return tx.exec(ctx, query, id, d.Verb, d.Who, d.Note, d.Secret, instant(d.At))
}

func (tx *transaction) putAct(ctx context.Context, id int64, a intent.Act) error {
	const query = `INSERT INTO acts (intent, arguments, payload, request, figures, policy) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (intent) DO UPDATE SET arguments = excluded.arguments, payload = excluded.payload,
			request = excluded.request, figures = excluded.figures, policy = excluded.policy`
	return tx.exec(ctx, query, id, string(a.Arguments), blob(a.Payload), blob(a.Request), a.Figures, a.Policy)
}

func (tx *transaction) putAttempt(ctx context.Context, id int64, a intent.Attempt) error {
	const query = `INSERT INTO attempts (intent, owner, principal, ` + attemptColumns + `)
		SELECT ?1, ?2, ?3, 1 + ifnull(max(n), 0), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 FROM attempts WHERE intent = ?1`
	who, err := tx.behind(ctx, a.Owner, a.Principal)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query, append([]any{id, who.owner, who.principal}, attemptFields(&a)...)...)
}

// blob is bytes as a column bears them: none is NULL.
func blob(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// landed reports whether a commit that was answered with an error was made.
func (tx *transaction) landed(ctx context.Context, c intent.Change, want intent.Row) (bool, error) {
	if c.Row != nil {
		now, err := tx.load(ctx, c.Row.Key)
		return err == nil && now.row == want, err
	}
	if c.Update != nil {
		now, ok, err := tx.escalation(ctx, c.Update.Key)
		return ok && sameDelivery(now, *c.Update), err
	}
	for _, e := range c.Escalate {
		if _, ok, err := tx.escalation(ctx, e.Key); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
