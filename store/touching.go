package store

import (
	"context"
	"fmt"
	"slices"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// The intents that touch a resource are a chain for each currency that they
// began in: the resource names the newest, and every intent the one before it.
// Intents are numbered in the order of their making. A table of its own for them
// would cost four more random inserts with every claim.

// touch is an intent that touches the resource that is asked for.
type touch struct {
	id           int64
	fingerprints []byte
	row          intent.Row
}

var (
	selectTouch = "i.id, i.resources, i.fingerprints, " + selectRow + " FROM "
	// The newest in one currency, and in how many there may be others.
	queryLatest = "SELECT (SELECT count(*) FROM resources o WHERE o.kind = r.kind AND o.name = r.name), " + selectTouch +
		"resources r LEFT JOIN intents i ON i.id = r.last WHERE r.kind = ? AND r.name = ? AND r.last > 0"
	queryOlder = "SELECT 1, " + selectTouch + "intents i WHERE i.id = ?"
	queryLasts = "SELECT last FROM resources WHERE kind = ? AND name = ?"
)

// touching calls do for the intents that touch a resource, newest first, until
// it wants no more.
func touching(c *sqlite3.Conn, kind int64, name string, do func(*touch) (more bool)) error {
	return c.Query(queryLatest, []any{&kind, &name}, func(r *sqlite3.Row) (bool, error) {
		// While this statement is not at its end, the next ones see what it sees.
		t, before, currencies, err := scanTouch(r, kind, name)
		switch {
		case err != nil:
			return false, err
		case currencies > 1:
			return false, alongAll(c, kind, name, do)
		case do(t):
			return false, along(c, kind, name, []int64{before}, do)
		}
		return false, nil
	})
}

// alongAll follows the chains of all currencies.
func alongAll(c *sqlite3.Conn, kind int64, name string, do func(*touch) (more bool)) error {
	var ends []int64
	err := c.Query(queryLasts, []any{&kind, &name}, func(r *sqlite3.Row) (bool, error) {
		var last int64
		err := r.Scan(&last)
		ends = append(ends, last)
		return true, err
	})
	if err != nil {
		return err
	}
	return along(c, kind, name, ends, do)
}

// along follows chains from their ends, always the newest intent of all.
func along(c *sqlite3.Conn, kind int64, name string, ends []int64, do func(*touch) (more bool)) error {
	for more := true; more; {
		id := slices.Max(ends)
		if id == 0 {
			return nil
		}
		var there bool
		err := c.Query(queryOlder, []any{&id}, func(r *sqlite3.Row) (bool, error) {
			t, before, _, err := scanTouch(r, kind, name)
			if err != nil {
				return false, err
			}
			there, ends[slices.Index(ends, id)] = true, before
			more = do(t)
			return false, nil
		})
		if err != nil {
			return err
		}
		if !there {
			return errResources
		}
	}
	return nil
}

func scanTouch(r *sqlite3.Row, kind int64, name string) (t *touch, before int64, currencies int, err error) {
	t = &touch{}
	var resources []byte
	dest := append(make([]any, 0, 4+len(rowColumns)), &currencies, &t.id, &resources, &t.fingerprints)
	if err := r.Scan(appendRowScan(dest, &t.row)...); err != nil {
		return nil, 0, 0, err
	}
	before, ok := linkIn(resources, kind, name)
	if !ok || before >= t.id {
		return nil, 0, 0, errResources
	}
	return t, before, currencies, nil
}

// touching is touching, of the ledger that is read.
func (l *Ledger) touching(ctx context.Context, what string, r intent.Resource, do func(*touch) (more bool)) error {
	kind, err := l.kind(ctx, r.Kind)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return l.glance(ctx, what, func(c *sqlite3.Conn) error { return touching(c, kind, r.ID, do) })
}
