package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// creation is the command that makes a new effect.
type creation struct {
	kind  kind
	newID func(prefix string) string
	draft effect // as sent, until resolve has run

	// check turns the draft's ids into the marketplace's own and checks its values.
	check func(ctx context.Context, tx *sql.Tx, e *effect) error
}

func (c *creation) resolve(ctx context.Context, tx *sql.Tx, _ int64) error {
	return c.check(ctx, tx, &c.draft)
}

func (c *creation) act(ctx context.Context, tx *sql.Tx, key string, _ int64, t timing) (string, error) {
	e := c.draft
	e.id, e.kind, e.key = c.newID(c.kind.prefix), c.kind.name, key
	e.landsAt, e.visibleAt, e.settlesAt, e.finalStatus = t.lands, t.visible, t.settles, t.final
	if e.finalStatus == "" {
		e.finalStatus = c.kind.status
	}
	return e.id, e.insert(ctx, tx)
}

// spell replaces each id, where one was sent, by the marketplace's own spelling
// of it. table is a table with an id column, what the word for its rows.
func spell(ctx context.Context, tx *sql.Tx, table, what string, ids ...*string) error {
	for _, id := range ids {
		if *id == "" {
			continue
		}
		err := tx.QueryRowContext(ctx, `SELECT id FROM `+table+` WHERE id = ?`, named(*id)).Scan(id)
		if errors.Is(err, sql.ErrNoRows) {
			return unknown(what)
		}
		if err != nil {
			return fmt.Errorf("look up %s: %w", what, err)
		}
	}
	return nil
}

// spellItem resolves the draft's item within its order, which is resolved, and
// returns the line's quantity. Without an item it returns 0.
func spellItem(ctx context.Context, tx *sql.Tx, e *effect) (quantity int, err error) {
	if e.itemID == "" {
		return 0, nil
	}
	err = tx.QueryRowContext(ctx, `SELECT item_id, quantity FROM items WHERE order_id = ? AND item_id = ?`,
		e.orderID, named(e.itemID)).Scan(&e.itemID, &quantity)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, unknown("item")
	}
	if err != nil {
		return 0, fmt.Errorf("look up item: %w", err)
	}
	return quantity, nil
}
