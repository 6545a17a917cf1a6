//go:build unix

package e2e_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // driver
)

// footprint writes a list of what is in the data directory into a file, so that
// two of them can be compared: mode, size, when it was written, content, name.
func footprint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: footprint FILE")
	}
	var list strings.Builder
	inDataDir(ts, func(path string, info fs.FileInfo) {
		fmt.Fprintf(&list, "%v %s", info.Mode(), path)
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			ts.Check(err)
			fmt.Fprintf(&list, " %d bytes, written %v, %x", len(content), info.ModTime(), sha256.Sum256(content))
		}
		list.WriteByte('\n')
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(list.String()), 0o600))
}

// private checks that everything in the data directory is its owner's alone.
func private(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: private")
	}
	files := 0
	inDataDir(ts, func(path string, info fs.FileInfo) {
		want := fs.FileMode(0o600)
		if info.IsDir() {
			want = fs.ModeDir | 0o700
		} else {
			files++
		}
		if info.Mode() != want {
			ts.Fatalf("%s: got %v, want %v", path, info.Mode(), want)
		}
	})
	if files == 0 {
		ts.Fatalf("there is no file in the data directory")
	}
}

// inDataDir visits the data directory, where there is one, and all in it.
func inDataDir(ts *testscript.TestScript, visit func(path string, info fs.FileInfo)) {
	dir := ts.Getenv("COUNTERFOIL_DATA_DIR")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return
	}
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			visit(path, info)
		}
		return err
	}))
}

// outdate makes this binary older than the ledger, as if a newer one had written
// it. No process may be using it.
func outdate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: outdate")
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: ledgerFile(ts)}).String())
	ts.Check(err)
	defer db.Close()
	for _, change := range []string{"UPDATE ledger SET schema = 99", "PRAGMA user_version = 99"} {
		_, err := db.Exec(change)
		ts.Check(err)
	}
	ts.Check(db.Close())
}
