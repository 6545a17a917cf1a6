package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"counterfoil/cli"
)

func TestLinkToNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	link := filepath.Join(d.home, "link.json")
	if err := os.Symlink(filepath.Join(d.home, "gone", "mcp.json"), link); err != nil {
		t.Skip(err)
	}
	if got := d.install(1, "cursor", "--file", link); !strings.Contains(got.err, "a link to a file that is not there") {
		t.Errorf("said %q", got.err)
	}
}

// A client that writes its file between our look and our write is not written
// over, and nothing is left behind.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, before := range map[string]string{"there.json": "{}\n", "missing.json": ""} {
		path := filepath.Join(d.home, "files", name)
		if before != "" {
			d.file("files/"+name, before, 0o600)
		}
		replace, err := cli.ReadClientFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d.file("files/"+name, `{"new": true}`, 0o600)
		if _, err := replace([]byte(`{"ours": true}`)); err == nil || !strings.Contains(err.Error(), "somebody else is writing it") {
			t.Errorf("%s: %v", name, err)
		}
		if got := d.read(path); got != `{"new": true}` {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := d.beside(filepath.Join(d.home, "files", "x")); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}

// A program that the go command built for one run is nothing to be written down.
func TestVanishes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path string
		want bool
	}{
		{"/tmp/go-build345349575/b001/exe/counterfoil", true},
		{"/root/.cache/go-build/64/64fc8b15ed103c64bdd873a51d35ae759e6b8e2cea06efafc78b89dc71a2f514-d/counterfoil", true},
		{"/cache/64/64fc8b15ed103c64bdd873a51d35ae759e6b8e2cea06efafc78b89dc71a2f514-d/counterfoil", true},
		{"/home/ada/go/bin/counterfoil", false},
		{"/home/ada/desk/counterfoil", false},
		{"/tmp/counterfoil", false},
	}
	for _, tt := range tests {
		if got := cli.Vanishes(tt.path); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.path, got, tt.want)
		}
	}
}

// Of places with a *, the one that is there counts; of two, none.
func TestLikeliest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	places := []string{filepath.Join(d.home, "Packages", "Claude_*", "Claude", "c.json"), filepath.Join(d.home, "Roaming", "c.json")}
	if got, err := cli.Likeliest(places); err != nil || got != places[1] {
		t.Errorf("none is there: got %s, %v", got, err)
	}
	d.file("Packages/Claude_x/Claude/other", "", 0o600)
	want := filepath.Join(d.home, "Packages", "Claude_x", "Claude", "c.json")
	if got, err := cli.Likeliest(places); err != nil || got != want {
		t.Errorf("one is there: got %s, %v", got, err)
	}
	d.file("Packages/Claude_y/Claude/other", "", 0o600)
	if got, err := cli.Likeliest(places); err == nil || !strings.Contains(err.Error(), "--file") {
		t.Errorf("two are there: got %s, %v", got, err)
	}
}
