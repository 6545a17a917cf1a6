//go:build linux || darwin

package store

import "golang.org/x/sys/unix"

// volume is the file system of dir, by its name where it has one, and the bytes
// that are left to us on it; below zero where that cannot be told.
func volume(dir string) (name string, free int64) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", -1
	}
	return kindOf(&s), int64(s.Bavail) * int64(s.Bsize) //nolint:gosec,unconvert // the fields' types differ between systems
}
