// Package access decides who may call over HTTP, and tools of which classes
// they may use. It knows tokens and HTTP, and nothing of MCP: which tools there
// are is its caller's to know.
package access

import (
	"context"
	"slices"

	"counterfoil/intent"
)

// Principal is who calls. The zero value may use nothing.
type Principal struct {
	Name    string         // as the ledger and the log show it
	Classes []intent.Class // of the tools that they may use
}

// May tells whether p may use tools of a class. What is no class counts as
// irreversible.
func (p Principal) May(c intent.Class) bool {
	if c.Valid() != nil {
		c = intent.ClassIrreversible
	}
	return slices.Contains(p.Classes, c)
}

type callerKey struct{}

// WithCaller makes p the one who calls under ctx. The ledger writes their name
// beside every attempt.
func WithCaller(ctx context.Context, p Principal) context.Context {
	return context.WithValue(intent.WithPrincipal(ctx, p.Name), callerKey{}, p)
}

// Caller is who calls under ctx; named is false where nobody showed a token.
func Caller(ctx context.Context) (p Principal, named bool) {
	p, named = ctx.Value(callerKey{}).(Principal)
	return p, named
}
