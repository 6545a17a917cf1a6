package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"counterfoil/access"
	"counterfoil/intent"
)

const aboutToken = `Makes, lists and revokes the tokens by which callers over HTTP are known. Each names
a principal, whom the ledger shows beside every attempt, and the classes of tools
that the principal may use: read, handoff, reversible, irreversible. What is not
among them is neither listed nor callable.

tokens.json in the data directory keeps a salted hash of each. A running server
reads it at every request: a token that was revoked does not count at the next.`

func (s *shell) token() *cobra.Command {
	cmd := group("token", "Say who may call over HTTP", s.tokenAdd(), s.tokenList(), s.tokenRevoke())
	cmd.Long = aboutToken
	return cmd
}

// keptToken is a token as the command line shows it. Times are UTC.
type keptToken struct {
	ID        string         `json:"id"`
	Principal string         `json:"principal"`
	Classes   []intent.Class `json:"classes"`
	CreatedAt string         `json:"created_at"`
	ExpiresAt string         `json:"expires_at,omitempty"`
	Expired   bool           `json:"expired"`
}

func keptOf(t access.Token, now time.Time) keptToken {
	kept := keptToken{
		ID: t.ID, Principal: t.Principal.Name, Classes: t.Principal.Classes,
		CreatedAt: intent.Timestamp(t.CreatedAt), Expired: t.Expired(now),
	}
	if !t.ExpiresAt.IsZero() {
		kept.ExpiresAt = intent.Timestamp(t.ExpiresAt)
	}
	return kept
}

// until is a token's end, for a person.
func (k keptToken) until() string {
	switch {
	case k.ExpiresAt == "":
		return "never"
	case k.Expired:
		return k.ExpiresAt + " (expired)"
	}
	return k.ExpiresAt
}

func joined(classes []intent.Class) string {
	texts := make([]string, len(classes))
	for i, c := range classes {
		texts[i] = string(c)
	}
	return strings.Join(texts, ",")
}

// onTokens runs a command on the file of tokens.
func (s *shell) onTokens(do func(ctx context.Context, w *works, tokens *access.Tokens, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := s.configure(cmd)
		if err != nil {
			return err
		}
		w, err := s.worksOf(cfg)
		if err != nil {
			return err
		}
		defer w.Close()
		asked, _, stop := s.signalled()
		defer stop()
		return do(asked, w, access.NewTokens(cfg.tokensFile(), w.now), args)
	}
}

func (s *shell) tokenList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the tokens, the oldest first", Args: takes(0, ""),
		RunE: s.onTokens(func(_ context.Context, w *works, tokens *access.Tokens, _ []string) error {
			list, err := tokens.List()
			if err != nil {
				return err
			}
			kept := []keptToken{}
			for _, t := range list {
				kept = append(kept, keptOf(t, w.now()))
			}
			return s.printTokens(kept, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *shell) printTokens(kept []keptToken, asJSON bool) error {
	if asJSON {
		return printJSON(s.Out, map[string][]keptToken{"tokens": kept})
	}
	if len(kept) == 0 {
		fmt.Fprintln(s.Out, "There are no tokens.")
		return nil
	}
	rows := [][]string{{"ID", "PRINCIPAL", "CLASSES", "CREATED", "EXPIRES"}}
	for _, k := range kept {
		rows = append(rows, []string{k.ID, k.Principal, joined(k.Classes), k.CreatedAt, k.until()})
	}
	return table(s.Out, rows)
}

const aboutRevoke = `Takes a token away. No secret is asked for: what only takes away must not wait
for one.`

func (s *shell) tokenRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Take a token away", Long: aboutRevoke, Args: takes(1, "a token's id, as token list shows it"),
		RunE: s.onTokens(func(ctx context.Context, w *works, tokens *access.Tokens, args []string) error {
			if !isThere(w.cfg.tokensFile()) {
				return access.ErrNoToken
			}
			gone, err := tokens.Revoke(ctx, args[0])
			if errors.Is(err, access.ErrNoToken) {
				// What was given is not said again: it may be a whole token.
				return fmt.Errorf("%w with that id, the eight characters behind cf_; counterfoil token list shows them", access.ErrNoToken)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(s.Out, "Token %s of %s counts no longer.\n", gone.ID, gone.Principal.Name)
			return nil
		}),
	}
}
