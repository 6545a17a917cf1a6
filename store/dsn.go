package store

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
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

// dsn names the file to the driver, with all settings that hold per connection.
func dsn(path string, more ...string) string {
	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") { // C:/…
		name = "/" + name
	}
	params := []string{
		"_busy_timeout=" + strconv.FormatInt(busyTimeout.Milliseconds(), 10),
		"_foreign_keys=1",
		"_synchronous=FULL",
		"_txlock=immediate",
		"_dqs=0",
		"_error_rc=1",
		"_pragma=trusted_schema(0)",
		"_pragma=fullfsync(1)", // macOS: fsync alone does not reach the disk
		"_pragma=journal_size_limit(" + strconv.Itoa(journalLimit) + ")",
	}
	u := url.URL{Scheme: "file", Path: name, RawQuery: strings.Join(append(params, more...), "&")}
	return u.String()
}

// writing is the connection that writes. A file that it makes has the
// permissions of the lock file.
func writing(path, lockPath string) string {
	// secure_delete: what is taken away or replaced leaves zeros behind.
	return dsn(path, "mode=rwc", "_defensive=1", "_pragma=secure_delete(1)", modeOf(lockPath))
}

// modeOf has a file that SQLite makes get the permissions of another one.
func modeOf(path string) string {
	return "modeof=" + strings.ReplaceAll(url.QueryEscape(filepath.ToSlash(path)), "+", "%20")
}

// reading is a connection of the pool that reads.
func reading(path string) string { return dsn(path, "mode=rw", "_query_only=1") }

// readingOnly is a connection to a file that is not to be written at all.
func readingOnly(path string) string { return dsn(path, "mode=ro", "_query_only=1") }
