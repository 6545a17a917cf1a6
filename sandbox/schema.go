package sandbox

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations bring the file from version i to i+1; its version is SQLite's
// user_version. A released step is never changed.
var migrations = []string{`
CREATE TABLE meta (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE buyers (
	id TEXT PRIMARY KEY COLLATE NOCASE
) STRICT, WITHOUT ROWID;

CREATE TABLE sellers (
	place         INTEGER PRIMARY KEY,
	id            TEXT NOT NULL UNIQUE COLLATE NOCASE,
	name          TEXT NOT NULL,
	opening_cents INTEGER NOT NULL
) STRICT;

CREATE TABLE orders (
	id       TEXT PRIMARY KEY COLLATE NOCASE,
	buyer_id TEXT NOT NULL REFERENCES buyers,
	currency TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
	order_id   TEXT NOT NULL COLLATE NOCASE REFERENCES orders,
	place      INTEGER NOT NULL,
	item_id    TEXT NOT NULL COLLATE NOCASE,
	title      TEXT NOT NULL,
	quantity   INTEGER NOT NULL CHECK (quantity > 0),
	paid_cents INTEGER NOT NULL,
	seller_id  TEXT NOT NULL REFERENCES sellers (id),
	PRIMARY KEY (order_id, place),
	UNIQUE (order_id, item_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tickets (
	id       TEXT PRIMARY KEY COLLATE NOCASE,
	buyer_id TEXT NOT NULL REFERENCES buyers,
	subject  TEXT NOT NULL,
	status   TEXT NOT NULL,
	text     TEXT NOT NULL,
	at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ticket_orders (
	ticket_id TEXT NOT NULL COLLATE NOCASE REFERENCES tickets,
	order_id  TEXT NOT NULL COLLATE NOCASE REFERENCES orders,
	PRIMARY KEY (ticket_id, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ticket_orders_by_order ON ticket_orders (order_id, ticket_id);

-- One row is one effect: it exists from lands_at on, is shown by lists and
-- reads from visible_at on, and has its final status from settles_at on.
-- Times are nanoseconds since 1970; 0 means never, '' means not given.
CREATE TABLE effects (
	seq               INTEGER PRIMARY KEY AUTOINCREMENT,
	id                TEXT NOT NULL UNIQUE COLLATE NOCASE,
	kind              TEXT NOT NULL CHECK (kind IN ('refund', 'message', 'pickup', 'replacement', 'escalation')),
	order_id          TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
	item_id           TEXT NOT NULL DEFAULT '',
	ticket_id         TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
	seller_id         TEXT NOT NULL DEFAULT '',
	recipient         TEXT NOT NULL DEFAULT '',
	text              TEXT NOT NULL DEFAULT '',
	units             TEXT NOT NULL DEFAULT '',
	cents             INTEGER NOT NULL DEFAULT 0,
	currency          TEXT NOT NULL DEFAULT '',
	date              TEXT NOT NULL DEFAULT '',
	reason            TEXT NOT NULL DEFAULT '',
	summary           TEXT NOT NULL DEFAULT '',
	intent            TEXT NOT NULL DEFAULT '',
	key               TEXT NOT NULL DEFAULT '',
	lands_at          INTEGER NOT NULL,
	visible_at        INTEGER NOT NULL,
	settles_at        INTEGER NOT NULL,
	final_status      TEXT NOT NULL,
	cancel_intent     TEXT NOT NULL DEFAULT '',
	cancel_key        TEXT NOT NULL DEFAULT '',
	cancel_ticket_id  TEXT NOT NULL DEFAULT '',
	cancel_lands_at   INTEGER NOT NULL DEFAULT 0,
	cancel_visible_at INTEGER NOT NULL DEFAULT 0,
	closed_at         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX effects_by_intent        ON effects (kind, intent);
CREATE INDEX effects_by_cancel_intent ON effects (kind, cancel_intent) WHERE cancel_intent <> '';
CREATE INDEX effects_by_order         ON effects (kind, order_id);
CREATE INDEX effects_by_ticket        ON effects (kind, ticket_id);
CREATE INDEX effects_by_seller        ON effects (seller_id) WHERE seller_id <> '';

-- What was answered under an idempotency key. status is the HTTP status that a
-- repeat gets; until answers_at the first request is still in progress.
CREATE TABLE keys (
	operation  TEXT NOT NULL,
	key        TEXT NOT NULL,
	digest     BLOB NOT NULL,
	effect_id  TEXT NOT NULL,
	status     INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	answers_at INTEGER NOT NULL,
	PRIMARY KEY (operation, key)
) STRICT, WITHOUT ROWID;

-- times_left is NULL for a fault that stays until it is cleared.
CREATE TABLE faults (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	operation  TEXT NOT NULL,
	mode       TEXT NOT NULL,
	times_left INTEGER CHECK (times_left > 0),
	delay_ns   INTEGER NOT NULL
) STRICT;
CREATE INDEX faults_by_operation ON faults (operation, id);
`, `
CREATE VIRTUAL TABLE procedures USING fts5 (id UNINDEXED, title, text, tokenize = 'porter unicode61');
`}

// migrate brings the file to the newest version, or refuses one that is newer.
// The caller is the only one to open the file now.
func migrate(ctx context.Context, db *sql.DB) error {
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return fmt.Errorf("read the journal mode: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("journal mode is %q, several processes need wal", mode)
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > len(migrations) {
		return fmt.Errorf("schema version %d was written by a newer program; this one knows %d", version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		if err := step(ctx, db, version); err != nil {
			return fmt.Errorf("migrate to version %d: %w", version+1, err)
		}
	}
	return nil
}

func step(ctx context.Context, db *sql.DB, version int) error {
	return transact(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1))
		return err
	})
}
