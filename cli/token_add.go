package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"counterfoil/access"
	"counterfoil/intent"
)

const aboutTokenAdd = `Makes a token and prints it, this once: only a hash of it is kept. A principal may
have several, each with classes and an end of its own.

An agent that has a shell could make itself a token that may do more than its own.
So this asks for the operator's secret as approve and resolve do: where one is
set, and always with a real provider.`

// grant is what a token is to be.
type grant struct {
	classes    []string
	lasts      time.Duration
	secretFile string
	asJSON     bool
}

func (s *shell) tokenAdd() *cobra.Command {
	var g grant
	cmd := &cobra.Command{
		Use: "add NAME --classes CLASS,…", Short: "Make a token for a principal", Long: aboutTokenAdd, Args: takes(1, "the principal's name"),
	}
	cmd.RunE = s.onTokens(func(ctx context.Context, w *works, tokens *access.Tokens, args []string) error {
		switch {
		case len(g.classes) == 0:
			return misused("token add: say with --classes what it may use: read, handoff, reversible, irreversible")
		case cmd.Flags().Changed("expires") && g.lasts <= 0:
			return misused("token add: --expires must be a duration above zero, such as 720h")
		}
		p := access.Principal{Name: args[0]}
		for _, class := range g.classes {
			p.Classes = append(p.Classes, intent.Class(class))
		}
		if err := p.Valid(); err != nil {
			return misused("token add: %w", err)
		}
		if err := s.mayGrant(ctx, w, g.secretFile); err != nil {
			return err
		}
		return s.addToken(ctx, w, tokens, p, g)
	})
	cmd.Flags().StringSliceVar(&g.classes, "classes", nil, "what it may use: read, handoff, reversible, irreversible")
	cmd.Flags().DurationVar(&g.lasts, "expires", 0, "how long it counts, such as 720h (default: until it is revoked)")
	cmd.Flags().StringVar(&g.secretFile, "secret-file", "", "read the operator's secret from a file instead of asking")
	cmd.Flags().BoolVar(&g.asJSON, "json", false, "print JSON")
	return cmd
}

// mayGrant asks for the operator's secret where it is needed. Where one is set
// the marketplace has no say in that.
func (s *shell) mayGrant(ctx context.Context, w *works, secretFile string) error {
	if len(w.cfg.operatorFiles()) == 0 {
		if err := w.connect(ctx); err != nil {
			return err
		}
	}
	_, err := s.showSecret(ctx, w, "token add", secretFile)
	return err
}

func (s *shell) addToken(ctx context.Context, w *works, tokens *access.Tokens, p access.Principal, g grant) error {
	if err := w.cfg.makeDataDir(); err != nil {
		return err
	}
	made, text, err := tokens.Add(ctx, p, g.lasts)
	if err != nil {
		return err
	}
	kept := keptOf(made, w.now())
	if g.asJSON {
		return printJSON(s.Out, struct {
			Token string `json:"token"`
			keptToken
		}{text, kept})
	}
	fmt.Fprintln(s.Out, text)
	fmt.Fprintf(s.Err, "Token %s is %s's, for %s; it expires: %s. It is shown this once: only its hash is kept.\n",
		kept.ID, kept.Principal, joined(kept.Classes), kept.until())
	return nil
}
