package store

import (
	"context"
	"maps"

	"counterfoil/store/sqlite3"
)

// nameOf is SQL for the name that a column has the number of, empty for none.
func nameOf(column string) string {
	return "ifnull((SELECT name FROM names WHERE id = " + column + "), '')"
}

// scanName is a name that is read by its number.
type scanName string

// ScanOn asks for the name, once for every connection: what is committed of
// names never changes. A transaction may yet be undone, so it keeps none.
func (n *scanName) ScanOn(c *sqlite3.Conn, v any) error {
	*n = ""
	id, ok := v.(int64)
	if !ok {
		return nil
	}
	if name, ok := c.Kept[id]; ok {
		*n = scanName(name)
		return nil
	}
	found, err := c.First("SELECT name FROM names WHERE id = ?", []any{&id}, (*string)(n))
	if found && !c.InTransaction() {
		c.Kept[id] = string(*n)
	}
	return err
}

// numbered is SQL for the number of the name that is asked for.
const numbered = "(SELECT id FROM names WHERE name = ?)"

// kind is the number of a kind of resources, 0 where the ledger knows none of it.
// A number once given stays, so it is asked for once.
func (l *Ledger) kind(ctx context.Context, name string) (id int64, err error) {
	if known, ok := l.kinds.Load(name); ok {
		id, _ = known.(int64)
		return id, nil
	}
	if ok, err := l.scan(ctx, "kind "+name, queryName, []any{name}, &id); err != nil || !ok {
		return 0, err
	}
	l.kinds.Store(name, id)
	return id, nil
}

const queryName = "SELECT id FROM names WHERE name = ?"

// known is the number of a name, if the ledger has it.
func (tx *transaction) known(name string) (id int64, ok bool, err error) {
	if id, ok := tx.writer.names[name]; ok {
		return id, true, nil
	}
	if id, ok := tx.names[name]; ok {
		return id, true, nil
	}
	if ok, err = tx.first(queryName, []any{name}, &id); ok {
		tx.names[name] = id
	}
	return id, ok, err
}

// number is the number of a name, which is given one where it has none.
func (tx *transaction) number(name string) (int64, error) {
	id, ok, err := tx.known(name)
	if ok || err != nil {
		return id, err
	}
	id, err = tx.insert("INSERT INTO names (name) VALUES (?)", name)
	if err == nil {
		tx.names[name] = id
	}
	return id, err
}

// optional is the number of a name, nil for an empty one.
func (tx *transaction) optional(name string) (any, error) {
	if name == "" {
		return nil, nil
	}
	return tx.number(name)
}

// learn keeps the numbers that are durable now.
func (tx *transaction) learn() { maps.Copy(tx.writer.names, tx.names) }
