package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// listing is what the MCP registry is told, as far as it is told anything.
type listing struct {
	Schema      string           `json:"$schema"`
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Version     string           `json:"version"`
	Packages    []listingPackage `json:"packages,omitempty"`
}

// listingPackage is a bundle that can be downloaded.
type listingPackage struct {
	RegistryType string           `json:"registryType"`
	Identifier   string           `json:"identifier"` // its address
	FileSHA256   string           `json:"fileSha256"`
	Transport    listingTransport `json:"transport"`
}

type listingTransport struct {
	Type string `json:"type"`
}

// listing writes the registry's server.json for a release whose files are
// downloaded from below an address. The one at the module's root has none, and so
// names no package.
func (r release) listing(at string) error {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("listing: %q is no https address", at)
	}
	l, err := readListing(filepath.Join(r.root, "server.json"))
	if err != nil {
		return err
	}
	sum, err := sha256Of(r.bundlePath())
	if err != nil {
		return err
	}
	l.Packages = []listingPackage{{
		RegistryType: "mcpb",
		Identifier:   u.JoinPath(filepath.Base(r.bundlePath())).String(),
		FileSHA256:   sum,
		Transport:    listingTransport{Type: "stdio"},
	}}
	return writeJSON(filepath.Join(r.dir, "server.json"), l)
}

// readListing refuses what it does not know, so that nothing is lost on the way.
func readListing(path string) (l listing, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return l, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func writeJSON(path string, v any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return errors.Join(enc.Encode(v), f.Close())
}

// sha256Of is a file's digest in lower-case hexadecimal.
func sha256Of(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
