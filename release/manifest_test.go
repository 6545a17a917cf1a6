package main_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/cli"
	"counterfoil/intent/ledgertest"
	"counterfoil/policy"
	adapter "counterfoil/provider/sandbox"
	release "counterfoil/release"
	"counterfoil/schemas"
	"counterfoil/tools"
)

var update = flag.Bool("update", false, "rewrite what the program decides in manifest.json")

const root = ".."

// manifest is what this project says in a bundle's manifest, in its order.
type manifest struct {
	ManifestVersion string           `json:"manifest_version"`
	Name            string           `json:"name"`
	DisplayName     string           `json:"display_name"`
	Version         string           `json:"version"`
	Description     string           `json:"description"`
	LongDescription string           `json:"long_description"`
	Author          map[string]any   `json:"author"`
	Server          manifestServer   `json:"server"`
	Tools           []manifestTool   `json:"tools"`
	Keywords        []string         `json:"keywords"`
	License         string           `json:"license"`
	Compatibility   map[string]any   `json:"compatibility"`
	UserConfig      *json.RawMessage `json:"user_config"`
}

type manifestServer struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     struct {
		manifestLaunch
		Overrides map[string]manifestLaunch `json:"platform_overrides"`
	} `json:"mcp_config"`
}

type manifestLaunch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

type manifestTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func readManifest(t *testing.T) (m manifest, text []byte) {
	t.Helper()
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m, text
}

// The manifest's version and tools are the program's.
func TestManifest(t *testing.T) {
	t.Parallel()
	m, text := readManifest(t)
	m.Version, m.Tools = version(t), catalog(t)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("manifest.json", b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), b.String()); diff != "" {
		t.Errorf("manifest.json is not what the program is now; run go test ./release -update (-manifest +now):\n%s", diff)
	}
}

// version is what the program calls its own, without the revision.
func version(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Run([]string{"version"}, cli.Process{Out: &out, Err: &out, Getenv: func(string) string { return "" }}); code != 0 {
		t.Fatal(out.String())
	}
	found := regexp.MustCompile(`^counterfoil ([^+ ]+)`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("counterfoil version says %q", out.String())
	}
	return found[1]
}

func catalog(t *testing.T) (listed []manifestTool) {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	market := *adapter.Offline("sandbox-000000000000", time.Now)
	ledger := ledgertest.NewMemory(market.Account).Process("manifest")
	all, err := tools.Catalog(tools.Deps{
		Schemas: set, Market: market, Engine: nil, Operations: tools.Operations(market, policy.Default), Effects: tools.EffectsOf(ledger, market),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range all {
		listed = append(listed, manifestTool{tool.Name, tool.Description})
	}
	slices.SortFunc(listed, func(a, b manifestTool) int { return strings.Compare(a.Name, b.Name) })
	return listed
}

// What the manifest fills in is asked for, and what is asked for is filled in;
// nothing has a default, since a client would not fill in the home directory of
// one, and secrets are marked as such.
func TestManifestFields(t *testing.T) {
	t.Parallel()
	m, _ := readManifest(t)
	var fields map[string]struct {
		Required, Sensitive bool
		Default             any
	}
	if err := json.Unmarshal(*m.UserConfig, &fields); err != nil {
		t.Fatal(err)
	}
	var filled []string
	for name, value := range m.Server.Config.Env {
		field, ok := strings.CutPrefix(strings.TrimSuffix(value, "}"), "${user_config.")
		if !ok {
			t.Errorf("%s is %q, which is no field", name, value)
		}
		filled = append(filled, field)
		secret := strings.HasSuffix(name, "SECRET") || strings.HasSuffix(name, "PASSWORD")
		if f := fields[field]; f.Required || f.Default != nil || f.Sensitive != secret {
			t.Errorf("%s: required %t, default %v, sensitive %t", field, f.Required, f.Default, f.Sensitive)
		}
	}
	slices.Sort(filled)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(fields)), filled); diff != "" {
		t.Errorf("fields (-asked for +filled in):\n%s", diff)
	}
}

// The program reads every variable that the manifest sets.
func TestManifestEnvironment(t *testing.T) {
	t.Parallel()
	m, _ := readManifest(t)
	config := filepath.Join(t.TempDir(), "config.yaml")
	const notify = "notify: {webhook: {url: 'https://example.com/hook'}, " +
		"mail: {host: mail.example.com, from: a@example.com, to: [b@example.com], user: a}}"
	if err := os.WriteFile(config, []byte(notify), 0o600); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{
		"COUNTERFOIL_CONFIG": config, "COUNTERFOIL_DATA_DIR": t.TempDir(),
		"COUNTERFOIL_WEBHOOK_SECRET": "correct horse battery staple", "COUNTERFOIL_MAIL_PASSWORD": "tape measure",
	}
	read := map[string]bool{}
	var out bytes.Buffer
	code := cli.Run([]string{"sandbox", "effects"}, cli.Process{Out: &out, Err: &out, Getenv: func(name string) string {
		read[name] = true
		return values[name]
	}})
	if code != 0 {
		t.Errorf("exit %d: %s", code, out.String())
	}
	for name := range m.Server.Config.Env {
		if !read[name] {
			t.Errorf("nobody reads %s", name)
		}
	}
}

// Every file that the manifest names is in the bundle.
func TestManifestPaths(t *testing.T) {
	t.Parallel()
	m, _ := readManifest(t)
	inBundle := contents(t, packed(t))
	named := []string{m.Server.EntryPoint}
	launches := append(slices.Collect(maps.Values(m.Server.Config.Overrides)), m.Server.Config.manifestLaunch)
	for _, launch := range launches {
		for _, word := range append(launch.Args, launch.Command) {
			if path, ok := strings.CutPrefix(word, "${__dirname}/"); ok {
				named = append(named, path)
			}
		}
	}
	if len(named) < 3 {
		t.Errorf("the manifest names %q only", named)
	}
	for _, path := range named {
		if _, ok := inBundle[path]; !ok {
			t.Errorf("%s is not in the bundle", path)
		}
	}
}

// packed packs a bundle whose binaries are not worth the name.
func packed(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	parts, err := release.Parts(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		if err := os.WriteFile(part, []byte(filepath.Base(part)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if path, err = release.Bundle(root, dir); err != nil {
		t.Fatal(err)
	}
	return path
}
