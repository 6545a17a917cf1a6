package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

const aboutClientConfig = `Prints what the configuration of an MCP client must say to have counterfoil, and
where that file is. For claude-code it prints the command as well that does it.

Settings given here (--data-dir, --config …) are written down, with full paths.
Secrets never are: they stay in the files and variables that settings name.`

func (s *shell) clientConfig() *cobra.Command {
	f := clientFlags{namesServer: true}
	cmd := &cobra.Command{
		Use: "config --client NAME", Short: "Print what an MCP client's configuration must say", Long: aboutClientConfig, Args: takes(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.chosen(cmd)
			if err != nil {
				return err
			}
			server, err := s.server(cmd, &f, client)
			if err != nil {
				return err
			}
			path, err := s.fileOf(client, f.file)
			if err != nil {
				return err
			}
			snippet, err := client.Snippet(server)
			if err != nil {
				return err
			}
			if line := client.AddCommand(server, runtime.GOOS); line != "" {
				fmt.Fprintf(s.Out, "%s\n\n", line)
			}
			fmt.Fprintf(s.Out, "%s", snippet)
			fmt.Fprintf(s.Err, "%s reads this from %s; counterfoil install --client %s writes it there.\n", client.Title, path, client.Name)
			s.warnOfEnvironment(cmd, server)
			return nil
		},
	}
	f.add(cmd)
	return cmd
}
