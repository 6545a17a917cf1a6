//go:build !linux && !darwin && !windows

package store

// unsafePlace knows of this system's file systems only what a path says.
func unsafePlace(dir string) (kind string, err error) {
	if synchronised(dir) {
		return synchronisedFolder, nil
	}
	return "", nil
}
