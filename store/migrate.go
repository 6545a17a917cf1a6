package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"counterfoil/intent"
)

//go:embed schema.sql
var firstSchema string

// migrations lead from one schema to the next; the first makes an empty file a
// ledger. One that was released is never changed.
var migrations = []string{firstSchema}

// schemaVersion is the schema that this program writes.
var schemaVersion = len(migrations)

// applicationID marks the file as a ledger: "cfoi".
const applicationID = 0x63666f69

// querier asks one row of a connection or of a pool.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// prepare makes the file a ledger of this schema and account, sees to it that
// commits are durable, and refuses a file that is not ours to write.
func (w *writer) prepare(ctx context.Context, path string, o Options) error {
	application, version, err := header(ctx, w.conn)
	if err != nil {
		return err
	}
	if version > schemaVersion && application == applicationID {
		return &VersionError{Path: path, Schema: version}
	}
	if application != applicationID {
		if err := mustBeEmpty(ctx, w.conn, path); err != nil {
			return err
		}
	}
	if err := w.makeDurable(ctx); err != nil {
		return err
	}
	if version < schemaVersion {
		if err := w.migrate(ctx, o); err != nil {
			return fmt.Errorf("migrate %s from schema %d: %w", path, version, err)
		}
	}
	if err := identify(ctx, w.conn, path, o.Account); err != nil {
		return err
	}
	w.account, err = scanOne[int64](ctx, w.conn, "SELECT id FROM accounts WHERE name = ?", o.Account)
	return err
}

// makeDurable sets how commits reach the disk, and believes it only when it
// reads it back.
func (w *writer) makeDurable(ctx context.Context) error {
	mode, err := scanOne[string](ctx, w.conn, "PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	full, err := scanOne[int](ctx, w.conn, "PRAGMA synchronous")
	if err != nil {
		return err
	}
	if mode != "wal" || full != 2 {
		return fmt.Errorf("journal_mode %s, synchronous %d: a commit would not be durable", mode, full)
	}
	return nil
}

// migrate runs the migrations that are missing, all of them or none.
func (w *writer) migrate(ctx context.Context, o Options) (err error) {
	if _, err := w.conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, rollbackErr := w.conn.ExecContext(ctx, "ROLLBACK")
			err = errors.Join(err, rollbackErr)
		}
	}()
	_, version, err := header(ctx, w.conn)
	if err != nil {
		return err
	}
	for v := version; v < schemaVersion; v++ {
		if _, err := w.conn.ExecContext(ctx, migrations[v]); err != nil {
			return fmt.Errorf("schema %d: %w", v+1, err)
		}
	}
	if version == 0 {
		if err := w.found(ctx, o); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"UPDATE ledger SET schema = " + strconv.Itoa(schemaVersion),
		"PRAGMA user_version = " + strconv.Itoa(schemaVersion),
		"PRAGMA application_id = " + strconv.Itoa(applicationID),
		"COMMIT",
	} {
		if _, err := w.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// found writes what the file is.
func (w *writer) found(ctx context.Context, o Options) error {
	_, err := w.conn.ExecContext(ctx,
		"INSERT INTO ledger (id, schema, key_version, seq, created_at) VALUES (1, ?, ?, 1, ?)",
		schemaVersion, intent.KeyVersion, o.Now().UnixMilli())
	if err != nil {
		return err
	}
	_, err = w.conn.ExecContext(ctx, "INSERT INTO accounts (name) VALUES (?)", o.Account)
	return err
}

// identify refuses a ledger of another version or account.
func identify(ctx context.Context, q querier, path, account string) error {
	application, version, err := header(ctx, q)
	if err != nil {
		return err
	}
	if application != applicationID {
		return &ForeignError{Path: path}
	}
	if version != schemaVersion {
		return &VersionError{Path: path, Schema: version}
	}
	keys, err := scanOne[int](ctx, q, "SELECT key_version FROM ledger")
	if err != nil {
		return err
	}
	if keys != intent.KeyVersion {
		return &VersionError{Path: path, Schema: version, KeyVersion: keys}
	}
	found, err := scanOne[string](ctx, q, "SELECT name FROM accounts ORDER BY id LIMIT 1")
	if err != nil {
		return err
	}
	if found != account {
		return &AccountError{Path: path, Asked: account, Found: found}
	}
	return nil
}

// header reads the two numbers by which a file says what it is.
func header(ctx context.Context, q querier) (application, version int, err error) {
	if application, err = scanOne[int](ctx, q, "PRAGMA application_id"); err != nil {
		return 0, 0, err
	}
	version, err = scanOne[int](ctx, q, "PRAGMA user_version")
	return application, version, err
}

func mustBeEmpty(ctx context.Context, q querier, path string) error {
	tables, err := scanOne[int](ctx, q, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if tables > 0 {
		return &ForeignError{Path: path}
	}
	return nil
}

func scanOne[T any](ctx context.Context, q querier, query string, args ...any) (v T, err error) {
	err = q.QueryRowContext(ctx, query, args...).Scan(&v)
	return v, err
}
