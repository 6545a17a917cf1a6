package store

import (
	"path/filepath"
	"strings"
)

const synchronisedFolder = "a synchronised folder"

// synchronised reports whether a path lies in a folder that is copied to other
// machines behind SQLite's back, as far as its name tells.
func synchronised(dir string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		part = strings.ToLower(part)
		switch part {
		case "dropbox", "google drive", "googledrive", "icloud drive", "iclouddrive", "mobile documents", "cloudstorage":
			return true
		}
		if part == "onedrive" || strings.HasPrefix(part, "onedrive - ") {
			return true
		}
	}
	return false
}
