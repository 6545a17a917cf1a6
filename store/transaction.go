package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	"counterfoil/intent"
)

// transaction is one BEGIN IMMEDIATE … COMMIT, in which changes are applied.
type transaction struct {
	*writer
	seq   int64          // its number: every row and resource that it changes gets it
	names map[name]int64 // numbers that become known with the commit
}

// transact runs do in a transaction. What it did is durable when transact
// returns nil, and undone when it returns an error. landed finds out, after a
// COMMIT that was answered with an error, whether it was made all the same.
func (l *Ledger) transact(ctx context.Context, do func(context.Context, *transaction) error, landed func(context.Context, *transaction) (bool, error)) error {
	ctx = context.WithoutCancel(ctx)
	leave, err := l.write.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if damaged := l.damaged.Load(); damaged != nil {
		return damaged
	}
	if err := l.stillThere(); err != nil {
		return err
	}
	w := l.write
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return l.trouble(err)
	}
	tx := &transaction{writer: w, names: map[name]int64{}}
	err = tx.number(ctx, l.path)
	if err == nil {
		err = do(ctx, tx)
	}
	if err != nil {
		if rollbackErr := tx.rollback(ctx); rollbackErr != nil {
			return errors.Join(l.trouble(err), rollbackErr)
		}
		return l.trouble(err)
	}
	if err := w.commit(ctx); err != nil {
		return l.resolve(ctx, tx, err, landed)
	}
	tx.learn()
	return nil
}

// number gives the transaction its number, unless another version of the
// program has taken the file over.
func (tx *transaction) number(ctx context.Context, path string) error {
	const query = "UPDATE ledger SET seq = seq + 1 WHERE id = 1 AND schema = ? AND key_version = ? RETURNING seq"
	err := tx.row(ctx, query, []any{schemaVersion, intent.KeyVersion}, &tx.seq)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	version := &VersionError{Path: path}
	err = tx.row(ctx, "SELECT schema, key_version FROM ledger", nil, &version.Schema, &version.KeyVersion)
	if err != nil {
		return err
	}
	return &refusal{"written by another version", version}
}

// resolve answers for a COMMIT that was answered with an error.
func (l *Ledger) resolve(ctx context.Context, tx *transaction, cause error, landed func(context.Context, *transaction) (bool, error)) error {
	rollbackErr := tx.rollback(ctx)
	made, err := landed(ctx, tx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnresolved, errors.Join(l.trouble(cause), rollbackErr, err))
	}
	if !made {
		return l.trouble(cause)
	}
	tx.learn()
	return nil
}

// rollback undoes what is left of the transaction. Some errors have SQLite do
// that by itself.
func (tx *transaction) rollback(ctx context.Context) error {
	err := tx.exec(ctx, "ROLLBACK")
	if err == nil || noTransaction(err) {
		return nil
	}
	return fmt.Errorf("rollback: %w", err)
}

// learn keeps the names' numbers, which are now durable.
func (tx *transaction) learn() {
	maps.Copy(tx.writer.names, tx.names)
}

// behind are the numbers of an owner and a principal; nil for none.
func (tx *transaction) behind(ctx context.Context, owner, principal string) (who behind, err error) {
	if who.owner, err = tx.numberOf(ctx, name{"owners", owner}); err != nil {
		return behind{}, err
	}
	who.principal, err = tx.numberOf(ctx, name{"principals", principal})
	return who, err
}

// name is one of a table that gives names numbers.
type name struct{ table, text string }

// numberOf is the number of a name, nil for none.
func (tx *transaction) numberOf(ctx context.Context, n name) (any, error) {
	if n.text == "" {
		return nil, nil
	}
	if id, ok := tx.writer.names[n]; ok {
		return id, nil
	}
	if id, ok := tx.names[n]; ok {
		return id, nil
	}
	var id int64
	err := tx.row(ctx, "SELECT id FROM "+n.table+" WHERE name = ?", []any{n.text}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.row(ctx, "INSERT INTO "+n.table+" (name) VALUES (?) RETURNING id", []any{n.text}, &id)
	}
	if err != nil {
		return nil, err
	}
	tx.names[n] = id
	return id, nil
}
