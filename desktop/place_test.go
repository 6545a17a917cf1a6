package desktop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/desktop"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	type places map[string]string
	tests := []struct {
		name, os, home string
		env, want      places
	}{
		{"Linux", "linux", "/home/ada", nil, places{
			"claude-desktop": "/home/ada/.config/Claude/claude_desktop_config.json",
			"claude-code":    "/home/ada/.claude.json",
			"cursor":         "/home/ada/.cursor/mcp.json",
			"vscode":         "/home/ada/.config/Code/User/mcp.json",
			"windsurf":       "/home/ada/.codeium/windsurf/mcp_config.json",
			"zed":            "/home/ada/.config/zed/settings.json",
			"codex":          "/home/ada/.codex/config.toml",
			"gemini":         "/home/ada/.gemini/settings.json",
		}},
		{"macOS", "darwin", "/Users/ada", places{"XDG_CONFIG_HOME": "/elsewhere"}, places{
			"claude-desktop": "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
			"claude-code":    "/Users/ada/.claude.json",
			"cursor":         "/Users/ada/.cursor/mcp.json",
			"vscode":         "/Users/ada/Library/Application Support/Code/User/mcp.json",
			"windsurf":       "/Users/ada/.codeium/windsurf/mcp_config.json",
			"zed":            "/Users/ada/.config/zed/settings.json",
			"codex":          "/Users/ada/.codex/config.toml",
			"gemini":         "/Users/ada/.gemini/settings.json",
		}},
		{"Windows", "windows", `C:\Users\ada`, nil, places{
			"claude-desktop": `C:\Users\ada\AppData\Local\Packages\Claude_*\LocalCache\Roaming\Claude\claude_desktop_config.json or C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`,
			"claude-code":    `C:\Users\ada\.claude.json`,
			"cursor":         `C:\Users\ada\.cursor\mcp.json`,
			"vscode":         `C:\Users\ada\AppData\Roaming\Code\User\mcp.json`,
			"windsurf":       `C:\Users\ada\.codeium\windsurf\mcp_config.json`,
			"zed":            `C:\Users\ada\AppData\Roaming\Zed\settings.json`,
			"codex":          `C:\Users\ada\.codex\config.toml`,
			"gemini":         `C:\Users\ada\.gemini\settings.json`,
		}},
		{"directories that are named", "linux", "/home/ada/", places{
			"XDG_CONFIG_HOME": "/etc/ada", "CLAUDE_CONFIG_DIR": "/srv/claude/", "CODEX_HOME": "/srv/codex", "GEMINI_CLI_HOME": "/srv/gemini",
		}, places{
			"claude-desktop": "/etc/ada/Claude/claude_desktop_config.json",
			"claude-code":    "/srv/claude/.claude.json",
			"cursor":         "/home/ada/.cursor/mcp.json",
			"vscode":         "/etc/ada/Code/User/mcp.json",
			"windsurf":       "/home/ada/.codeium/windsurf/mcp_config.json",
			"zed":            "/etc/ada/zed/settings.json",
			"codex":          "/srv/codex/config.toml",
			"gemini":         "/srv/gemini/.gemini/settings.json",
		}},
		{"directories that are named, on Windows", "windows", `C:\Users\ada`, places{"APPDATA": `D:\Roaming`, "LOCALAPPDATA": `D:\Local`}, places{
			"claude-desktop": `D:\Local\Packages\Claude_*\LocalCache\Roaming\Claude\claude_desktop_config.json or D:\Roaming\Claude\claude_desktop_config.json`,
			"claude-code":    `C:\Users\ada\.claude.json`,
			"cursor":         `C:\Users\ada\.cursor\mcp.json`,
			"vscode":         `D:\Roaming\Code\User\mcp.json`,
			"windsurf":       `C:\Users\ada\.codeium\windsurf\mcp_config.json`,
			"zed":            `D:\Roaming\Zed\settings.json`,
			"codex":          `C:\Users\ada\.codex\config.toml`,
			"gemini":         `C:\Users\ada\.gemini\settings.json`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := places{}
			for _, c := range desktop.Clients() {
				m := desktop.Machine{OS: tt.os, Home: tt.home, Getenv: func(name string) string { return tt.env[name] }}
				got[c.Name] = strings.Join(c.Files(m), " or ")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddCommandQuotes(t *testing.T) {
	t.Parallel()
	awkward := desktop.Local{Command: `C:\Program Files\it's\counterfoil.exe`, Args: []string{`--data-dir`, `D:\desk`, "", "$x", "a,b", "@c"}}
	const start = "claude mcp add --scope user --transport stdio counterfoil -- "
	tests := []struct{ os, want string }{
		{"linux", start + `'C:\Program Files\it'\''s\counterfoil.exe' --data-dir 'D:\desk' '' '$x' a,b @c`},
		{"windows", start + `'C:\Program Files\it''s\counterfoil.exe' --data-dir D:\desk '' '$x' 'a,b' '@c'`},
	}
	for _, tt := range tests {
		if got := find(t, "claude-code").AddCommand(awkward, tt.os); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.os, got, tt.want)
		}
	}
}
