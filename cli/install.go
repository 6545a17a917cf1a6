package cli

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"counterfoil/desktop"
)

const aboutInstall = `Writes counterfoil into the configuration of an MCP client. All else in the file
stays as it is, comments too; an entry of that name which says something else is
replaced. What was there before is kept in a file beside it. A file that is not
understood wholly is left alone.

--dry-run shows the change with the lines around it, whatever those hold.

Settings given here (--data-dir, --config …) are written down, with full paths.
Secrets never are: they stay in the files and variables that settings name.`

const aboutUninstall = `Takes counterfoil out of the configuration of an MCP client. All else in the file
stays as it is; what was there before is kept in a file beside it.

--dry-run shows the change with the lines around it, whatever those hold.`

func (s *shell) install() *cobra.Command {
	f := clientFlags{namesServer: true, changesFile: true}
	cmd := &cobra.Command{
		Use: "install --client NAME", Short: "Write counterfoil into an MCP client's configuration", Long: aboutInstall, Args: takes(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.chosen(cmd)
			if err != nil {
				return err
			}
			server, err := s.server(cmd, &f, client)
			if err != nil {
				return err
			}
			if local, is := server.(desktop.Local); is && !isThere(local.Command) {
				return misused("--command: there is no program %s", local.Command)
			}
			err = s.change(client, &f, func(text []byte) (desktop.Edit, error) { return client.Insert(text, server) },
				wording{none: "has counterfoil already, just so", fresh: "Added counterfoil to", had: "Replaced the entry of counterfoil in", replaced: whatWasThere, next: client.Next})
			if err == nil {
				s.warnOfEnvironment(cmd, server)
			}
			return err
		},
	}
	f.add(cmd)
	return cmd
}

func (s *shell) uninstall() *cobra.Command {
	f := clientFlags{changesFile: true}
	cmd := &cobra.Command{
		Use: "uninstall --client NAME", Short: "Take counterfoil out of an MCP client's configuration", Long: aboutUninstall, Args: takes(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.chosen(cmd)
			if err != nil {
				return err
			}
			return s.change(client, &f, client.Remove,
				wording{none: "has no counterfoil", had: "Took counterfoil out of", next: client.Title + " forgets it when it is started again."})
		},
	}
	f.add(cmd)
	return cmd
}

// wording is how a change is told.
type wording struct{ none, fresh, had, replaced, next string }

// whatWasThere: an entry that named another data directory led to another ledger.
const whatWasThere = "The old entry said something else; its arguments, environment and limits went with it.\n" +
	"Compare the two if it named another data directory or configuration: that is another ledger."

// change changes a client's file, or shows how it would.
func (s *shell) change(client desktop.Client, f *clientFlags, edit func([]byte) (desktop.Edit, error), say wording) error {
	path, err := s.fileOf(client, f.file)
	if err != nil {
		return err
	}
	file, err := readClientFile(path)
	if err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	after, err := edit(file.text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w; nothing was changed", path, err)
	case bytes.Equal(after.Text, file.text):
		fmt.Fprintf(s.Out, "%s %s: nothing to change.\n", path, say.none)
		return nil
	case f.dryRun:
		fmt.Fprintf(s.Out, "%s", diff.Diff(path, file.text, path, after.Text))
		return nil
	}
	backup, err := file.replace(after.Text)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	done := say.fresh
	if after.Had {
		done = say.had
	}
	fmt.Fprintf(s.Out, "%s %s.\n", done, path)
	if after.Had && say.replaced != "" {
		fmt.Fprintln(s.Out, say.replaced)
	}
	if backup != "" {
		fmt.Fprintf(s.Out, "As it was before, it is kept in %s.\n", backup)
	}
	fmt.Fprintln(s.Out, say.next)
	return nil
}
