package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	release "counterfoil/release"
)

const schemaID = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// What the registry's schema of 2025-12-11 asks of the fields that are used here,
// and one version and one description in all of them. The schema itself is
// applied by check.sh, which has it from the registry's own module.
func TestListing(t *testing.T) {
	t.Parallel()
	l, err := release.ReadListing("../server.json")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := readManifest(t)
	if l.Schema != schemaID {
		t.Errorf("$schema is %s, want %s", l.Schema, schemaID)
	}
	if l.Version != version(t) || l.Version != m.Version {
		t.Errorf("version %s; the program's is %s, the manifest's %s", l.Version, version(t), m.Version)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(l.Version) {
		t.Errorf("version %q is not one release", l.Version)
	}
	if l.Description != m.Description {
		t.Errorf("it is described as %q, and in the manifest as %q", l.Description, m.Description)
	}
	if n := utf8.RuneCountInString(l.Description); n < 1 || n > 100 {
		t.Errorf("the description has %d characters", n)
	}
	if n := utf8.RuneCountInString(l.Title); n < 1 || n > 100 {
		t.Errorf("the title has %d characters", n)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(l.Name) || len(l.Name) > 200 {
		t.Errorf("the name is %q", l.Name)
	}
	if len(l.Packages) != 0 {
		t.Errorf("it names packages, of which none has an address: %v", l.Packages)
	}
}

// With an address the listing names the bundle, and all else stays as it is.
func TestListingOfDownloads(t *testing.T) {
	t.Parallel()
	bundle := packed(t)
	dir := filepath.Dir(bundle)
	if err := release.Listing(root, dir, "https://example.com/counterfoil/v1"); err != nil {
		t.Fatal(err)
	}
	want, err := release.ReadListing("../server.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := release.ReadListing(filepath.Join(dir, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Packages) != 1 {
		t.Fatalf("packages %v, want one", got.Packages)
	}
	p := got.Packages[0]
	sum := sha256.Sum256(read(t, bundle))
	if p.RegistryType != "mcpb" || p.Transport.Type != "stdio" || p.FileSHA256 != hex.EncodeToString(sum[:]) ||
		p.Identifier != "https://example.com/counterfoil/v1/"+filepath.Base(bundle) {
		t.Errorf("package %+v", p)
	}
	got.Packages = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all else (-root's +release's):\n%s", diff)
	}
	for _, at := range []string{"", "http://example.com", "https:///v1", "example.com"} {
		if err := release.Listing(root, dir, at); err == nil {
			t.Errorf("%q was taken for an address", at)
		}
	}
}

// A schema is applied with its formats, and an unknown field is not lost.
func TestConform(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	schema := file(`{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/schema.json", "$ref": "#/definitions/Server",
		"definitions": {"Server": {"type": "object", "required": ["name"], "properties": {"name": {"maxLength": 3}, "url": {"format": "uri"}}}}}`)
	tests := []struct{ name, schema, file, err string }{
		{"as it should be", schema, `{"name": "abc", "url": "https://example.com"}`, ""},
		{"too long", schema, `{"name": "abcd"}`, "maxLength"},
		{"missing", schema, `{}`, "missing property 'name'"},
		{"a format", schema, `{"name": "a", "url": "no address"}`, "uri"},
		{"not JSON", schema, `{`, "EOF"},
		{"a schema that would have to be fetched", file(`{"$ref": "https://example.com/other.json"}`), `{}`, "example.com/other.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := release.Conform(tt.schema, file(tt.file))
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
	if _, err := release.ReadListing(file(`{"name": "a", "websiteUrl": "https://example.com"}`)); err == nil {
		t.Error("an unknown field was dropped in silence")
	}
}
