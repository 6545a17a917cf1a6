package sqlite3

import (
	"database/sql"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// ScannerOn is like a sql.Scanner, and may ask for more on the connection.
type ScannerOn interface{ ScanOn(c *Conn, v any) error }

// Row is a row of a statement's result, until the next one.
type Row stmt

// Scan reads the columns, from the first, into what dest point at. NULL is only
// read by a sql.Scanner and as no bytes.
func (r *Row) Scan(dest ...any) error {
	if n := int(lib.Xsqlite3_data_count(r.c.tls, r.handle)); n != len(dest) {
		return fmt.Errorf("%d columns for %d values", n, len(dest))
	}
	for i, d := range dest {
		if err := r.scan(int32(i), d); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func (r *Row) scan(i int32, dest any) error {
	kind := lib.Xsqlite3_column_type(r.c.tls, r.handle, i)
	switch d := dest.(type) {
	case *int64:
		*d = r.integer(i)
		return want(kind, lib.SQLITE_INTEGER)
	case *int:
		*d = int(r.integer(i))
		return want(kind, lib.SQLITE_INTEGER)
	case *bool:
		*d = r.integer(i) != 0
		return want(kind, lib.SQLITE_INTEGER)
	case *string:
		*d = r.text(i)
		if kind == lib.SQLITE_INTEGER { // a setting, say
			return nil
		}
		return want(kind, lib.SQLITE_TEXT)
	case *[]byte:
		*d = append([]byte(nil), r.blob(i)...)
		if kind == lib.SQLITE_NULL {
			return nil
		}
		return want(kind, lib.SQLITE_BLOB)
	case ScannerOn:
		return d.ScanOn(r.c, r.value(i, kind))
	case sql.Scanner:
		return d.Scan(r.value(i, kind))
	}
	return fmt.Errorf("a destination of type %T", dest)
}

func want(kind, wanted int32) error {
	if kind != wanted {
		return fmt.Errorf("type %d instead of %d", kind, wanted)
	}
	return nil
}

// value is a column as its type has it. Bytes are the row's.
func (r *Row) value(i, kind int32) any {
	switch kind {
	case lib.SQLITE_INTEGER:
		return r.integer(i)
	case lib.SQLITE_TEXT:
		return r.text(i)
	case lib.SQLITE_BLOB:
		return r.blob(i)
	}
	return nil
}

func (r *Row) integer(i int32) int64 { return lib.Xsqlite3_column_int64(r.c.tls, r.handle, i) }

func (r *Row) text(i int32) string {
	at := lib.Xsqlite3_column_text(r.c.tls, r.handle, i)
	return string(libc.GoBytes(at, r.size(i)))
}

func (r *Row) blob(i int32) []byte {
	at := lib.Xsqlite3_column_blob(r.c.tls, r.handle, i)
	return libc.GoBytes(at, r.size(i))
}

func (r *Row) size(i int32) int { return int(lib.Xsqlite3_column_bytes(r.c.tls, r.handle, i)) }
