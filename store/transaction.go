package store

import (
	"fmt"

	"counterfoil/intent"
)

// transaction is one BEGIN IMMEDIATE … COMMIT, which several callers may share.
type transaction struct {
	*writer
	seq   int64            // the number of the share that is being done: every row and resource that it changes gets it
	wrote bool             // that share has changed something
	names map[string]int64 // numbers of names, which become known with the commit
	args  []any            // room for the arguments of one statement
}

// start begins a transaction for so many shares. The caller has the turn.
func (l *Ledger) start(shares int) (*transaction, error) {
	if damaged := l.damaged.Load(); damaged != nil {
		return nil, damaged
	}
	if err := l.stillThere(); err != nil {
		return nil, err
	}
	w := l.write
	if err := w.conn.Exec("BEGIN IMMEDIATE"); err != nil {
		return nil, l.trouble(err)
	}
	tx := &transaction{writer: w, names: map[string]int64{}}
	if err := tx.reserve(l.path, shares); err != nil {
		return nil, joined(l.trouble(err), tx.rollback())
	}
	return tx, nil
}

// reserve takes a number for each share, unless another version of the program
// has taken the file over. Those of the refused are never used.
func (tx *transaction) reserve(path string, shares int) error {
	found, err := tx.first("SELECT seq FROM ledger WHERE schema = ? AND key_version = ?", []any{schemaVersion, intent.KeyVersion}, &tx.seq)
	if err != nil {
		return err
	}
	if found {
		return tx.exec("UPDATE ledger SET seq = seq + ?", shares)
	}
	version := &VersionError{Path: path}
	_, err = tx.first("SELECT schema, key_version FROM ledger", nil, &version.Schema, &version.KeyVersion)
	if err != nil {
		return err
	}
	return &refusal{"written by another version", version}
}

// rollback undoes what is left of the transaction. Some errors have SQLite do
// that by itself.
func (tx *transaction) rollback() error {
	err := tx.exec("ROLLBACK")
	if err == nil || noTransaction(err) {
		return nil
	}
	return fmt.Errorf("rollback: %w", err)
}

// exec changes something, and count and insert say of what they changed how many
// rows it was, and the number of the row that was made.
func (tx *transaction) exec(query string, args ...any) error {
	tx.wrote = true
	return tx.conn.Exec(query, args...)
}

func (tx *transaction) count(query string, args ...any) (int, error) {
	err := tx.exec(query, args...)
	return tx.conn.Changes(), err
}

func (tx *transaction) insert(query string, args ...any) (id int64, err error) {
	err = tx.exec(query, args...)
	return tx.conn.LastInsertID(), err
}
