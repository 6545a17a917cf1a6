// Package tools is what a model may call: the catalog, one file a tool. A tool
// takes the bytes of its arguments as they came, and answers with a result in
// every case. mcp.go is the only file that knows the MCP library.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/schemas"
)

// Tool is one tool as a model and a command line see it.
type Tool struct {
	Name        string
	Title       string
	Description string // ends with the class and its retry rule
	Class       intent.Class
	Input       json.RawMessage // JSON Schema of the arguments
	Output      json.RawMessage // JSON Schema of the answer, in brief
	// Call takes the arguments as they came; none are an empty object.
	Call func(ctx context.Context, raw []byte) Answer
	// Fault is the answer where Call met a fault of ours before anything was
	// claimed; what comes later is the engine's to contain.
	Fault Answer
}

// Answer is what a tool answers: *intent.Result of a tool that writes,
// *ReadResult of one that reads. In JSON its first member is the verdict.
type Answer interface {
	// IsError is MCP's isError: it is proved that nothing happened, or nothing
	// was found.
	IsError() bool
}

// Encode writes an answer as a client gets it.
func Encode(a Answer) ([]byte, error) { return plainJSON(a) }

// Engine is what tools need of the engine.
type Engine interface {
	// Do performs one call of a write tool, whose arguments are validated.
	Do(ctx context.Context, tool string, args intent.Arguments) intent.Result
	// RepeatRead calls try until it is done, with backoff, inside the budget.
	RepeatRead(ctx context.Context, try func(context.Context) (done bool))
}

// Deps are what the tools work with.
type Deps struct {
	Schemas    *schemas.Set
	Market     provider.Marketplace
	Engine     Engine
	Operations []intent.Operation // the write tools, as the engine has them
	// Effects answers list_effects.
	Effects func(ctx context.Context, args ListEffects) ReadResult
}

// Catalog is all tools, by name. It refuses a tool that has no valid class, no
// schema or no words, and one that is there twice.
func Catalog(d Deps) ([]Tool, error) {
	tools := []Tool{getOrder(d), getTicket(d), listEffects(d)}
	if d.Market.Procedures != nil {
		tools = append(tools, searchProcedures(d))
	}
	for _, op := range d.Operations {
		words, ok := writes[op.Tool()]
		if !ok {
			return nil, fmt.Errorf("tool %s: nothing says what it is", op.Tool())
		}
		tools = append(tools, words.tool(d, op))
	}
	for i := range tools {
		if err := tools[i].complete(d.Schemas); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i := range tools[1:] {
		if tools[i].Name == tools[i+1].Name {
			return nil, fmt.Errorf("tool %s: registered twice", tools[i].Name)
		}
	}
	return tools, nil
}

// complete adds what follows from the class and the name.
func (t *Tool) complete(set *schemas.Set) error {
	if err := t.Class.Valid(); err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	input := set.Input(t.Name)
	if input == nil {
		return fmt.Errorf("tool %s: it has no schema", t.Name)
	}
	result := set.WriteResult()
	if t.Class == intent.ClassRead {
		result = set.ReadResult()
	}
	brief, err := result.Brief()
	if err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	t.Input, t.Output = input.Raw(), brief
	rule := t.Class.RetryRule()
	t.Description += " " + strings.ToUpper(rule[:1]) + rule[1:] + "."
	return nil
}

// listEffects is the tool; what it finds is read elsewhere.
func listEffects(d Deps) Tool {
	return readTool(d, "list_effects", "List effects",
		"Lists what was done or tried: on a ticket, or under one intent key. Give exactly one.",
		func(ctx context.Context, args ListEffects) ReadResult { return d.Effects(ctx, args) })
}
