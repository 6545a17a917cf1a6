package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// plain is what one would write in an afternoon: a table of keys, a transaction
// that claims, the act, a transaction that records. It knows no siblings, sums,
// lookups or texts.
type plain struct{ db *sql.DB }

func openPlain(ctx context.Context, _ options, dir string) (contender, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "plain.db")+
		"?_txlock=immediate&_busy_timeout=60000&_pragma=journal_mode(wal)&_synchronous=FULL")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	_, err = db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, state TEXT NOT NULL, effect TEXT NOT NULL) WITHOUT ROWID")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return plain{db}, nil
}

func (p plain) once(ctx context.Context, n int64) error {
	key := fmt.Sprintf("refund/T-%d/SU-%d/SHELF-OAK-4/11800", n, n)
	var effect string
	err := p.db.QueryRowContext(ctx, "SELECT effect FROM claims WHERE key = ? AND state = 'performed'", key).Scan(&effect)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := p.db.ExecContext(ctx, "INSERT INTO claims VALUES (?, 'in_flight', '')", key); err != nil {
		return err
	}
	_, err = p.db.ExecContext(ctx, "UPDATE claims SET state = 'performed', effect = ? WHERE key = ?", "re_"+key, key)
	return err
}

func (p plain) close() error { return p.db.Close() }
