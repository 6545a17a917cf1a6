package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"counterfoil/intent"
)

var queryPost = "INSERT INTO escalations (" + escalationColumns + ") VALUES (?" +
	strings.Repeat(", ?", strings.Count(escalationColumns, ",")) + ") ON CONFLICT (key) DO NOTHING"

// post writes to the outbox. An entry that is there is left as it is. One that
// was delivered does not become undelivered, and a person who was notified stays
// so, whatever a slower process writes.
func (tx *transaction) post(ctx context.Context, c intent.Change) error {
	for _, e := range c.Escalate {
		if err := tx.exec(ctx, queryPost, escalationFields(&e)...); err != nil {
			return err
		}
	}
	if c.Update == nil {
		return nil
	}
	return tx.deliver(ctx, *c.Update)
}

func (tx *transaction) deliver(ctx context.Context, e intent.Escalation) error {
	const query = `UPDATE escalations SET tries = ?, ordinal = ?, due_at = ?, handoff_id = ?, delivered_at = ?,
		notified_at = ifnull(notified_at, ?)
		WHERE key = ? AND (delivered_at IS NULL OR ?5 IS NOT NULL) RETURNING id`
	args := []any{e.Tries, e.Ordinal, dueInstant(e.DueAt), e.HandoffID, instant(e.DeliveredAt), instant(e.NotifiedAt), keyBlob(e.Key)}
	var id int64
	err := tx.row(ctx, query, args, &id)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, ok, err := tx.escalation(ctx, e.Key); ok || err != nil {
		return err
	}
	return fmt.Errorf("no escalation %s", e.Key)
}

const queryEscalation = "SELECT " + escalationColumns + " FROM escalations WHERE key = ?"

func (tx *transaction) escalation(ctx context.Context, key intent.Key) (e intent.Escalation, ok bool, err error) {
	err = tx.row(ctx, queryEscalation, []any{keyBlob(key)}, escalationFields(&e)...)
	if errors.Is(err, sql.ErrNoRows) {
		return intent.Escalation{}, false, nil
	}
	return e, err == nil, err
}

// sameDelivery reports whether an entry says of its delivery what the other says.
func sameDelivery(a, b intent.Escalation) bool {
	return a.Tries == b.Tries && a.Ordinal == b.Ordinal && a.HandoffID == b.HandoffID &&
		a.DueAt.Equal(milli(b.DueAt)) && a.DeliveredAt.Equal(milli(b.DeliveredAt)) &&
		(b.NotifiedAt.IsZero() || !a.NotifiedAt.IsZero())
}
