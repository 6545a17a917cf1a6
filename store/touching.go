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
	selectTouch = "SELECT i.id, i.resources, i.fingerprints, " + selectRow + " FROM "
	queryLatest = selectTouch + "resources r CROSS JOIN intents i ON i.id = r.last WHERE r.kind = ? AND r.name = ?" +
		" AND NOT EXISTS (SELECT 1 FROM resources o WHERE o.kind = r.kind AND o.name = r.name AND o.last > r.last)"
	queryOlder = selectTouch + "intents i WHERE i.id = ?"
	queryLasts = "SELECT last FROM resources WHERE kind = ? AND name = ?"
)

// touching calls do for the intents that touch a resource, newest first, until
// it wants no more.
func touching(c *sqlite3.Conn, kind int64, name string, do func(*touch) (more bool)) error {
	return c.Query(queryLatest, []any{&kind, &name}, func(r *sqlite3.Row) (bool, error) {
		t, before, err := scanTouch(r, kind, name)
		if err != nil || !do(t) {
			return false, err
		}
		// While this statement is not at its end, the next ones see what it sees.
		return false, older(c, kind, name, t.id, before, do)
	})
}

// older goes on behind the newest intent, along the chains of all currencies.
func older(c *sqlite3.Conn, kind int64, name string, newest, before int64, do func(*touch) (more bool)) error {
	ends := []int64{before}
	err := c.Query(queryLasts, []any{&kind, &name}, func(r *sqlite3.Row) (bool, error) {
		var last int64
		err := r.Scan(&last)
		if last != newest {
			ends = append(ends, last)
		}
		return true, err
	})
	for more := true; more && err == nil; {
		id := slices.Max(ends)
		if id == 0 {
			return nil
		}
		err = c.Query(queryOlder, []any{&id}, func(r *sqlite3.Row) (bool, error) {
			t, before, err := scanTouch(r, kind, name)
			if err != nil {
				return false, err
			}
			ends[slices.Index(ends, id)] = before
			more = do(t)
			return false, nil
		})
		if err == nil && more && slices.Contains(ends, id) { // there is no such intent
			err = errResources
		}
	}
	return err
}

func scanTouch(r *sqlite3.Row, kind int64, name string) (t *touch, before int64, err error) {
	t = &touch{}
	var resources []byte
	if err := r.Scan(append([]any{&t.id, &resources, &t.fingerprints}, rowScan(&t.row)...)...); err != nil {
		return nil, 0, err
	}
	all, err := decodeResources(resources)
	if err != nil {
		return nil, 0, err
	}
	at := listed(all, kind, name)
	if at < 0 || all[at].before >= t.id {
		return nil, 0, errResources
	}
	return t, all[at].before, nil
}

// touching is touching, of the ledger that is read.
func (l *Ledger) touching(ctx context.Context, what string, r intent.Resource, do func(*touch) (more bool)) error {
	kind, err := l.kind(ctx, r.Kind)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return l.glance(ctx, what, func(c *sqlite3.Conn) error { return touching(c, kind, r.ID, do) })
}
