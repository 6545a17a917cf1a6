package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/tools"
)

const aboutKey = `Prints the intent key of a call, and the facts that it is derived from.

With KEY=VALUE, as for call, it reads the order and the ticket, for their own
spelling. With --facts it takes every fact as it is and reads the account alone:
of issue_refund ticket, order, item, units, amount, currency and, of a deliberate
repeat, again_after; of escalate_to_human ticket and reason.`

func (s *shell) key() *cobra.Command {
	var facts, asJSON bool
	cmd := &cobra.Command{
		Use: "key TOOL KEY=VALUE …", Short: "Print the intent key of a call", Long: aboutKey, Args: needsTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, writes := tools.FactNames(args[0]); !writes {
				return misused("%q is no tool that writes: only those have intent keys", args[0])
			}
			cfg, err := s.configure(cmd)
			if err != nil {
				return err
			}
			w, err := s.worksOf(cfg)
			if err != nil {
				return err
			}
			defer w.Close()
			derive := s.keyOfCall
			if facts {
				derive = s.keyOfFacts
			}
			return derive(w, args[0], args[1:], asJSON)
		},
	}
	cmd.Flags().BoolVar(&facts, "facts", false, "take every fact as NAME=VALUE and read no order")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// keyOfFacts derives a key from its facts.
func (s *shell) keyOfFacts(w *works, tool string, pairs []string, asJSON bool) error {
	facts, err := tools.ParseFacts(tool, pairs)
	if err != nil {
		return misused("%w", err)
	}
	asked, _, stop := s.signalled()
	defer stop()
	account, err := w.accountOrOnly(asked)
	if err != nil {
		return err
	}
	return s.printKey(account, tool, intent.DeriveKey(account, tool, facts), facts, asJSON)
}

// accountOrOnly is the account; where the authority cannot say it, that of the
// only ledger there is.
func (w *works) accountOrOnly(ctx context.Context) (string, error) {
	if w.cfg.sandboxURL == "" {
		return w.accountOfBox(ctx)
	}
	account, err := w.accountNow(ctx)
	if errors.Is(err, errDown) {
		path, only, ledgerErr := w.onlyLedger(ctx)
		if path != "" && ledgerErr == nil {
			return only, nil
		}
	}
	return account, err
}

// keyOfCall derives the key that a call would have: the tool checks the
// arguments as always, and the engine stops where it knows the key.
func (s *shell) keyOfCall(w *works, name string, pairs []string, asJSON bool) error {
	raw, err := argumentsOf(w.schemas, name, pairs, "", false)
	if err != nil {
		return err
	}
	asked, _, stop := s.signalled()
	defer stop()
	if err := w.connect(asked); err != nil {
		return err
	}
	w.ledger = &absentLedger{account: w.market.Account}
	if err := w.makeEngine(); err != nil {
		return err
	}
	deriving := &keyEngine{Engine: w.engine}
	if err := w.makeCatalog(deriving); err != nil {
		return err
	}
	tool, ok := w.tool(name)
	if !ok {
		return misused("there is no tool %q", name)
	}
	answer := tool.Call(asked, raw)
	if !deriving.derived {
		return s.printAnswer(answer, asJSON)
	}
	return s.printKey(w.market.Account, name, deriving.key, deriving.facts, asJSON)
}

// keyEngine derives the key of a call in place of performing it.
type keyEngine struct {
	*intent.Engine
	key     intent.Key
	facts   []intent.Fact
	derived bool
}

// Do answers only where there is no key.
func (k *keyEngine) Do(ctx context.Context, tool string, args intent.Arguments) intent.Result {
	key, facts, refusal := k.KeyOf(ctx, tool, args)
	if refusal != nil {
		return *refusal
	}
	k.key, k.facts, k.derived = key, facts, true
	return intent.Result{}
}

func (s *shell) printKey(account, tool string, key intent.Key, facts []intent.Fact, asJSON bool) error {
	if !asJSON {
		fmt.Fprintln(s.Out, key)
		for _, f := range facts {
			fmt.Fprintf(s.Out, "%s=%s\n", f.Name, f.Value)
		}
		return nil
	}
	view := keyView{IntentKey: key.String(), Account: account, Tool: tool, Facts: make([]factView, len(facts))}
	for i, f := range facts {
		view.Facts[i] = factView{f.Name, f.Value}
	}
	return printJSON(s.Out, view)
}

type keyView struct {
	IntentKey string     `json:"intent_key"`
	Account   string     `json:"account"`
	Tool      string     `json:"tool"`
	Facts     []factView `json:"facts"`
}

type factView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
