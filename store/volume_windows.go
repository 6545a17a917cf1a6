package store

import "golang.org/x/sys/windows"

// volume is the bytes that are left to us where dir lies; below zero where that
// cannot be told.
func volume(dir string) (name string, free int64) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return "", -1
	}
	var left uint64
	if err := windows.GetDiskFreeSpaceEx(path, &left, nil, nil); err != nil {
		return "", -1
	}
	return "", int64(left) //nolint:gosec // no disk has that many
}
