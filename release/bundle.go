package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	manifestPath = "release/manifest.json"
	noticesName  = "THIRD_PARTY_LICENSES"
)

// entry is one file of a bundle.
type entry struct {
	name string // in the bundle
	from string
	mode fs.FileMode
}

// entries are the files of the bundle, in their order. There is no binary for
// Windows on arm64: the manifest cannot choose one by processor, nothing on
// Windows can be relied on to choose instead, and amd64 is emulated there.
func (r release) entries() []entry {
	all := []entry{
		{"manifest.json", filepath.Join(r.root, manifestPath), 0o644},
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{noticesName, filepath.Join(r.dir, noticesName), 0o644},
		{"server/start", filepath.Join(r.root, "release/start"), 0o755},
	}
	for _, t := range targets {
		if t != (target{"windows", "arm64"}) {
			all = append(all, entry{"server/" + t.os + "-" + t.arch + "/counterfoil" + t.suffix(), r.binary(t), 0o755})
		}
	}
	return all
}

// bundlePath is where the bundle lies.
func (r release) bundlePath() string { return r.file(".mcpb") }

// bundle packs the bundle. The same files make the same bytes: it holds no time
// of day, and nobody's name.
func (r release) bundle() error {
	f, err := os.Create(r.bundlePath())
	if err != nil {
		return err
	}
	w := zip.NewWriter(f)
	for _, e := range r.entries() {
		if err := e.pack(w); err != nil {
			return errors.Join(fmt.Errorf("bundle: %s: %w", e.name, err), f.Close())
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// packed is the time that every file of a bundle bears: the first that a zip
// archive can hold.
var packed = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

func (e entry) pack(w *zip.Writer) error {
	text, err := os.ReadFile(e.from)
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: packed}
	header.SetMode(e.mode)
	to, err := w.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}
