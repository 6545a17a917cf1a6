package store

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"

	"counterfoil/store/sqlite3"
)

// busyTimeout bounds SQLite's own waiting, which comes after the queue's.
const busyTimeout = 2 * time.Second

// journalLimit is what a -wal is cut back to after a checkpoint.
const journalLimit = 64 << 20

// errLocks is why open-file-description locks could not be had. They must be
// asked for before any code of the process opens a database.
var errLocks = useSafeLocks()

func useSafeLocks() error {
	_, err := sqlite.OFDLocking(true)
	// The same durability as fsync, without waiting for a file's timestamps.
	// Where there is none, SQLite goes on with fsync.
	_, _ = sqlite.Fdatasync(true)
	return err
}

// settings hold in every connection.
var settings = []string{
	"busy_timeout = " + strconv.FormatInt(busyTimeout.Milliseconds(), 10),
	"foreign_keys = ON",
	"synchronous = FULL",
	"trusted_schema = OFF",
	"fullfsync = ON", // macOS: fsync alone does not reach the disk
	"journal_size_limit = " + strconv.Itoa(journalLimit),
}

// connect opens the file with a mode, and settings beside those that hold in
// every connection.
func connect(path, mode string, more ...string) (*sqlite3.Conn, error) {
	c, err := sqlite3.Open(uri(path) + "?" + mode)
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, setting := range slices.Concat(settings, more) {
		script.WriteString("PRAGMA " + setting + ";")
	}
	if err := c.Script(script.String()); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// uri names a file to SQLite.
func uri(path string) string {
	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") { // C:/…
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// connectToWrite opens the connection that writes. A file that it makes has the
// permissions of the lock file.
func connectToWrite(path, lockPath string) (*sqlite3.Conn, error) {
	return connect(path, "mode=rwc&"+modeOf(lockPath),
		"secure_delete = ON", // what is taken away or replaced leaves zeros behind
		"cache_size = -8192", // KiB
	)
}

// modeOf has a file that SQLite makes get the permissions of another one.
func modeOf(path string) string {
	return "modeof=" + strings.ReplaceAll(url.QueryEscape(filepath.ToSlash(path)), "+", "%20")
}

// connectToRead opens a connection of the pool that reads. In mode ro the file is
// not written at all, in mode rw its -shm is.
func connectToRead(path, mode string) (*sqlite3.Conn, error) {
	return connect(path, mode, "query_only = ON")
}

// one is the first column of the first row of a query, which must have one.
func one[T int | int64 | string](c *sqlite3.Conn, query string) (v T, err error) {
	found, err := c.First(query, nil, &v)
	if err == nil && !found {
		err = fmt.Errorf("%s: no row", query)
	}
	return v, err
}
