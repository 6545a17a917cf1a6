//go:build unix

package e2e_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built are the binaries of this run, by their build tags.
var built = struct {
	mu    sync.Mutex
	dir   string
	paths map[string]string
}{paths: map[string]string{}}

// build makes the binary, once in a run: with the tag crashpoints it has the
// named points at which it can be made to crash; without, it is what is shipped.
func build(t *testing.T, tags string) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if path, ok := built.paths[tags]; ok {
		return path
	}
	readSources(t)
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "counterfoil-e2e-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
		if err := os.Chmod(dir, 0o755); err != nil { // other users run it as well
			t.Fatal(err)
		}
	}
	path := filepath.Join(built.dir, "with"+tags, "counterfoil")
	cmd := exec.Command("go", "build", "-tags", tags, "-buildvcs=false", "-o", path, ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the binary: %v\n%s", err, out)
	}
	built.paths[tags] = path
	return path
}

// readSources reads what the binary is made of. go test remembers which files a
// test has read: without this it would replay the pass of an older binary.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), "."), d.IsDir() && d.Name() == "e2e":
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.Contains(d.Name(), ".db"):
			return nil
		}
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
}
