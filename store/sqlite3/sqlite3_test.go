package sqlite3_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lib "modernc.org/sqlite/lib"

	"counterfoil/store/sqlite3"
)

func open(t *testing.T, params string) *sqlite3.Conn {
	t.Helper()
	c, err := sqlite3.Open("file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db")) + params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func code(err error) int {
	var e *sqlite3.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// halved is a column of its own making.
type halved int64

func (h halved) Value() (driver.Value, error) { return int64(h) * 2, nil }

func (h *halved) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return errors.New("not a number")
	}
	*h = halved(n / 2)
	return nil
}

func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	c := open(t, "")
	if err := c.Script("CREATE TABLE t (a, b, c, d, e, f, g, h); CREATE TABLE u (x)"); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ü\x00", 5000)
	seven, no := 7, false
	for _, text := range []string{"", "x", long, "y"} { // shorter ones in the room of a longer one
		err := c.Exec("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", int64(-1<<63), &seven, true, &no, text, []byte(text), nil, halved(21))
		if err != nil {
			t.Fatal(err)
		}
		var a int64
		var b int
		var tt, f bool
		var gotText string
		var blob, null []byte
		var h halved
		found, err := c.First("SELECT * FROM t WHERE rowid = ?", []any{c.LastInsertID()}, &a, &b, &tt, &f, &gotText, &blob, &null, &h)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if a != -1<<63 || b != 7 || !tt || f || h != 21 || null != nil {
			t.Errorf("got %d, %d, %v, %v, %v, %v", a, b, tt, f, h, null)
		}
		if diff := cmp.Diff(text, gotText); diff != "" {
			t.Errorf("text (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(text, string(blob)); diff != "" {
			t.Errorf("blob (-want +got):\n%s", diff)
		}
	}
	if err := c.Exec("UPDATE t SET b = 8 WHERE b = 7"); err != nil || c.Changes() != 4 {
		t.Errorf("%d changes, %v", c.Changes(), err)
	}
	if found, err := c.First("SELECT x FROM u", nil, new(int)); found || err != nil {
		t.Errorf("of an empty table: %v, %v", found, err)
	}
}

func TestRowsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	c := open(t, "")
	const three = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n"
	read := func(most int) (all []int, err error) {
		err = c.Query(three, nil, func(r *sqlite3.Row) (bool, error) {
			var i int
			err := r.Scan(&i)
			all = append(all, i)
			return len(all) < most, err
		})
		return all, err
	}
	for most, want := range map[int][]int{1: {1}, 2: {1, 2}, 9: {1, 2, 3}} {
		got, err := read(most)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("at most %d: %v (-want +got):\n%s", most, err, diff)
		}
	}
}

func TestWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := open(t, "")
	if err := c.Script("CREATE TABLE t (x INTEGER NOT NULL UNIQUE) STRICT; INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		err  error
		code int
		says string
	}{
		"a statement that is none": {c.Exec("SELEC"), lib.SQLITE_ERROR, "syntax error"},
		"a constraint":             {c.Exec("INSERT INTO t VALUES (?)", 1), lib.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: t.x"},
		"a type":                   {c.Exec("INSERT INTO t VALUES (?)", "x"), lib.SQLITE_CONSTRAINT_DATATYPE, "cannot store TEXT"},
		"a script":                 {c.Script("INSERT INTO t VALUES (2); INSERT INTO t VALUES (2)"), lib.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE"},
		"a text in double quotes":  {c.Exec(`SELECT "x"`), lib.SQLITE_ERROR, "no such column"},
		"too few arguments":        {c.Exec("SELECT ?"), 0, "0 arguments for 1 parameters"},
		"an argument":              {c.Exec("SELECT ?", struct{}{}), 0, "struct {}"},
	}
	for what, tt := range tests {
		if tt.err == nil || code(tt.err) != tt.code || !strings.Contains(tt.err.Error(), tt.says) {
			t.Errorf("%s: got %v", what, tt.err)
		}
	}
	for what, dest := range map[string][]any{
		"a number as text":     {new([]byte), new(string)},
		"too few":              {new(int)},
		"NULL as a number":     {new(int), new(int)},
		"something unheard of": {new(int), new(struct{})},
	} {
		if _, err := c.First("SELECT 1, NULL", nil, dest...); err == nil {
			t.Errorf("%s: want an error", what)
		}
	}
	if err := c.Exec("INSERT INTO t VALUES (?)", 3); err != nil { // it goes on
		t.Error(err)
	}
	if _, err := sqlite3.Open("file:/no/such/directory/x.db"); code(err)&0xff != lib.SQLITE_CANTOPEN {
		t.Errorf("open: got %v", err)
	}
}

func TestModeIsKept(t *testing.T) {
	t.Parallel()
	path := "file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "x.db"))
	if _, err := sqlite3.Open(path + "?mode=rw"); code(err)&0xff != lib.SQLITE_CANTOPEN {
		t.Errorf("a file that is not there: got %v", err)
	}
	c, err := sqlite3.Open(path + "?mode=rwc")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Script("CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	reading, err := sqlite3.Open(path + "?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	if err := reading.Exec("INSERT INTO t VALUES (1)"); code(err) != lib.SQLITE_READONLY {
		t.Errorf("read-only: got %v", err)
	}
}

func TestBrokenOff(t *testing.T) {
	t.Parallel()
	c := open(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	callOff := c.Until(ctx)
	rows := 0
	err := c.Query("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", nil, func(*sqlite3.Row) (bool, error) {
		if rows++; rows == 10 {
			cancel()
		}
		return true, nil
	})
	if code(err) != lib.SQLITE_INTERRUPT || rows < 10 {
		t.Errorf("after %d rows: %v", rows, err)
	}
	callOff()
	if found, err := c.First("SELECT 1", nil, new(int)); !found || err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
