package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const about = `Counterfoil gives a support agent its marketplace tools over MCP, and makes every
one of them safe to ask for twice: a call whose answer was lost is recognised,
looked up and answered truthfully; it is not made again.

Without a command it serves MCP on standard input and output.`

func (s *shell) root() *cobra.Command {
	serve := s.serve()
	root := &cobra.Command{
		Use: "counterfoil", Short: "Tools for a support agent that act at most once", Long: about,
		SilenceErrors: true, SilenceUsage: true, DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Version:           thisVersion(),
		Args:              noCommandLike,
		RunE:              serve.RunE,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exit{exitUsage, err} })
	for _, s := range settings {
		root.PersistentFlags().Var(&text{s.byDefault, s.kind}, s.flag, s.usage())
	}
	root.PersistentFlags().Var(&text{kind: "FILE"}, "config", "a YAML file with the same names, '_' for '-', and notify and http ("+configEnv+")")
	root.AddCommand(
		serve, s.call(), s.key(), s.ledger(), s.sweep(),
		s.approvals(), s.resolve(), s.release(), s.reopen(), s.allowRepeat(),
		s.operator(), s.token(), s.doctor(), s.sandbox(), s.demo(), s.version(),
		s.clientConfig(), s.install(), s.uninstall(),
	)
	return root
}

// noCommandLike refuses what the root was given beside flags.
func noCommandLike(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return misused("there is no command %q; %s --help lists them", args[0], cmd.CommandPath())
}

// group is a command that only has others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name()
	}
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			problem := "say which"
			if len(args) > 0 {
				problem = fmt.Sprintf("there is no %q", args[0])
			}
			return misused("%s: %s: %s", spoken(cmd), problem, strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// takes bounds how many arguments a command takes, and says what they are.
func takes(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == n:
			return nil
		case n == 0:
			return misused("%s takes no arguments, but was given %q", spoken(cmd), args[0])
		}
		return misused("%s takes %s", spoken(cmd), what)
	}
}

// spoken is a command as a complaint names it: a complaint begins with the
// program's name anyway.
func spoken(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
