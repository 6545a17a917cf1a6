package main_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// The same files make the same bundle, whenever and wherever it is packed, and
// what is run can be.
func TestBundle(t *testing.T) {
	t.Parallel()
	first, second := packed(t), packed(t)
	if a, b := read(t, first), read(t, second); !bytes.Equal(a, b) {
		t.Errorf("%d bytes and %d, which differ", len(a), len(b))
	}
	files := contents(t, first)
	for name, f := range files {
		want := fs.FileMode(0o644)
		if strings.HasPrefix(name, "server/") {
			want = 0o755
		}
		if f.Mode() != want || !f.Modified.Equal(time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: mode %v, modified %v", name, f.Mode(), f.Modified)
		}
	}
	for name, from := range map[string]string{"manifest.json": "manifest.json", "LICENSE": "../LICENSE", "server/start": "start"} {
		if files[name] == nil || !bytes.Equal(unpacked(t, files[name]), read(t, from)) {
			t.Errorf("%s is not %s", name, from)
		}
	}
	if binary := files["server/linux-arm64/counterfoil"]; binary == nil || !strings.HasSuffix(string(unpacked(t, binary)), "-linux-arm64") {
		t.Error("the binary for Linux on arm64 is another one, or none")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// contents are the files of a bundle by their name in it.
func contents(t *testing.T, path string) map[string]*zip.File {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	files := map[string]*zip.File{}
	for _, f := range r.File {
		files[f.Name] = f
	}
	return files
}

func unpacked(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
