package desktop_test

import (
	"strings"
	"testing"

	"counterfoil/desktop"
)

// What is not understood is refused, and where it is wrong is said; what stands
// in the file is not.
func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, client, text, want string }{
		{"no JSON", "cursor", "{\n  \"a\": s3cret\n}", "line 2, column 8: invalid literal"},
		{"broken off", "cursor", "{\n  \"a\": {", "unexpected EOF"},
		{"no JSON, of a client that reads it plain", "claude-desktop", "{\n  \"a\": s3cret\n}", "line 2, column 8: invalid character 's'"},
		{"broken off, of a client that reads it plain", "claude-code", "{\n", "line 1, column 2: unexpected end"},
		{"a comment where none is read", "claude-desktop", "{\n  \"a\": 1 // one\n}", "line 2, column 10: this client reads neither comments nor trailing commas"},
		{"a trailing comma where none is read", "claude-code", "{\n  \"a\": 1,\n}", "line 3, column 1: this client reads neither"},
		{"two values", "zed", "{} {}", "line 1, column 4: invalid character '{' after top-level value"},
		{"a comment alone", "zed", "// settings\n", "unexpected EOF"},
		{"UTF-16", "vscode", "\xff\xfe{\x00}\x00", "line 1, column 1: invalid character '\\xff'"},
		{"nested without end", "zed", strings.Repeat("[", 5_000_000), "nested more deeply"},
		{"nested without end, of a client that reads it plain", "claude-code", strings.Repeat("[", 5_000_000), "nested more deeply"},
		{"nested without end in TOML", "codex", "a = " + strings.Repeat("[", 5_000_000), "line 1, column"},
		{"a list", "cursor", " []", "line 1, column 2: the whole must be an object"},
		{"no object", "cursor", "{\"mcpServers\": []}", "line 1, column 16: mcpServers must be an object"},
		{"null", "vscode", "{\"servers\": null}", "servers must be an object"},
		{"the parent twice", "cursor", "{\"mcpServers\": {},\n \"mcpServers\": {}}", "line 2, column 2: mcpServers is there a second time"},
		{"the parent twice, in another spelling", "cursor", "{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}", "column 20: mcpServers is there a second time"},
		{"ours twice", "zed", "{\"context_servers\": {\"counterfoil\": {}, \"counterfoil\": {}}}", "column 41: counterfoil is there a second time"},
		{"no TOML", "codex", "a = 1\nb = s3cret\n", "line 2, column 5: "},
		{"a key twice", "codex", "a = 1\na = 2\n", "line 2, column 1: "},
		{"a table twice", "codex", "[mcp_servers.counterfoil]\n[mcp_servers.counterfoil]\n", "line 2, column"},
		{"servers in one line", "codex", "mcp_servers = {files = {command = \"x\"}}\n", "line 1, column 1: mcp_servers must be tables"},
		{"servers in a list", "codex", "[[mcp_servers]]\n", "mcp_servers must be tables"},
		{"servers that are none", "codex", "a = 1\nmcp_servers = \"none\"\n", "line 2, column 1: mcp_servers must be tables"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := find(t, tt.client)
			_, err := client.Insert([]byte(tt.text), local)
			_, unsaid := client.Remove([]byte(tt.text))
			if err == nil || unsaid == nil || err.Error() != unsaid.Error() {
				t.Fatalf("insert: %v, remove: %v", err, unsaid)
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("said %q, want %q", err, tt.want)
			}
		})
	}
}

// A path that the client would read otherwise than it is meant is refused, and
// so is one that no text can hold.
func TestReadAsVariable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		client, path string
		refused      bool
	}{
		{"claude-desktop", "/home/${x}/counterfoil", false},
		{"claude-code", "/home/${x}/counterfoil", true},
		{"claude-code", "/home/$x/counterfoil", false},
		{"cursor", "/home/${x}/counterfoil", true},
		{"vscode", "/home/${x}/counterfoil", true},
		{"windsurf", "/home/${x}/counterfoil", true},
		{"gemini", "/home/$x/counterfoil", true},
		{"zed", "/home/${x}/counterfoil", false},
		{"codex", "/home/${x}/counterfoil", false},
		{"codex", "/home/\xff/counterfoil", true},
		{"claude-desktop", "/home/\xff/counterfoil", true},
	}
	for _, tt := range tests {
		for _, s := range []desktop.Server{desktop.Local{Command: tt.path}, desktop.Local{Command: "/x", Args: []string{tt.path}}} {
			if _, err := find(t, tt.client).Snippet(s); (err != nil) != tt.refused {
				t.Errorf("%s, %+v: %v", tt.client, s, err)
			}
		}
	}
	if _, err := find(t, "cursor").Snippet(nil); err == nil {
		t.Error("a snippet of no server")
	}
	if _, ok := desktop.Find("emacs"); ok {
		t.Error("found a client that there is not")
	}
}

// What is written is what was meant, whatever is in it.
func TestAwkwardStrings(t *testing.T) {
	t.Parallel()
	awkward := desktop.Local{Command: "/a\\b\"c'd é\u2028<&>\x7f\x01\t/#x", Args: []string{"", "//", "/*", "]]", "'''", `"""`, "[x]"}}
	for _, c := range desktop.Clients() {
		with := inserted(t, c, nil, awkward)
		removed(t, c, with)
	}
}
