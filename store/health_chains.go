package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

var (
	queryLists     = "SELECT id, resources FROM intents"
	queryResources = "SELECT r.kind, n.name, r.name, r.currency, r.open, r.spent, r.last FROM resources r JOIN names n ON n.id = r.kind ORDER BY r.kind, r.name"
	queryLink      = func() string {
		open, spent := countedSQL("i")
		return "SELECT i.resources, i.currency, " + open + ", " + spent + " FROM intents i WHERE i.id = ?"
	}()
)

// chainsIn follows the chain of every resource, and adds up what its intents
// count: siblings are found by the chains, and the ceilings hold by the sums, so
// neither may be wrong. At most so many findings are brought.
func (l *Ledger) chainsIn(ctx context.Context, most int) (found []string, err error) {
	err = l.reads(ctx, "chains", func() error {
		return l.read.with(func(c *sqlite3.Conn) (err error) {
			callOff := c.Until(ctx)
			defer callOff()
			if err := c.Exec("BEGIN"); err != nil { // all of it as of one moment
				return err
			}
			defer func() { err = errors.Join(err, c.Exec("ROLLBACK")) }()
			w := chainWalk{conn: c, most: most}
			if err := w.all(); err != nil {
				return errors.Join(ctx.Err(), err)
			}
			found = w.found
			return nil
		})
	})
	return found, err
}

// chainWalk is one walk along all chains.
type chainWalk struct {
	conn  *sqlite3.Conn
	found []string
	most  int
	links int // as the chains have them
	node  chained
}

// chained is a resource, in all its currencies.
type chained struct {
	kind       int64
	what, name string
	kept       map[string]intent.Total // as the table has them, by currency
	counted    map[string]intent.Total // as its intents count
}

func (w *chainWalk) all() error {
	listed, err := w.listed()
	if err != nil {
		return err
	}
	err = w.conn.Query(queryResources, nil, func(r *sqlite3.Row) (bool, error) {
		var kind, last int64
		var what, name, currency string
		var kept intent.Total
		if err := r.Scan(&kind, &what, &name, &currency, &kept.Open, &kept.Spent, &last); err != nil {
			return false, err
		}
		if kind != w.node.kind || name != w.node.name {
			w.compare()
			w.node = chained{kind, what, name, map[string]intent.Total{}, map[string]intent.Total{}}
		}
		w.node.kept[currency] = kept
		return len(w.found) < w.most, w.along(last)
	})
	w.compare()
	if err == nil && w.links != listed && len(w.found) == 0 {
		w.note("the intents list %d resources, and the chains reach %d", listed, w.links)
	}
	return err
}

// listed counts what the intents list.
func (w *chainWalk) listed() (links int, err error) {
	err = w.conn.Query(queryLists, nil, func(r *sqlite3.Row) (bool, error) {
		var id int64
		var b []byte
		if err := r.Scan(&id, &b); err != nil {
			return false, err
		}
		all, err := decodeResources(b)
		if err != nil {
			w.note("intent %d: %v", id, err)
		}
		links += len(all)
		return len(w.found) < w.most, nil
	})
	return links, err
}

// along follows one chain to its end.
func (w *chainWalk) along(last int64) error {
	n := &w.node
	for id := last; id != 0; {
		var b []byte
		var currency string
		var counts intent.Total
		there, err := w.conn.First(queryLink, []any{id}, &b, &currency, &counts.Open, &counts.Spent)
		if err != nil {
			return err
		}
		before, ok := linkIn(b, n.kind, n.name)
		if !there || !ok || before >= id {
			w.note("%s %s: its chain breaks off at intent %d", n.what, n.name, id)
			return nil
		}
		sum := n.counted[currency]
		n.counted[currency] = intent.Total{Open: sum.Open + counts.Open, Spent: sum.Spent + counts.Spent}
		w.links++
		id = before
	}
	return nil
}

// compare holds the sums that are kept of a resource against its intents.
func (w *chainWalk) compare() {
	n := &w.node
	currencies := slices.Concat(slices.Collect(maps.Keys(n.kept)), slices.Collect(maps.Keys(n.counted)))
	slices.Sort(currencies)
	for _, currency := range slices.Compact(currencies) {
		if kept, counted := n.kept[currency], n.counted[currency]; kept != counted {
			w.note("%s %s: %d open and %d spent %s are kept, its intents make %d and %d",
				n.what, n.name, kept.Open, kept.Spent, currency, counted.Open, counted.Spent)
		}
	}
}

func (w *chainWalk) note(format string, args ...any) {
	if len(w.found) < w.most {
		w.found = append(w.found, fmt.Sprintf(format, args...))
	}
}
