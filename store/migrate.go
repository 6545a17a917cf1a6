package store

import (
	_ "embed"
	"errors"
	"fmt"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
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

// prepare makes the file a ledger of this schema and account, sees to it that
// commits are durable, and refuses a file that is not ours to write.
func (w *writer) prepare(path string, o Options) error {
	application, version, err := header(w.conn)
	if err != nil {
		return err
	}
	if version > schemaVersion && application == applicationID {
		return &VersionError{Path: path, Schema: version}
	}
	if application != applicationID {
		if err := mustBeEmpty(w.conn, path); err != nil {
			return err
		}
	}
	if err := w.makeDurable(); err != nil {
		return err
	}
	if version < schemaVersion {
		if err := w.migrate(o); err != nil {
			return fmt.Errorf("migrate %s from schema %d: %w", path, version, err)
		}
	}
	return identify(w.conn, path, o.Account)
}

// makeDurable sets how commits reach the disk, and believes it only when it
// reads it back.
func (w *writer) makeDurable() error {
	mode, err := one[string](w.conn, "PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	full, err := one[int](w.conn, "PRAGMA synchronous")
	if err != nil {
		return err
	}
	if mode != "wal" || full != 2 {
		return fmt.Errorf("journal_mode %s, synchronous %d: a commit would not be durable", mode, full)
	}
	return nil
}

// migrate runs the migrations that are missing, all of them or none.
func (w *writer) migrate(o Options) (err error) {
	if err := w.conn.Exec("BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.conn.Exec("ROLLBACK"))
		}
	}()
	_, version, err := header(w.conn)
	if err != nil {
		return err
	}
	for v := version; v < schemaVersion; v++ {
		if err := w.conn.Script(migrations[v]); err != nil {
			return fmt.Errorf("schema %d: %w", v+1, err)
		}
	}
	if version == 0 {
		if err := w.found(o); err != nil {
			return err
		}
	}
	return w.conn.Script(fmt.Sprintf("UPDATE ledger SET schema = %d; PRAGMA user_version = %[1]d; PRAGMA application_id = %d; COMMIT",
		schemaVersion, applicationID))
}

// found writes what the file is.
func (w *writer) found(o Options) error {
	err := w.conn.Exec("INSERT INTO ledger (id, schema, key_version, seq, created_at) VALUES (1, ?, ?, 1, ?)",
		schemaVersion, intent.KeyVersion, o.Now().UnixMilli())
	if err != nil {
		return err
	}
	return w.conn.Exec("INSERT INTO accounts (name) VALUES (?)", o.Account)
}

// identify refuses a ledger of another version or account.
func identify(c *sqlite3.Conn, path, account string) error {
	application, version, err := header(c)
	if err != nil {
		return err
	}
	if application != applicationID {
		return &ForeignError{Path: path}
	}
	if version != schemaVersion {
		return &VersionError{Path: path, Schema: version}
	}
	keys, err := one[int](c, "SELECT key_version FROM ledger")
	if err != nil {
		return err
	}
	if keys != intent.KeyVersion {
		return &VersionError{Path: path, Schema: version, KeyVersion: keys}
	}
	found, err := one[string](c, "SELECT name FROM accounts ORDER BY id LIMIT 1")
	if err != nil {
		return err
	}
	if found != account {
		return &AccountError{Path: path, Asked: account, Found: found}
	}
	return nil
}

// header reads the two numbers by which a file says what it is.
func header(c *sqlite3.Conn) (application, version int, err error) {
	if application, err = one[int](c, "PRAGMA application_id"); err != nil {
		return 0, 0, err
	}
	version, err = one[int](c, "PRAGMA user_version")
	return application, version, err
}

func mustBeEmpty(c *sqlite3.Conn, path string) error {
	tables, err := one[int](c, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if tables > 0 {
		return &ForeignError{Path: path}
	}
	return nil
}
