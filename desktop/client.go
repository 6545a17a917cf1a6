// Package desktop knows the programs that an MCP server is added to: where each
// keeps its configuration, what an entry looks like there, and how one is put
// in and taken out again while every other byte stays as it is. It decides on
// texts alone and opens no file.
package desktop

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Name is what the server is called in every client's configuration.
const Name = "counterfoil"

// Server is how a client gets at the server: Local or Remote.
//
//sumtype:decl
type Server interface{ isServer() }

// Local is a server that the client starts and speaks to over stdio.
type Local struct {
	Command string // an absolute path: clients start elsewhere, with another PATH
	Args    []string
}

// Remote is a server that runs already and is spoken to over HTTP.
type Remote struct {
	URL string
	// TokenEnv names the variable that the client reads a bearer token from;
	// the token itself is never written. Empty: none is sent.
	TokenEnv string
}

func (Local) isServer()  {}
func (Remote) isServer() {}

// Client is one program. All that differs between them is here and in clients.
type Client struct {
	Name  string // as the command line names it
	Title string // as its makers do
	Next  string // what is left to do once the server is in its file

	files  func(Machine) []string
	syntax syntax
	// The entry, where it is more than command and args.
	localType, remoteType string
	address               string // the member for a URL; empty: it takes none
	reference             string // how a value names an environment variable, for Sprintf; empty: it cannot
	namesVariable         string // in place of a header, the member that names a token's variable
	variables             string // how what it would read as a variable begins; empty: it reads none
	adds                  bool   // its own command line adds servers as well: see AddCommand
}

// syntax is the language of a configuration file.
type syntax interface {
	insert(text []byte, entry members) (Edit, error)
	remove(text []byte) (Edit, error)
}

// Edit is what becomes of a text.
type Edit struct {
	Text []byte // the same as before, where there is nothing to change
	Had  bool   // there was an entry of ours before
}

// The sources, as of 2026: each client's own documentation of its file. Where
// Claude Desktop comes as a Windows package, the system keeps its file apart
// (anthropics/claude-code#26073).
var clients = []Client{
	{
		Name: "claude-desktop", Title: "Claude Desktop", Next: "Quit Claude Desktop altogether (closing its window is not enough) and start it again.",
		files: claudeDesktopFiles, syntax: jsonSyntax{parent: "mcpServers", plain: true},
	},
	{
		Name: "claude-code", Title: "Claude Code", Next: "Start a new session of Claude Code; /mcp lists what it has.",
		files: claudeCodeFiles, syntax: jsonSyntax{parent: "mcpServers", plain: true},
		localType: "stdio", remoteType: "http", address: "url", reference: "${%s}", variables: "${", adds: true,
	},
	{
		Name: "cursor", Title: "Cursor", Next: "Restart Cursor.",
		files: cursorFiles, syntax: jsonSyntax{parent: "mcpServers"},
		address: "url", reference: "${env:%s}", variables: "${",
	},
	{
		Name: "vscode", Title: "VS Code", Next: "Run “MCP: List Servers” in VS Code and start counterfoil there; it asks once whether you trust it.",
		files: vsCodeFiles, syntax: jsonSyntax{parent: "servers"},
		localType: "stdio", remoteType: "http", address: "url", reference: "${env:%s}", variables: "${",
	},
	{
		Name: "windsurf", Title: "Windsurf", Next: "Refresh the list of MCP servers in Windsurf, or restart it.",
		files: windsurfFiles, syntax: jsonSyntax{parent: "mcpServers"},
		address: "serverUrl", reference: "${env:%s}", variables: "${",
	},
	{
		Name: "zed", Title: "Zed", Next: "Zed reads its settings at once; the agent panel's settings list what it has.",
		files: zedFiles, syntax: jsonSyntax{parent: "context_servers"},
		address: "url",
	},
	{
		Name: "codex", Title: "Codex", Next: "Start Codex again; /mcp lists what it has.",
		files: codexFiles, syntax: tomlSyntax{parent: "mcp_servers"},
		address: "url", namesVariable: "bearer_token_env_var",
	},
	{
		Name: "gemini", Title: "Gemini CLI", Next: "Start Gemini CLI again; /mcp lists what it has.",
		files: geminiFiles, syntax: jsonSyntax{parent: "mcpServers"},
		address: "httpUrl", reference: "${%s}", variables: "$",
	},
}

// Clients are all clients, in the order in which they are listed to people.
func Clients() []Client { return slices.Clone(clients) }

// Find is the client of that name.
func Find(name string) (Client, bool) {
	i := slices.IndexFunc(clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return clients[i], true
}

// Snippet is a whole configuration that has this server and no other.
func (c Client) Snippet(s Server) ([]byte, error) {
	edit, err := c.Insert(nil, s)
	return edit.Text, err
}

// Insert puts the server into a configuration, in the place of an entry of ours
// that says something else. It refuses what it does not understand wholly.
func (c Client) Insert(text []byte, s Server) (Edit, error) {
	entry, err := c.entry(s)
	if err != nil {
		return Edit{}, err
	}
	return c.syntax.insert(text, entry)
}

// Remove takes our entry out of a configuration, and what held only that.
func (c Client) Remove(text []byte) (Edit, error) { return c.syntax.remove(text) }

// entry is what the client's configuration says of a server.
func (c Client) entry(s Server) (members, error) {
	switch s := s.(type) {
	case Local:
		if err := c.readsAsWritten(append([]string{s.Command}, s.Args...)...); err != nil {
			return nil, err
		}
		return typed(c.localType, member{"command", s.Command}, member{"args", s.Args}), nil
	case Remote:
		return c.remote(s)
	}
	return nil, fmt.Errorf("a server is either started or reached at an address")
}

func (c Client) remote(s Remote) (members, error) {
	if c.address == "" {
		return nil, fmt.Errorf("%s takes no addresses in its file: leave the address away, and it starts counterfoil by itself", c.Title)
	}
	if err := c.readsAsWritten(s.URL); err != nil {
		return nil, err
	}
	entry := typed(c.remoteType, member{c.address, s.URL})
	switch {
	case s.TokenEnv == "":
		return entry, nil
	case c.namesVariable != "":
		return append(entry, member{c.namesVariable, s.TokenEnv}), nil
	case c.reference == "":
		return nil, fmt.Errorf("%s cannot take a token from the environment, and it is not written into a file from here", c.Title)
	}
	return append(entry, member{"headers", members{{"Authorization", c.bearer(s)}}}), nil
}

// bearer is the header that makes the client send the token of its environment.
func (c Client) bearer(s Remote) string { return "Bearer " + fmt.Sprintf(c.reference, s.TokenEnv) }

// readsAsWritten refuses what the client would take for a variable of its own,
// and what no text can hold: it would name another file.
func (c Client) readsAsWritten(values ...string) error {
	for _, value := range values {
		if !utf8.ValidString(value) {
			return fmt.Errorf("%q is not valid UTF-8, and cannot be written into a configuration", value)
		}
		if c.variables != "" && strings.Contains(value, c.variables) {
			return fmt.Errorf("%s would read the %s in %q as a variable", c.Title, c.variables, value)
		}
	}
	return nil
}

// members are an entry's, in the order in which they are written. A value is a
// string, a list of strings, or further members.
type members []member

type member struct {
	name  string
	value any
}

func typed(kind string, rest ...member) members {
	if kind == "" {
		return rest
	}
	return append(members{{"type", kind}}, rest...)
}
