package cli

import (
	"os"
	"slices"
	"time"
)

// newestFirst sorts databases by when they were last written to. What was
// written last may still lie in the file beside them.
func newestFirst(paths []string) []string {
	written := map[string]time.Time{}
	for _, path := range paths {
		for _, file := range []string{path, path + "-wal"} {
			if info, err := os.Stat(file); err == nil && info.ModTime().After(written[path]) {
				written[path] = info.ModTime()
			}
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return written[b].Compare(written[a]) })
	return paths
}
