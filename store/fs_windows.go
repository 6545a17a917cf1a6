package store

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unsafePlace names the file system of dir where a ledger is not safe on it.
// Empty: nothing is known against it.
func unsafePlace(dir string) (kind string, err error) {
	if synchronised(dir) {
		return synchronisedFolder, nil
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil {
		return "", err
	}
	switch windows.GetDriveType(root) {
	case windows.DRIVE_REMOTE:
		return "a network drive", nil
	case windows.DRIVE_RAMDISK:
		return "a RAM disk", nil
	}
	return "", nil
}
