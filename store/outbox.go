package store

import (
	"fmt"
	"strings"

	"counterfoil/intent"
)

var queryPost = "INSERT INTO escalations (" + escalationColumns + ") VALUES (?" +
	strings.Repeat(", ?", strings.Count(escalationColumns, ",")) + ") ON CONFLICT (key) DO NOTHING"

// post writes to the outbox. An entry that is there is left as it is. One that
// was delivered does not become undelivered, and a person who was notified stays
// so, whatever a slower process writes.
func (tx *transaction) post(c intent.Change) error {
	for _, e := range c.Escalate {
		if err := tx.exec(queryPost, escalationFields(&e)...); err != nil {
			return err
		}
	}
	if c.Update == nil {
		return nil
	}
	return tx.deliver(*c.Update)
}

func (tx *transaction) deliver(e intent.Escalation) error {
	const query = `UPDATE escalations SET tries = ?, ordinal = ?, due_at = ?, handoff_id = ?, delivered_at = ?,
		notified_at = ifnull(notified_at, ?)
		WHERE key = ? AND (delivered_at IS NULL OR ?5 IS NOT NULL)`
	args := []any{e.Tries, e.Ordinal, dueInstant(e.DueAt), e.HandoffID, instant(e.DeliveredAt), instant(e.NotifiedAt), (*keyBlob)(&e.Key)}
	if n, err := tx.count(query, args...); n > 0 || err != nil {
		return err
	}
	if _, ok, err := tx.escalation(e.Key); ok || err != nil {
		return err
	}
	return fmt.Errorf("no escalation %s", e.Key)
}

const queryEscalation = "SELECT " + escalationColumns + " FROM escalations WHERE key = ?"

func (tx *transaction) escalation(key intent.Key) (e intent.Escalation, ok bool, err error) {
	ok, err = tx.first(queryEscalation, []any{(*keyBlob)(&key)}, escalationFields(&e)...)
	return e, ok, err
}

// sameDelivery reports whether an entry says of its delivery what the other says.
func sameDelivery(a, b intent.Escalation) bool {
	return a.Tries == b.Tries && a.Ordinal == b.Ordinal && a.HandoffID == b.HandoffID &&
		a.DueAt.Equal(milli(b.DueAt)) && a.DeliveredAt.Equal(milli(b.DeliveredAt)) &&
		(b.NotifiedAt.IsZero() || !a.NotifiedAt.IsZero())
}
