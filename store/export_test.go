package store

import (
	"context"
	"strconv"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

// WriteSQL runs SQL on the connection that writes.
func (l *Ledger) WriteSQL(query string) error { return l.write.conn.Script(query) }

// Fill leaves the file no page more than it has.
func (l *Ledger) Fill() error {
	pages, err := one[int](l.write.conn, "PRAGMA page_count")
	if err != nil {
		return err
	}
	return l.write.conn.Script("PRAGMA max_page_count = " + strconv.Itoa(pages))
}

// AfterCommit has every COMMIT that was made answered with what f says.
func (l *Ledger) AfterCommit(f func() error) {
	commit := l.write.commit
	l.write.commit = func() error {
		if err := commit(); err != nil {
			return err
		}
		return f()
	}
}

// InsteadOfCommit has no COMMIT made.
func (l *Ledger) InsteadOfCommit(f func() error) { l.write.commit = f }

// InsteadOfNextCommit has one COMMIT not made.
func (l *Ledger) InsteadOfNextCommit(f func() error) {
	commit := l.write.commit
	l.write.commit = func() error {
		l.write.commit = commit
		return f()
	}
}

// InTransaction runs SQL as a caller's share of a transaction, which ends as
// then says.
func (l *Ledger) InTransaction(query string, then func() error) error {
	return l.transact(
		func(tx *transaction) error {
			if err := tx.exec(query); err != nil {
				return err
			}
			return then()
		},
		func(*transaction) (bool, error) { return false, nil })
}

// SetClosed has who gets the turn find the ledger closed, or not; meanwhile the
// turn is somebody's.
func (l *Ledger) SetClosed(why error) { l.write.closed = why }

// ReadSQL runs a query on the pool that reads, and calls do for every row.
func (l *Ledger) ReadSQL(ctx context.Context, query string, args []any, do func(scan func(...any) error) error) error {
	return l.read.each(ctx, query, args, func(r *sqlite3.Row) (bool, error) { return true, do(r.Scan) })
}

// Queries are the statements of the hot paths, by name.
func Queries() map[string]string {
	return map[string]string{
		"find": queryFind,
		"due":  queryDue, "in flight": queryFlights, "owners in flight": queryInFlightOwners, "mark": queryMark,
		"act": queryAct, "attempts": queryAttempts, "decisions": queryDecisions, "totals": queryTotals.of(4), "outbox": queryOutbox,
		"escalation": queryEscalation, "load": queryLoad, "blocker": queryBlocker, "update": queryUpdate,
		"attempt": queryAttempt, "standings": queryStands.of(4), "older": queryOlder, "newest": queryLatest, "newest in all currencies": queryLasts, "mark resources": queryMarked.of(4),
	}
}

// Kill ends the ledger's process as far as others can tell: its lock goes, and
// nothing is tidied up.
func (l *Ledger) Kill() error { return l.owner.lock.Unlock() }

// SchemaVersion is the schema that this program writes.
var SchemaVersion = schemaVersion

// OnCommit has f called for every COMMIT that was made.
func (l *Ledger) OnCommit(f func()) {
	l.AfterCommit(func() error { f(); return nil })
}

// WritePragma and ReadPragma read a setting of the connection that writes, and
// of one that reads.
func (l *Ledger) WritePragma(name string) (string, error) {
	return one[string](l.write.conn, "PRAGMA "+name)
}

func (l *Ledger) ReadPragma(name string) (value string, err error) {
	err = l.read.with(func(c *sqlite3.Conn) error {
		value, err = one[string](c, "PRAGMA "+name)
		return err
	})
	return value, err
}

// Enter waits in the queue of a lock file.
func Enter(ctx context.Context, path string) (leave func() error, err error) {
	return enterOnce(ctx, path)
}

// UnsafePlace names what is known against a directory.
func UnsafePlace(dir string) (string, error) { return unsafePlace(dir) }

// ExamineWith examines with further settings of the connection that writes.
func ExamineWith(ctx context.Context, e Examination, more ...string) Health {
	return examine(ctx, e, more...)
}

// Hold keeps the turn to write.
func (l *Ledger) Hold() (release func()) {
	l.write.turn <- struct{}{}
	return func() { <-l.write.turn }
}

// Waiting is how many wait for a transaction.
func (l *Ledger) Waiting() int {
	l.write.line.mu.Lock()
	defer l.write.line.mu.Unlock()
	return len(l.write.line.shares)
}

// BatchMost bounds how many share a transaction.
const BatchMost = batchMost

// PackRest and UnpackRest write and read a row's column rest.
func PackRest(r *intent.Row) ([]byte, error) {
	return (*rest)(r).Blob(), nil
}

func UnpackRest(b []byte, r *intent.Row) error { return (*rest)(r).Scan(b) }
