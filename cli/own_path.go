package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ownPath is the program that a client is to start.
func ownPath(named string) (string, error) {
	if named != "" {
		path, err := filepath.Abs(named)
		if err != nil {
			return "", misused("--command: %w", err)
		}
		return path, nil
	}
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("where this program is: %w; name it with --command", err)
	}
	if vanishes(path) {
		return "", misused("this program was built by “go run” and will not stay: build it (go build -o counterfoil .) and run that one, or name it with --command")
	}
	return path, nil
}

var cachedBuild = regexp.MustCompile(`^[0-9a-f]{64}-d$`)

// vanishes says whether a program lies where the go command puts what it builds
// for one run: in a temporary directory, or in its cache.
func vanishes(path string) bool {
	for element := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(element, "go-build") || cachedBuild.MatchString(element) {
			return true
		}
	}
	return false
}
