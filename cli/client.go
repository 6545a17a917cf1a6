package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"counterfoil/desktop"
)

// clientFlags name an MCP client and, but for uninstall, the server that it is
// to have.
type clientFlags struct {
	client, file             string
	command, url, tokenEnv   string
	dryRun                   bool
	namesServer, changesFile bool // which of the flags there are
}

func (f *clientFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.client, "client", "", "the client: "+clientNames())
	_ = cmd.RegisterFlagCompletionFunc("client", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return strings.Split(clientNames(), ", "), cobra.ShellCompDirectiveNoFileComp
	})
	flags.StringVar(&f.file, "file", "", "the client's file, where it is not in its usual place")
	if f.changesFile {
		flags.BoolVar(&f.dryRun, "dry-run", false, "show the change as a diff, and make none")
	}
	if f.namesServer {
		flags.StringVar(&f.command, "command", "", "the program that the client starts, where it is not this very one")
		flags.StringVar(&f.url, "url", "", "have the client call a server that runs already, such as http://127.0.0.1:8787/mcp")
		flags.StringVar(&f.tokenEnv, "token-env", "", "with --url: the environment variable that the client takes its bearer token from")
	}
}

func clientNames() string {
	var names []string
	for _, c := range desktop.Clients() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// chosen is the client that --client names.
func (f *clientFlags) chosen(cmd *cobra.Command) (desktop.Client, error) {
	client, known := desktop.Find(f.client)
	switch {
	case known:
		return client, nil
	case f.client == "":
		return client, misused("%s: name the client with --client: %s", spoken(cmd), clientNames())
	}
	return client, misused("there is no client %q; the ones known are %s", f.client, clientNames())
}
