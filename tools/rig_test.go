package tools_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/schemas"
	"counterfoil/tools"
)

// rig is a catalog with everything outside it played: the authority, the
// engine and the ledger.
type rig struct {
	schemas *schemas.Set
	deps    tools.Deps

	order  func(id string) provider.Read[provider.Order]
	ticket func(id string) provider.Read[provider.Ticket]
	do     func(tool string, args intent.Arguments) intent.Result
	reads  atomic.Int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{schemas: set}
	market := provider.Marketplace{Environment: "sandbox", Orders: orders{r}, Tickets: tickets{r}, Procedures: procedures(noProcedure)}
	r.deps = tools.Deps{
		Schemas:    set,
		Market:     market,
		Engine:     engine{r},
		Operations: tools.Operations(market, nil),
		Effects: func(context.Context, tools.ListEffects) tools.ReadResult {
			return tools.ReadResult{Verdict: "Nothing was done or tried here.", Outcome: tools.OutcomeFound, Effects: []tools.Effect{}}
		},
	}
	return r
}

func (r *rig) catalog(t *testing.T) []tools.Tool {
	t.Helper()
	catalog, err := tools.Catalog(r.deps)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func (r *rig) tool(t *testing.T, name string) tools.Tool {
	t.Helper()
	for _, tool := range r.catalog(t) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s in the catalog", name)
	return tools.Tool{}
}

// call calls a tool and holds its answer to the schema that the tool
// publishes.
func (r *rig) call(t *testing.T, name, raw string) tools.Answer {
	t.Helper()
	tool := r.tool(t, name)
	answer := tool.Call(t.Context(), []byte(raw))
	r.check(t, tool, answer)
	return answer
}

func (r *rig) check(t *testing.T, tool tools.Tool, answer tools.Answer) {
	t.Helper()
	body, err := tools.Encode(answer)
	if err != nil {
		t.Fatal(err)
	}
	schema := r.schemas.WriteResult()
	if tool.Class == intent.ClassRead {
		schema = r.schemas.ReadResult()
	}
	if v := schema.Check(body); v != nil {
		t.Errorf("%s: the answer breaks its schema: %s\n%s", tool.Name, v.Sentence(), body)
	}
}

func read(t *testing.T, answer tools.Answer) *tools.ReadResult {
	t.Helper()
	result, ok := answer.(*tools.ReadResult)
	if !ok {
		t.Fatalf("the answer is a %T, want a read's", answer)
	}
	return result
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type orders struct{ *rig }

func (o orders) Order(_ context.Context, id string) provider.Read[provider.Order] {
	o.reads.Add(1)
	return o.order(id)
}
func (orders) Spelling(id string) string { return id }

type tickets struct{ *rig }

func (k tickets) Ticket(_ context.Context, id string) provider.Read[provider.Ticket] {
	k.reads.Add(1)
	return k.ticket(id)
}
func (tickets) Spelling(id string) string { return id }

type engine struct{ *rig }

func (e engine) Do(_ context.Context, tool string, args intent.Arguments) intent.Result {
	return e.do(tool, args)
}

// RepeatRead tries three times at most.
func (engine) RepeatRead(ctx context.Context, try func(context.Context) bool) {
	for range 3 {
		if try(ctx) {
			return
		}
	}
}

// operation is a write tool as far as a catalog looks at it.
type operation struct {
	intent.Operation

	name  string
	class intent.Class
}

func (o operation) Tool() string        { return o.name }
func (o operation) Class() intent.Class { return o.class }

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}
