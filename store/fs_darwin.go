package store

import "golang.org/x/sys/unix"

// unsafePlace names the file system of dir where a ledger is not safe on it.
// Empty: nothing is known against it.
func unsafePlace(dir string) (kind string, err error) {
	if synchronised(dir) {
		return synchronisedFolder, nil
	}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", err
	}
	if s.Flags&unix.MNT_LOCAL == 0 {
		return unix.ByteSliceToString(s.Fstypename[:]), nil
	}
	return "", nil
}
