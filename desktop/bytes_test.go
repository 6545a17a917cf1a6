package desktop_test

import (
	"strings"
	"testing"
)

// What a golden file cannot show: line ends, marks, and texts that do not end.
func TestBytesStay(t *testing.T) {
	t.Parallel()
	const bom = "\ufeff"
	tests := []struct{ name, client, before string }{
		{"CRLF", "vscode", "{\r\n\t\"servers\": {\r\n\t\t\"a\": {} // one\r\n\t}\r\n}\r\n"},
		{"CRLF in TOML", "codex", "model = \"x\"\r\n\r\n[mcp_servers.a]\r\ncommand = \"b\"\r\n"},
		{"a mark", "claude-desktop", bom + "{\"a\": 1}\n"},
		{"a mark in TOML", "codex", bom + "a = 1\n"},
		{"no last newline", "cursor", "{\n  \"a\": 1\n}"},
		{"no last newline in TOML", "codex", "a = 1"},
		{"no last newline, CRLF", "codex", "a = 1\r\nb = 2"},
		{"many newlines at the end", "codex", "a = 1\n\n\n"},
		{"only white space", "codex", " \n"},
		{"nothing at all", "codex", ""},
		{"a comment that nothing ends", "zed", "{\n  \"a\": 1\n} // done"},
		{"one line", "gemini", `{"a": [1, 2], "b": {"c": null}}`},
		{"one line and a comma", "gemini", `{"a": 1,}`},
		{"one line and a comment", "gemini", "{\"a\": 1 // one\n}"},
		{"a comment before the brace", "gemini", "{\n  \"a\": 1\n  /* end */ }"},
		{"an empty object with a comment", "zed", "{\n  \"context_servers\": { /* none */ }\n}\n"},
		{"braces in comments and strings", "zed", "{\n  // }\n  \"}\": \"{ // \\\" }\", /* } */\n}\n"},
		{"a name in other letters", "cursor", "{\n  \"MCPServers\": {\"counterfoil\": 1},\n  \"mcpServers\": {\"Counterfoil\": {}}\n}\n"},
		{"numbers as they were written", "claude-code", "{\n  \"a\": 1.10,\n  \"b\": 1E400,\n  \"c\": 123456789012345678901234567890\n}\n"},
		{"letters as they were written", "claude-code", "{\n  \"a\": \"\\u00e9 \\/ é <&>\"\n}\n"},
		{"a double name that is none of ours", "cursor", "{\"a\": 1, \"a\": 2}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := find(t, tt.client)
			with := inserted(t, client, []byte(tt.before), local)
			if crlf := strings.Count(tt.before, "\r\n"); crlf > 0 && strings.Count(string(with), "\r\n") != strings.Count(string(with), "\n") {
				t.Errorf("line ends are mixed: %q", with)
			}
			if got := string(removed(t, client, with)); got != tt.before {
				t.Errorf("taken out again:\ngot  %q\nwant %q", got, tt.before)
			}
		})
	}
}

// An empty file becomes a whole one; taken out, it is one that says nothing.
func TestNothingThereYet(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "\n", " \r\n", "\ufeff"} {
		for _, client := range []string{"claude-desktop", "vscode", "zed"} {
			with := string(inserted(t, find(t, client), []byte(before), local))
			if strings.Contains(before, "\r") != strings.Contains(with, "\r") || strings.HasPrefix(before, "\ufeff") != strings.HasPrefix(with, "\ufeff") {
				t.Errorf("%s: %q became %q", client, before, with)
			}
			if got := strings.Trim(string(removed(t, find(t, client), []byte(with))), "\ufeff\r\n"); got != "{}" {
				t.Errorf("%s: %q taken out of %q", client, got, with)
			}
		}
	}
}

// Where it is put does not matter for taking it out: nothing around it is
// harmed.
func TestRemoveWherever(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, client, before, after string }{
		{"first", "cursor", "{\"mcpServers\": {\"counterfoil\": {}, \"b\": {}}}", "{\"mcpServers\": {\"b\": {}}}"},
		{"in the middle", "cursor", "{\"mcpServers\": {\"a\": {}, \"counterfoil\": {}, \"b\": {}}}", "{\"mcpServers\": {\"a\": {}, \"b\": {}}}"},
		{"last", "cursor", "{\"mcpServers\": {\"a\": {}, \"counterfoil\": {}}}", "{\"mcpServers\": {\"a\": {}}}"},
		{"only", "cursor", "{\"mcpServers\": {\"counterfoil\": {}}, \"x\": 1}", "{\"mcpServers\": {}, \"x\": 1}"},
		{"with its comment behind it", "zed", "{\"context_servers\": {\n  \"counterfoil\": {}, // ours\n  \"b\": {}\n}}", "{\"context_servers\": {\n  // ours\n  \"b\": {}\n}}"},
		{"between comments", "zed", "{\"context_servers\": {\n  \"a\": {}, // a's\n  \"counterfoil\": {}, \"b\": {}\n}}", "{\"context_servers\": {\n  \"a\": {}, // a's\n  \"b\": {}\n}}"},
		{"behind a comment, before a brace", "zed", "{\"context_servers\": {\n  \"a\": {}, // a's\n  \"counterfoil\": {}}}", "{\"context_servers\": {\n  \"a\": {} // a's\n  }}"},
		{"with a comma behind it", "zed", "{\"context_servers\": {\n  \"a\": {},\n  \"counterfoil\": {} /* c */,\n}}", "{\"context_servers\": {\n  \"a\": {}, /* c */\n}}"},
		{"not an object", "zed", "{\"context_servers\": {\"counterfoil\": 5, \"b\": {}}}", "{\"context_servers\": {\"b\": {}}}"},
		{"spelt in another way", "cursor", "{\"mcpServers\": {\"counter\\u0066oil\": {}, \"b\": {}}}", "{\"mcpServers\": {\"b\": {}}}"},
		{"a table at the beginning", "codex", "[mcp_servers.counterfoil]\na = 1\n\n[b]\n", "\n[b]\n"},
		{"a table in the middle", "codex", "[a]\n\n[mcp_servers.counterfoil]\na = 1\n\n[b]\n", "[a]\n\n[b]\n"},
		{"a table of another spelling", "codex", "a = 1\n[ mcp_servers . \"counterfoil\" ] # ours\na = 1\n", "a = 1\n"},
		{"only a table below it", "codex", "[mcp_servers.counterfoil.env]\nA = \"1\"\n", ""},
		{"tables apart", "codex", "[mcp_servers.counterfoil]\na = 1\n[b]\nc = 1\n[mcp_servers.counterfoil.env]\nA = '''\n[d]\n'''\n", "[b]\nc = 1\n"},
		{"dotted at the top", "codex", "mcp_servers.counterfoil.command = \"x\" # ours\nmcp_servers.b.command = \"y\"\n", "mcp_servers.b.command = \"y\"\n"},
		{"inline", "codex", "[mcp_servers]\ncounterfoil = {command = \"x\"}\nb = {command = \"y\"}\n", "[mcp_servers]\nb = {command = \"y\"}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(removed(t, find(t, tt.client), []byte(tt.before))); got != tt.after {
				t.Errorf("got %q, want %q", got, tt.after)
			}
			inserted(t, find(t, tt.client), []byte(tt.before), local)
		})
	}
}

// Nothing of ours there: nothing changes.
func TestRemoveNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ client, before string }{
		{"cursor", ""},
		{"cursor", "{}"},
		{"cursor", `{"counterfoil": {}}`},
		{"cursor", `{"mcpServers": {}}`},
		{"zed", `{"context_servers": {"x": {"counterfoil": {}}}}`},
		{"codex", ""},
		{"codex", "[mcp_servers]\n[mcp_servers.files.counterfoil]\n"},
		{"codex", "counterfoil = 1\n"},
	}
	for _, tt := range tests {
		got, err := find(t, tt.client).Remove([]byte(tt.before))
		if err != nil || got.Had || string(got.Text) != tt.before {
			t.Errorf("%s, %q: got %q, had %v, error %v", tt.client, tt.before, got.Text, got.Had, err)
		}
	}
}

// An entry that says the same in another way is left as it is.
func TestSameInOtherWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ client, text string }{
		{"claude-code", "{\"mcpServers\": {\"counterfoil\": {\"args\": [\n\"--data-dir\",\n\"/srv/desk \\u0026 co\"],\n \"command\": \"\\/opt\\/counterfoil\", \"type\": \"stdio\"}}}"},
		{"zed", "{\"context_servers\": {\"counterfoil\": {\n  // ours\n  \"command\": \"/opt/counterfoil\",\n  \"args\": [\"--data-dir\", \"/srv/desk & co\",],\n}}}"},
		{"codex", "[mcp_servers]\ncounterfoil = { args = ['--data-dir', '/srv/desk & co'], command = '/opt/counterfoil' }\n"},
		{"codex", "[mcp_servers.counterfoil]\nargs = [\n  \"--data-dir\", # where it is\n  \"/srv/desk & co\",\n]\ncommand = \"/opt/counterfoil\"\n"},
	}
	for _, tt := range tests {
		got, err := find(t, tt.client).Insert([]byte(tt.text), local)
		if err != nil || !got.Had || string(got.Text) != tt.text {
			t.Errorf("%s: had %v, error %v, %q became %q", tt.client, got.Had, err, tt.text, got.Text)
		}
	}
}
