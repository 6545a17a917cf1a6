package desktop_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"counterfoil/desktop"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	local = desktop.Local{Command: "/opt/counterfoil", Args: []string{"--data-dir", "/srv/desk & co"}}
	there = desktop.Remote{URL: "http://127.0.0.1:8787/mcp"}
	token = desktop.Remote{URL: "https://desk.example.com/mcp?a=1&b=2", TokenEnv: "DESK_TOKEN"}
)

func find(t *testing.T, name string) desktop.Client {
	t.Helper()
	c, ok := desktop.Find(name)
	if !ok {
		t.Fatalf("there is no client %s", name)
	}
	return c
}

// Every client's snippet, in every form that it takes, is the golden one.
func TestSnippets(t *testing.T) {
	t.Parallel()
	servers := []struct {
		name   string
		server desktop.Server
	}{
		{"started", local},
		{"started without arguments", desktop.Local{Command: `C:\Program Files\counterfoil.exe`}},
		{"at an address", there},
		{"at an address, with a token", token},
	}
	for _, c := range desktop.Clients() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var got txtar.Archive
			for _, s := range servers {
				text, err := c.Snippet(s.server)
				if err != nil {
					text = []byte("refused: " + err.Error() + "\n")
				} else if line := c.AddCommand(s.server, "linux"); line != "" {
					text = append(text, line+"\n"...)
				}
				got.Files = append(got.Files, txtar.File{Name: s.name, Data: text})
			}
			golden(t, filepath.Join("testdata", "snippets", c.Name+".txtar"), &got)
		})
	}
}

// golden compares an archive with a file, or rewrites the file.
func golden(t *testing.T, path string, got *txtar.Archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, txtar.Format(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Each file of testdata/edits is one history: a client's file as it was, with
// the server put in, and, where that is not as it was, with it taken out.
func TestEdits(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(paths) < len(desktop.Clients()) {
		t.Fatalf("found %d histories: %v", len(paths), err)
	}
	told := map[string]bool{}
	for _, path := range paths {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".txtar"), ".")
		told[name] = true
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			history, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before := history.Files[0].Data
			client := find(t, name)
			with := inserted(t, client, before, local)
			without := removed(t, client, with)
			got := &txtar.Archive{Comment: history.Comment, Files: []txtar.File{{Name: "before", Data: before}, {Name: "with", Data: with}}}
			if string(without) != string(before) {
				got.Files = append(got.Files, txtar.File{Name: "without", Data: without})
			}
			golden(t, path, got)
		})
	}
	for _, c := range desktop.Clients() {
		if !told[c.Name] {
			t.Errorf("testdata/edits has no history of %s", c.Name)
		}
	}
}

// inserted puts a server in, and again, which must change nothing.
func inserted(t *testing.T, c desktop.Client, text []byte, s desktop.Server) []byte {
	t.Helper()
	with, err := c.Insert(text, s)
	if err != nil {
		t.Fatalf("insert: %v", err)
	}
	again, err := c.Insert(with.Text, s)
	if err != nil || !again.Had || string(again.Text) != string(with.Text) {
		t.Fatalf("inserted again: had %v, error %v:\n%s", again.Had, err, cmp.Diff(string(with.Text), string(again.Text)))
	}
	return with.Text
}

// removed takes the server out, and again, which must change nothing.
func removed(t *testing.T, c desktop.Client, text []byte) []byte {
	t.Helper()
	without, err := c.Remove(text)
	if err != nil || !without.Had {
		t.Fatalf("remove: had %v, error %v, of:\n%s", without.Had, err, text)
	}
	again, err := c.Remove(without.Text)
	if err != nil || again.Had || string(again.Text) != string(without.Text) {
		t.Fatalf("removed again: had %v, error %v", again.Had, err)
	}
	return without.Text
}
