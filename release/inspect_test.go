package main_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	release "counterfoil/release"
)

// What is wrong with a release is found: here a test takes the place of a binary,
// its bill and its sum are another's, and the other binaries are missing. That a
// release is in order is for check.sh to show, which builds one.
func TestInspect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	name := "counterfoil-" + version(t) + "-" + runtime.GOOS + "-" + runtime.GOARCH
	for file, text := range map[string]string{
		name + suffix:      string(read(t, self)),
		name + ".cdx.json": `{"bomFormat": "CycloneDX", "metadata": {"component": {"name": "counterfoil", "version": "v0.0.9"}}}`,
		"SHA256SUMS":       strings.Repeat("0", 64) + "  " + name + suffix + "\n" + strings.Repeat("0", 64) + "  gone\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := release.Inspect(root, dir)
	if got == nil {
		t.Fatal("nothing was found")
	}
	for _, want := range []string{
		`-trimpath is "", not "true"`,
		"its bill is CycloneDX for {counterfoil v0.0.9}",
		"no such file",
		"SHA256SUMS: " + name + suffix + " has another sum",
		"SHA256SUMS: there is no gone",
	} {
		if !strings.Contains(got.Error(), want) {
			t.Errorf("%q was not found among:\n%v", want, got)
		}
	}
}
