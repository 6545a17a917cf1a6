package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/store"
	"counterfoil/tools"
)

// product is the engine as it is shipped, with the real issue_refund: its reads,
// siblings, sums and ceilings. Only the marketplace answers from memory.
type product struct {
	ledger *store.Ledger
	engine *intent.Engine
}

func openProduct(ctx context.Context, _ options, dir string) (contender, error) {
	return openProductOn(ctx, filepath.Join(dir, "ledger.db"), "bench")
}

// openProductOn opens the engine on the ledger of an account.
func openProductOn(ctx context.Context, path, account string) (contender, error) {
	m := market(account)
	ledger, err := store.Open(ctx, store.Options{Path: path, Account: account, NewID: uuid.NewString, Now: time.Now})
	if err != nil {
		return nil, err
	}
	rules := func() policy.Policy { return policy.Default() }
	engine, err := intent.New(intent.Options{
		Ledger: ledger, Operations: []intent.Operation{tools.NewIssueRefund(m, rules)}, Environment: m.Environment,
		Now: time.Now, NewID: uuid.NewString, ProviderTimeout: 5 * time.Second, AnswerWithin: 20 * time.Second,
		PolicyVersion: func() string { return rules().Version },
		Told:          tools.ToldBy(ledger, m),
	})
	if err != nil {
		return nil, errors.Join(err, ledger.Close())
	}
	return &product{ledger, engine}, nil
}

func (p *product) once(ctx context.Context, n int64) error {
	r := p.engine.Do(ctx, "issue_refund", refund(n))
	if r.Outcome != intent.Performed && r.Outcome != intent.AlreadyPerformed {
		return fmt.Errorf("refund %d: %s", n, r.Verdict)
	}
	return nil
}

func (p *product) close() error { return p.ledger.Close() }
