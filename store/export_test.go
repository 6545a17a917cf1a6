package store

import (
	"context"
	"strconv"

	"modernc.org/sqlite"
)

// WriteSQL runs SQL on the connection that writes.
func (l *Ledger) WriteSQL(ctx context.Context, query string) error {
	_, err := l.write.conn.ExecContext(ctx, query)
	return err
}

// Fill leaves the file no page more than it has.
func (l *Ledger) Fill(ctx context.Context) error {
	pages, err := scanOne[int](ctx, l.write.conn, "PRAGMA page_count")
	if err != nil {
		return err
	}
	_, err = scanOne[int](ctx, l.write.conn, "PRAGMA max_page_count = "+strconv.Itoa(pages))
	return err
}

// AfterCommit has every COMMIT that was made answered with what f says.
func (l *Ledger) AfterCommit(f func() error) {
	commit := l.write.commit
	l.write.commit = func(ctx context.Context) error {
		if err := commit(ctx); err != nil {
			return err
		}
		return f()
	}
}

// InsteadOfCommit has no COMMIT made.
func (l *Ledger) InsteadOfCommit(f func() error) {
	l.write.commit = func(context.Context) error { return f() }
}

// ReadSQL runs a query on the pool that reads, and calls do for every row.
func (l *Ledger) ReadSQL(ctx context.Context, query string, args []any, do func(scan func(...any) error) error) error {
	return l.read.each(ctx, query, args, func(scan func(...any) error) (bool, error) { return true, do(scan) })
}

// Queries are the statements of the hot paths, by name.
func Queries() map[string]string {
	return map[string]string{
		"find": queryFind, "recognise": queryRecognise, "by effect": queryByEffect, "around": queryAround,
		"due": queryDue, "in flight": queryFlights, "owners in flight": queryInFlightOwners, "mark": queryMark,
		"act": queryAct, "attempts": queryAttempts, "decisions": queryDecisions, "totals": querySum, "outbox": queryOutbox,
		"escalation": queryEscalation, "load": queryLoad, "blocker": queryBlocker, "update": queryUpdate,
		"touch": queryTouch, "add": queryAdd,
	}
}

// Kill ends the ledger's process as far as others can tell: its lock goes, and
// nothing is tidied up.
func (l *Ledger) Kill() error { return l.owner.lock.Unlock() }

// SchemaVersion is the schema that this program writes.
var SchemaVersion = schemaVersion

// OnCommit has f called for every transaction that is committed with a change.
func (l *Ledger) OnCommit(f func()) error {
	return l.write.conn.Raw(func(conn any) error {
		conn.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 { f(); return 0 })
		return nil
	})
}

// WritePragma and ReadPragma read a setting of the connection that writes, and
// of one that reads.
func (l *Ledger) WritePragma(ctx context.Context, name string) (string, error) {
	return scanOne[string](ctx, l.write.conn, "PRAGMA "+name)
}

func (l *Ledger) ReadPragma(ctx context.Context, name string) (string, error) {
	return scanOne[string](ctx, l.read, "PRAGMA "+name)
}

// Enter waits in the queue of a lock file.
func Enter(ctx context.Context, path string) (leave func() error, err error) {
	return queue(path).enter(ctx)
}

// UnsafePlace names what is known against a directory.
func UnsafePlace(dir string) (string, error) { return unsafePlace(dir) }

// ExamineWith examines with further settings of the connection that writes.
func ExamineWith(ctx context.Context, e Examination, more ...string) Health {
	return examine(ctx, e, more...)
}
