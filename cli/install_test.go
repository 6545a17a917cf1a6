package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/desktop"
)

// desk is a rig with a home directory and a program to be installed.
type desk struct {
	*rig
	home, program string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{rig: newRig(t), home: t.TempDir()}
	d.program = filepath.Join(d.home, "bin", "counter foil")
	d.file("bin/counter foil", "a program", 0o700)
	d.env = map[string]string{"HOME": d.home, "USERPROFILE": d.home}
	return d
}

func (d desk) file(name, text string, mode fs.FileMode) string {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d desk) read(path string) string {
	d.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// beside are the files of a directory.
func (d desk) beside(path string) (names []string) {
	d.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (d desk) install(code int, client string, more ...string) ran {
	d.t.Helper()
	return d.must(code, append([]string{"install", "--client", client, "--command", d.program}, more...)...)
}

// Every client: what config prints is what install writes where nothing was;
// once more changes nothing, and uninstall leaves nothing of it.
func TestInstallFresh(t *testing.T) {
	t.Parallel()
	for _, client := range desktop.Clients() {
		t.Run(client.Name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			places := client.Files(desktop.Machine{OS: runtime.GOOS, Home: d.home, Getenv: func(string) string { return "" }})
			path := places[len(places)-1]
			if got := d.install(0, client.Name); !strings.Contains(got.out, "Added counterfoil to "+path+".\n"+client.Next) {
				t.Errorf("said %q", got.out)
			}
			printed := d.must(0, "config", "--client", client.Name, "--command", d.program)
			if !strings.HasSuffix(printed.out, d.read(path)) || !strings.Contains(printed.err, path) {
				t.Errorf("config printed %q and %q, install wrote %q", printed.out, printed.err, d.read(path))
			}
			if (client.Name == "claude-code") != strings.HasPrefix(printed.out, "claude mcp add --scope user --transport stdio counterfoil -- '"+d.program+"'\n\n") {
				t.Errorf("config printed %q", printed.out)
			}
			if got := d.install(0, client.Name); !strings.Contains(got.out, "nothing to change") {
				t.Errorf("the second time: %q", got.out)
			}
			if n := len(backups(d.beside(path))); n != 0 {
				t.Errorf("%d backups of nothing", n)
			}
			d.must(0, "uninstall", "--client", client.Name)
			if got := strings.TrimSpace(d.read(path)); got != "{}" && got != "" {
				t.Errorf("left %q", got)
			}
			if got := d.must(0, "uninstall", "--client", client.Name); !strings.Contains(got.out, "nothing to change") {
				t.Errorf("the second time: %q", got.out)
			}
			for at, want := path, fs.FileMode(0o600); at != d.home && runtime.GOOS != "windows"; at, want = filepath.Dir(at), 0o700 {
				if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: mode %v, error %v, want %v", at, info.Mode(), err, want)
				}
			}
		})
	}
}

func backups(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".bak") })
}

const others = `{
  // mine
  "mcpServers": {
    "files": {"command": "npx", "env": {"KEY": "s3cret"}},
  },
}
`

// What is there stays, and is kept beside it each time; a link is followed.
func TestInstallOverExisting(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	target := d.file("dotfiles/cursor.json", others, 0o640)
	link := filepath.Join(d.home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	d.install(0, "cursor")
	first := d.read(target)
	if got := d.install(0, "cursor", "--data-dir", "relative"); !strings.Contains(got.out, "Replaced the entry") {
		t.Errorf("said %q", got.out)
	}
	here, err := filepath.Abs("relative")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.read(target); !strings.Contains(got, `"args": ["--data-dir", "`+here+`"]`) {
		t.Errorf("wrote %s", got)
	}
	second := d.read(target)
	d.must(0, "uninstall", "--client", "cursor")
	kept := map[string]string{"cursor.json": others, "cursor.json.counterfoil-1.bak": others, "cursor.json.counterfoil-2.bak": first, "cursor.json.counterfoil-3.bak": second}
	for _, name := range d.beside(target) {
		path := filepath.Join(filepath.Dir(target), name)
		if diff := cmp.Diff(kept[name], d.read(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		delete(kept, name)
	}
	if len(kept) > 0 {
		t.Errorf("missing: %v", kept)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info.Mode(), err)
	}
	if got := d.beside(link); len(got) != 1 {
		t.Errorf("beside the link: %v", got)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := d.file(".cursor/mcp.json", others, 0o600)
	want := "diff " + path + " " + path + "\n--- " + path + "\n+++ " + path + `
@@ -2,5 +2,9 @@
   // mine
   "mcpServers": {
     "files": {"command": "npx", "env": {"KEY": "s3cret"}},
+    "counterfoil": {
+      "command": "` + d.program + `",
+      "args": []
+    },
   },
 }
`
	if diff := cmp.Diff(want, d.install(0, "cursor", "--dry-run").out); diff != "" {
		t.Errorf("install (-want +got):\n%s", diff)
	}
	if got := d.read(path); got != others || len(d.beside(path)) != 1 {
		t.Errorf("changed: %q, %v", got, d.beside(path))
	}
	d.install(0, "cursor")
	installed := d.read(path)
	if got := d.must(0, "uninstall", "--client", "cursor", "--dry-run").out; !strings.Contains(got, "\n-    \"counterfoil\": {\n") || strings.Contains(got, "\n+ ") {
		t.Errorf("uninstall: %s", got)
	}
	if got := d.install(0, "cursor", "--dry-run").out; !strings.Contains(got, "nothing to change") {
		t.Errorf("install once more: %s", got)
	}
	if d.read(path) != installed {
		t.Error("changed all the same")
	}
	d.install(0, "zed", "--dry-run")
	if _, err := os.Stat(filepath.Join(d.home, ".config")); err == nil {
		t.Error("made a directory")
	}
}

func TestInstallAtAnAddress(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got := d.must(0, "install", "--client", "windsurf", "--url", "http://127.0.0.1:8787/mcp", "--token-env", "DESK_TOKEN")
	want := `{
  "mcpServers": {
    "counterfoil": {
      "serverUrl": "http://127.0.0.1:8787/mcp",
      "headers": {
        "Authorization": "Bearer ${env:DESK_TOKEN}"
      }
    }
  }
}
`
	path := filepath.Join(d.home, ".codeium", "windsurf", "mcp_config.json")
	if diff := cmp.Diff(want, d.read(path)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", got.out, diff)
	}
	refused := d.must(2, "config", "--client", "claude-desktop", "--url", "http://127.0.0.1:8787/mcp")
	if !strings.Contains(refused.err, "Claude Desktop takes no addresses in its file") {
		t.Errorf("said %q", refused.err)
	}
}

// All that was set by flags is written down, and checked before; what only the
// environment sets is spoken of.
func TestSettingsWrittenDown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := d.file("desk.yaml", "sweep_every: 10s\n", 0o600)
	d.env["COUNTERFOIL_SANDBOX_URL"] = "http://127.0.0.1:1"
	d.env["COUNTERFOIL_DATA_DIR"] = "/elsewhere"
	d.env["COUNTERFOIL_WEBHOOK_SECRET"] = "s3cret"
	got := d.must(0, "config", "--client", "codex", "--command", d.program, "--config", config, "--answer-within", "30s", "--data-dir", d.home)
	want := `args = ["--data-dir", "` + d.home + `", "--answer-within", "30s", "--config", "` + config + `"]`
	if !strings.Contains(got.out, want) {
		t.Errorf("printed %s, want %s", got.out, want)
	}
	if !strings.Contains(got.err, "COUNTERFOIL_SANDBOX_URL is set here") || strings.Contains(got.err, "COUNTERFOIL_DATA_DIR") {
		t.Errorf("said %q", got.err)
	}
	if !strings.Contains(got.err, "COUNTERFOIL_WEBHOOK_SECRET is set here") || strings.Contains(got.err, "COUNTERFOIL_MAIL_PASSWORD") || strings.Contains(got.err+got.out, "s3cret") {
		t.Errorf("of secrets it said %q", got.err)
	}
	if strings.Contains(got.out, "127.0.0.1") {
		t.Errorf("wrote what was not given: %s", got.out)
	}
}
