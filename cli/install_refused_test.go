package cli_test

import (
	"io/fs"
	"strings"
	"testing"
)

// What cannot be done is not begun.
func TestInstallRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		mode       fs.FileMode
		args       []string
		code       int
		says       string
	}{
		{name: "no client", args: []string{"--client", ""}, code: 2, says: "name the client with --client: claude-desktop, claude-code,"},
		{name: "an unknown client", args: []string{"--client", "emacs"}, code: 2, says: `no client "emacs"`},
		{name: "an argument", args: []string{"zed"}, code: 2, says: "takes no arguments"},
		{name: "not understood", text: "{\n  \"a\": s3cret\n}", code: 1, says: "line 2, column 8"},
		{name: "twice there", text: `{"mcpServers": {"counterfoil": {}, "counterfoil": {}}}`, code: 1, says: "a second time"},
		{name: "read only", text: "{}", mode: 0o400, code: 1, says: "it may only be read"},
		{name: "a directory", args: []string{"--file", "."}, code: 1, says: "is not a file"},
		{name: "no such program", args: []string{"--command", "missing"}, code: 2, says: "there is no program"},
		{name: "a bad setting", args: []string{"--log-level", "loud"}, code: 2, says: "must be debug, info, warn or error"},
		{name: "a configuration that is not there", args: []string{"--config", "missing.yaml"}, code: 2, says: "missing.yaml"},
		{name: "a password in a setting", args: []string{"--sandbox-url", "http://me:s3cret@127.0.0.1:1"}, code: 2, says: "--sandbox-url holds a name or a password"},
		{name: "a token without an address", args: []string{"--token-env", "TOKEN"}, code: 2, says: "--token-env is for a server at --url"},
		{name: "no address", args: []string{"--command=", "--url", "127.0.0.1:8787"}, code: 2, says: "--url must look like"},
		{name: "an empty address", args: []string{"--url", ""}, code: 2, says: "--url must look like"},
		{name: "a password in the address", args: []string{"--url", "https://me:s3cret@example.com/mcp"}, code: 2, says: "--url holds a name or a password"},
		{name: "a token in the address", args: []string{"--url", "https://example.com/mcp?token=s3cret"}, code: 2, says: "--url has a query"},
		{name: "a token for the name of one", args: []string{"--url", "https://example.com/mcp", "--token-env", "s3cret-4711"}, code: 2, says: "the name of a variable, in capitals, and not the token"},
		{name: "a token of ours for the name of one", args: []string{"--url", "https://example.com/mcp", "--token-env", "cf_abcdefgh_s3cret"}, code: 2, says: "the name of a variable, in capitals"},
		{name: "an address and a program", args: []string{"--url", "https://example.com/mcp"}, code: 2, says: "--command is for a server that the client starts"},
		{name: "an address for one that takes none", args: []string{"--client", "claude-desktop", "--url", "https://example.com/mcp"}, code: 2, says: "--command is for"},
		{name: "a variable in a path", args: []string{"--data-dir", "${HOME}"}, code: 2, says: "Cursor would read the ${"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			text, mode := tt.text, tt.mode
			if text == "" {
				text = others
			}
			if mode == 0 {
				mode = 0o600
			}
			path := d.file(".cursor/mcp.json", text, mode)
			got := d.install(tt.code, "cursor", tt.args...)
			if !strings.Contains(got.err, tt.says) || strings.Count(got.err, "\n") != 1 || got.out != "" {
				t.Errorf("said %q and %q, want %q", got.out, got.err, tt.says)
			}
			if strings.Contains(got.err, "s3cret") {
				t.Errorf("a secret was said: %q", got.err)
			}
			if now := d.read(path); now != text || len(d.beside(path)) != 1 {
				t.Errorf("changed: %q, %v", now, d.beside(path))
			}
		})
	}
}
