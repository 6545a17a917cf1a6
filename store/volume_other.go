//go:build !linux && !darwin && !windows

package store

// volume knows nothing of this system's file systems.
func volume(string) (name string, free int64) { return "", -1 }
