// Package sqlite3 is as much of SQLite as the ledger needs, on the translation
// that modernc.org/sqlite brings: connections that keep their statements. The
// ledger's statements take a few microseconds each; database/sql, between them
// and SQLite, took as long again.
package sqlite3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Conn is a connection. One goroutine may use it at a time.
type Conn struct {
	tls   *libc.TLS
	db    uintptr
	out   uintptr // where SQLite puts a pointer that it gives back
	stmts map[string]*stmt

	// Kept is for who uses the connection: texts of the database that never
	// change, by their numbers.
	Kept map[int64]string
}

// Error is what SQLite answers where something went wrong.
type Error struct {
	Code int // an extended result code; the lowest eight bits are the primary one
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Text, e.Code) }

var errMemory = &Error{Code: lib.SQLITE_NOMEM, Text: "out of memory"}

const pointerSize = bits.UintSize / 8

// Open opens the database that a URI names (https://sqlite.org/uri.html). In
// this connection a name in double quotes is never a text, and SQL cannot damage
// the file.
func Open(uri string) (_ *Conn, err error) {
	c := &Conn{tls: libc.NewTLS(), stmts: map[string]*stmt{}, Kept: map[int64]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.out, err = libc.CString(string(make([]byte, pointerSize))); err != nil {
		return nil, errMemory
	}
	name, err := libc.CString(uri)
	if err != nil {
		return nil, errMemory
	}
	defer libc.Xfree(c.tls, name)
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE | lib.SQLITE_OPEN_URI |
		lib.SQLITE_OPEN_NOMUTEX | lib.SQLITE_OPEN_EXRESCODE
	rc := lib.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
	c.db = c.pointer()
	if err := c.check(rc); err != nil {
		return nil, err
	}
	for option, on := range map[int32]bool{
		lib.SQLITE_DBCONFIG_DQS_DDL: false, lib.SQLITE_DBCONFIG_DQS_DML: false, lib.SQLITE_DBCONFIG_DEFENSIVE: true,
		// A plan never depends on what is bound: a statement would be prepared
		// again whenever something else is.
		lib.SQLITE_DBCONFIG_ENABLE_QPSG: true,
	} {
		if err := c.configure(option, on); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Conn) configure(option int32, on bool) error {
	value := int32(0)
	if on {
		value = 1
	}
	args := libc.NewVaList(value, uintptr(0))
	defer libc.Xfree(c.tls, args)
	return c.check(lib.Xsqlite3_db_config(c.tls, c.db, option, args))
}

// Close closes the connection and its statements. A transaction that is open is
// rolled back.
func (c *Conn) Close() error {
	if c.tls == nil {
		return nil
	}
	for _, s := range c.stmts {
		s.finalize()
	}
	var err error
	if c.db != 0 {
		err = c.check(lib.Xsqlite3_close_v2(c.tls, c.db))
	}
	libc.Xfree(c.tls, c.out)
	c.tls.Close()
	c.tls = nil
	return err
}

// pointer is what SQLite has put at c.out.
func (c *Conn) pointer() uintptr {
	b := libc.GoBytes(c.out, pointerSize)
	if pointerSize == 8 {
		return uintptr(binary.NativeEndian.Uint64(b))
	}
	return uintptr(binary.NativeEndian.Uint32(b))
}

// check makes an error of a result code. SQLite keeps the text until the next
// call.
func (c *Conn) check(rc int32) error {
	switch {
	case rc == lib.SQLITE_OK:
		return nil
	case c.db == 0:
		return errMemory
	}
	return &Error{Code: int(rc), Text: libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db))}
}

// Script runs statements that take no arguments, one after the other.
func (c *Conn) Script(text string) error {
	all, err := libc.CString(text)
	if err != nil {
		return errMemory
	}
	defer libc.Xfree(c.tls, all)
	return c.check(lib.Xsqlite3_exec(c.tls, c.db, all, 0, 0, 0))
}

// Exec runs a statement.
func (c *Conn) Exec(query string, args ...any) error {
	return c.Query(query, args, func(*Row) (bool, error) { return true, nil })
}

// Query calls do for the rows of a statement, until it wants no more.
func (c *Conn) Query(query string, args []any, do func(*Row) (more bool, err error)) (err error) {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	defer s.reset()
	if err := s.bind(args); err != nil {
		return err
	}
	for {
		row, err := s.step()
		if err != nil || !row {
			return err
		}
		if more, err := do((*Row)(s)); err != nil || !more {
			return err
		}
	}
}

// First scans the first row of a statement; found is false where there is none.
func (c *Conn) First(query string, args []any, dest ...any) (found bool, err error) {
	err = c.Query(query, args, func(r *Row) (bool, error) {
		found = true
		return false, r.Scan(dest...)
	})
	return found && err == nil, err
}

// Changes is how many rows the last INSERT, UPDATE or DELETE changed.
func (c *Conn) Changes() int { return int(lib.Xsqlite3_changes(c.tls, c.db)) }

// LastInsertID is the number of the row that the last INSERT made.
func (c *Conn) LastInsertID() int64 { return lib.Xsqlite3_last_insert_rowid(c.tls, c.db) }

// InTransaction reports whether a BEGIN has not been ended.
func (c *Conn) InTransaction() bool { return lib.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

// Until has what the connection does broken off when ctx ends, until it is
// called off.
func (c *Conn) Until(ctx context.Context) (callOff func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		tls := libc.NewTLS()
		defer tls.Close()
		lib.Xsqlite3_interrupt(tls, c.db)
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}
