// Command release makes and checks what a release holds beside its binaries. It
// runs in the module's root, and DIR is where build.sh lays a release:
//
//	go run ./release bundle DIR           packs the MCP bundle
//	go run ./release listing DIR URL      writes server.json for a release that is downloaded from URL
//	go run ./release inspect DIR          says whether every file is what it should be
//	go run ./release conform SCHEMA FILE  says whether a JSON file keeps to a JSON schema
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 3 && args[0] == "conform" {
		return conform(args[1], args[2])
	}
	if len(args) < 2 {
		return errors.New("say what to do, and where: bundle, listing, inspect or conform")
	}
	r, err := open(".", args[1])
	if err != nil {
		return err
	}
	switch {
	case args[0] == "bundle" && len(args) == 2:
		return r.bundle()
	case args[0] == "listing" && len(args) == 3:
		return r.listing(args[2])
	case args[0] == "inspect" && len(args) == 2:
		return r.inspect()
	}
	return fmt.Errorf("this is not understood: %q", args)
}

// release is one release: the module that it is made of, the directory that it
// is laid in, and its version.
type release struct{ root, dir, version string }

// open reads the version from the bundle's manifest. That server.json and the
// program name the same one is a test.
func open(root, dir string) (release, error) {
	r := release{root: root, dir: dir}
	text, err := os.ReadFile(filepath.Join(root, manifestPath))
	if err != nil {
		return r, err
	}
	var m struct{ Version string }
	if err := json.Unmarshal(text, &m); err != nil {
		return r, fmt.Errorf("%s: %w", manifestPath, err)
	}
	r.version = m.Version
	return r, nil
}

// target is a system and a processor that a release has a binary for.
type target struct{ os, arch string }

// targets are those that build.sh builds for.
var targets = []target{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// suffix is how the names of its binaries end.
func (t target) suffix() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// file is the path of a file of the release whose name goes on like this.
func (r release) file(rest string) string {
	return filepath.Join(r.dir, "counterfoil-"+r.version+rest)
}

// binary is the path of a target's binary, and bill that of the list of what is
// in it.
func (r release) binary(t target) string { return r.file("-" + t.os + "-" + t.arch + t.suffix()) }
func (r release) bill(t target) string   { return r.file("-" + t.os + "-" + t.arch + ".cdx.json") }
