package desktop

import (
	"slices"
	"strings"
)

// Machine is what the places of files depend on.
type Machine struct {
	OS     string // as runtime.GOOS says it
	Home   string
	Getenv func(name string) string
}

const (
	windows = "windows"
	darwin  = "darwin"
)

// Files are the places where the client's file may lie, the likeliest first. A
// directory may have a * in it: that place counts where exactly one directory
// matches. The last has none and counts where no other does.
func (c Client) Files(m Machine) []string { return c.files(m) }

func claudeDesktopFiles(m Machine) []string {
	const folder, file = "Claude", "claude_desktop_config.json"
	ordinary := m.appFile(folder, file)
	if m.OS != windows {
		return []string{ordinary}
	}
	packaged := m.join(m.dir("LOCALAPPDATA", "AppData", "Local"), "Packages", "Claude_*", "LocalCache", "Roaming", folder, file)
	return []string{packaged, ordinary}
}

// claudeCodeFiles is the user's own file. A project's .mcp.json is for everybody
// who works on it, which a path on this machine is not.
func claudeCodeFiles(m Machine) []string {
	return []string{m.join(m.dir("CLAUDE_CONFIG_DIR"), ".claude.json")}
}

func cursorFiles(m Machine) []string { return []string{m.join(m.Home, ".cursor", "mcp.json")} }

func vsCodeFiles(m Machine) []string { return []string{m.appFile("Code", "User", "mcp.json")} }

func windsurfFiles(m Machine) []string {
	return []string{m.join(m.Home, ".codeium", "windsurf", "mcp_config.json")}
}

func zedFiles(m Machine) []string {
	switch m.OS {
	case windows:
		return []string{m.appFile("Zed", "settings.json")}
	case darwin:
		return []string{m.join(m.Home, ".config", "zed", "settings.json")}
	}
	return []string{m.appFile("zed", "settings.json")}
}

func codexFiles(m Machine) []string {
	return []string{m.join(m.dir("CODEX_HOME", ".codex"), "config.toml")}
}

func geminiFiles(m Machine) []string {
	return []string{m.join(m.dir("GEMINI_CLI_HOME"), ".gemini", "settings.json")}
}

// appFile is a file below where this system's programs keep their settings.
func (m Machine) appFile(elements ...string) string {
	switch m.OS {
	case windows:
		return m.join(m.dir("APPDATA", "AppData", "Roaming"), elements...)
	case darwin:
		return m.join(m.join(m.Home, "Library", "Application Support"), elements...)
	}
	return m.join(m.dir("XDG_CONFIG_HOME", ".config"), elements...)
}

// dir is the directory that a variable names or, where it names none that
// stands by itself, the one below the home directory.
func (m Machine) dir(variable string, below ...string) string {
	if named := m.Getenv(variable); m.OS == windows && named != "" || strings.HasPrefix(named, "/") {
		return named
	}
	return m.join(m.Home, below...)
}

func (m Machine) join(dir string, elements ...string) string {
	separator := "/"
	if m.OS == windows {
		separator = `\`
	}
	return strings.Join(slices.Concat([]string{strings.TrimRight(dir, `/\`)}, elements), separator)
}
