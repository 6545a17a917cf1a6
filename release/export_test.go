package main

import "path/filepath"

// What the tests outside the package work with; DIR may be anywhere.

func Bundle(root, dir string) (path string, err error) {
	r, err := open(root, dir)
	if err != nil {
		return "", err
	}
	return r.bundlePath(), r.bundle()
}

func Listing(root, dir, url string) error {
	r, err := open(root, dir)
	if err != nil {
		return err
	}
	return r.listing(url)
}

func Inspect(root, dir string) error {
	r, err := open(root, dir)
	if err != nil {
		return err
	}
	return r.inspect()
}

// Parts are the files of a release that a bundle is packed from.
func Parts(root, dir string) (paths []string, err error) {
	r, err := open(root, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range r.entries() {
		if filepath.Dir(e.from) == dir {
			paths = append(paths, e.from)
		}
	}
	return paths, nil
}

var (
	Conform     = conform
	ReadListing = readListing
)
