package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

const aboutOperator = `The operator's secret keeps what belongs to a person with a person: approve,
decline, resolve, release, reopen, allow-repeat and erase ask for it. Most agents
have a shell; none of these verbs may be theirs.

With a real provider the verbs refuse until a secret is set. On the sandbox they
ask for it once one is set. It is never an argument: it is typed on the terminal,
or read from --secret-file. Only a hash of it is kept, in operator.hash in the
data directory.

Whoever may write to the data directory may replace the hash, too. Where the
agent runs as the same user as its operator, the secret is a lock on the door of
a house whose windows are open: give the agent a user of its own.`

func (s *shell) operator() *cobra.Command {
	cmd := group("operator", "Set the secret that a person's verbs ask for", s.operatorInit(), s.operatorCheck(), s.operatorChange())
	cmd.Long = aboutOperator
	return cmd
}

// onSecret runs a command on the operator's secret.
func (s *shell) onSecret(do func(ctx context.Context, cfg config) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		cfg, err := s.configure(cmd)
		if err != nil {
			return err
		}
		ctx, _, stop := s.signalled()
		defer stop()
		return do(ctx, cfg)
	}
}

func (s *shell) operatorInit() *cobra.Command {
	var file string
	cmd := &cobra.Command{Use: "init", Short: "Set the operator's secret", Args: takes(0, "")}
	cmd.RunE = s.onSecret(func(ctx context.Context, cfg config) error {
		if isThere(cfg.operatorFile()) {
			return errSecretSet
		}
		secret, err := s.newSecret(ctx, file)
		if err != nil {
			return err
		}
		if err := cfg.setFirst(secret); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "The operator's secret is set. Its hash is in %s; the secret itself is kept nowhere.\n", cfg.operatorFile())
		return nil
	})
	cmd.Flags().StringVar(&file, "secret-file", "", "read it from a file instead of asking")
	return cmd
}

func (s *shell) operatorCheck() *cobra.Command {
	var file string
	cmd := &cobra.Command{Use: "check", Short: "See whether you still know the secret", Args: takes(0, "")}
	cmd.RunE = s.onSecret(func(ctx context.Context, cfg config) error {
		if !isThere(cfg.operatorFile()) {
			return errNoSecret
		}
		if err := s.checkSecret(ctx, cfg.operatorFiles(), file); err != nil {
			return err
		}
		fmt.Fprintln(s.Out, "That is the operator's secret.")
		return nil
	})
	cmd.Flags().StringVar(&file, "secret-file", "", "read it from a file instead of asking")
	return cmd
}

func (s *shell) operatorChange() *cobra.Command {
	var file, next string
	cmd := &cobra.Command{Use: "change", Short: "Replace the operator's secret", Args: takes(0, "")}
	cmd.RunE = s.onSecret(func(ctx context.Context, cfg config) error {
		path := cfg.operatorFile()
		if !isThere(path) {
			return errNoSecret
		}
		if err := s.checkSecret(ctx, []string{path}, file); err != nil {
			return err
		}
		secret, err := s.newSecret(ctx, next)
		if err != nil {
			return err
		}
		if err := cfg.setNext(secret); err != nil {
			return err
		}
		fmt.Fprintln(s.Out, "The operator's secret is changed.")
		return nil
	})
	cmd.Flags().StringVar(&file, "secret-file", "", "read the old one from a file instead of asking")
	cmd.Flags().StringVar(&next, "new-secret-file", "", "read the new one from a file instead of asking")
	return cmd
}

// newSecret asks for a secret that is to be set, twice where it is typed.
func (s *shell) newSecret(ctx context.Context, file string) (string, error) {
	secret, err := s.secret(ctx, fmt.Sprintf("New operator's secret (%d characters or more): ", leastSecret), file)
	if err != nil {
		return "", err
	}
	if err := fitToBeSet(secret); err != nil || file != "" {
		return secret, err
	}
	again, err := s.secret(ctx, "The same once more: ", "")
	if err != nil {
		return "", err
	}
	if again != secret {
		return "", errors.New("the two are not the same; nothing was set")
	}
	return secret, nil
}
