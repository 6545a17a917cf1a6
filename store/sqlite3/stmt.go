package sqlite3

import (
	"database/sql/driver"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// stmt is a prepared statement.
type stmt struct {
	c      *Conn
	handle uintptr
	params []room
}

// room is memory of SQLite's side that a parameter's bytes are put into, kept
// from one run to the next.
type room struct {
	at   uintptr
	size int
}

// prepare prepares each statement once.
func (c *Conn) prepare(query string) (*stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	text, err := libc.CString(query)
	if err != nil {
		return nil, errMemory
	}
	defer libc.Xfree(c.tls, text)
	rc := lib.Xsqlite3_prepare_v3(c.tls, c.db, text, -1, lib.SQLITE_PREPARE_PERSISTENT, c.out, 0)
	if err := c.check(rc); err != nil {
		return nil, err
	}
	s := &stmt{c: c, handle: c.pointer()}
	s.params = make([]room, lib.Xsqlite3_bind_parameter_count(c.tls, s.handle))
	c.stmts[query] = s
	return s, nil
}

func (s *stmt) finalize() {
	lib.Xsqlite3_finalize(s.c.tls, s.handle)
	for _, r := range s.params {
		libc.Xfree(s.c.tls, r.at)
	}
}

func (s *stmt) reset() { lib.Xsqlite3_reset(s.c.tls, s.handle) } // what it returns, step has returned before

func (s *stmt) step() (row bool, err error) {
	switch rc := lib.Xsqlite3_step(s.c.tls, s.handle); rc {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	default:
		return false, s.c.check(rc)
	}
}

func (s *stmt) bind(args []any) error {
	if len(args) != len(s.params) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), len(s.params))
	}
	for i, arg := range args {
		if err := s.bindOne(int32(i+1), arg); err != nil {
			return err
		}
	}
	return nil
}

// Integer is what is bound as an integer, or as NULL where it is none.
type Integer interface{ Integer() (v int64, ok bool) }

// Blob is what is bound as bytes, or as NULL where that is nil.
type Blob interface{ Blob() []byte }

// bindOne binds a value, or what a pointer points at: a pointer into what is
// there anyway need not be allocated.
func (s *stmt) bindOne(n int32, arg any) error {
	switch v := arg.(type) {
	case nil:
		return s.bindNull(n)
	case int64:
		return s.bindInteger(n, v)
	case *int64:
		return s.bindInteger(n, *v)
	case int:
		return s.bindInteger(n, int64(v))
	case *int:
		return s.bindInteger(n, int64(*v))
	case bool:
		return s.bindBool(n, v)
	case *bool:
		return s.bindBool(n, *v)
	case string:
		return s.bindText(n, v)
	case *string:
		return s.bindText(n, *v)
	case []byte:
		return s.bindBlob(n, v)
	case Integer:
		if i, ok := v.Integer(); ok {
			return s.bindInteger(n, i)
		}
		return s.bindNull(n)
	case Blob:
		if b := v.Blob(); b != nil {
			return s.bindBlob(n, b)
		}
		return s.bindNull(n)
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return err
		}
		return s.bindOne(n, value)
	}
	return fmt.Errorf("an argument of type %T", arg)
}

func (s *stmt) bindNull(n int32) error {
	return s.c.check(lib.Xsqlite3_bind_null(s.c.tls, s.handle, n))
}

func (s *stmt) bindInteger(n int32, v int64) error {
	return s.c.check(lib.Xsqlite3_bind_int64(s.c.tls, s.handle, n, v))
}

func (s *stmt) bindBool(n int32, v bool) error {
	if v {
		return s.bindInteger(n, 1)
	}
	return s.bindInteger(n, 0)
}

func (s *stmt) bindText(n int32, v string) error {
	at, err := hold(s, n, v)
	if err != nil {
		return err
	}
	return s.c.check(lib.Xsqlite3_bind_text(s.c.tls, s.handle, n, at, int32(len(v)), 0)) //nolint:gosec // hold has refused what is longer
}

func (s *stmt) bindBlob(n int32, v []byte) error {
	at, err := hold(s, n, v)
	if err != nil {
		return err
	}
	return s.c.check(lib.Xsqlite3_bind_blob(s.c.tls, s.handle, n, at, int32(len(v)), 0)) //nolint:gosec // hold has refused what is longer
}

// hold puts bytes into a parameter's room, where SQLite reads them.
func hold[T string | []byte](s *stmt, n int32, v T) (at uintptr, err error) {
	if len(v) > mostBytes {
		return 0, &Error{Code: lib.SQLITE_TOOBIG, Text: "string or blob too big"}
	}
	r := &s.params[n-1]
	if r.at == 0 || r.size < len(v) {
		libc.Xfree(s.c.tls, r.at)
		*r = room{}
		if at, err = libc.CString(string(make([]byte, len(v)))); err != nil {
			return 0, errMemory
		}
		*r = room{at, len(v)}
	}
	copy(libc.GoBytes(r.at, len(v)), v)
	return r.at, nil
}

// mostBytes is SQLite's own limit of a text or a blob.
const mostBytes = 1_000_000_000
