package sandbox

import "github.com/gofrs/flock"

// lockFile is the lock by which the processes that share the database at path
// take turns to write. It is a file of its own: opening and closing the
// database's would drop SQLite's locks on it.
func lockFile(path string) *flock.Flock { return flock.New(path + ".lock") }
