package tools_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/tools"
)

// procedures are played by a function.
type procedures func(query string) provider.Read[[]provider.Procedure]

func (p procedures) Search(_ context.Context, query string) provider.Read[[]provider.Procedure] {
	return p(query)
}

func noProcedure(string) provider.Read[[]provider.Procedure] {
	return provider.Read[[]provider.Procedure]{State: provider.Missing}
}

func ranked(n int) []provider.Procedure {
	list := make([]provider.Procedure, n)
	for i := range list {
		list[i] = provider.Procedure{ID: fmt.Sprintf("PR-%d", i+1), Title: fmt.Sprintf("Case %d", i+1), Text: "Read the order. <Then> act."}
	}
	return list
}

func TestSearchProcedures(t *testing.T) {
	t.Parallel()
	type answer = provider.Read[[]provider.Procedure]
	const (
		none = "No procedure matches. Try other words, or hand over to a person."
		down = "The procedures could not be read just now; this call changed nothing. Ask again."
	)
	found := func(verdict string, n int) *tools.ReadResult {
		return &tools.ReadResult{Verdict: verdict, Outcome: tools.OutcomeFound, Procedures: ranked(n), Environment: "sandbox"}
	}
	without := func(verdict string, outcome tools.ReadOutcome) *tools.ReadResult {
		return &tools.ReadResult{Verdict: verdict, Outcome: outcome, Environment: "sandbox"}
	}
	tests := []struct {
		name    string
		answers []answer
		want    *tools.ReadResult
	}{
		{"one", []answer{got(ranked(1))}, found("The best match is PR-1, Case 1. 1 procedure.", 1)},
		{"some", []answer{got(ranked(3))}, found("The best match is PR-1, Case 1. 3 procedures.", 3)},
		{"more than are shown", []answer{got(ranked(6))}, found("The best match is PR-1, Case 1. 5 procedures.", 5)},
		{"at the second try", []answer{{}, got(ranked(1))}, found("The best match is PR-1, Case 1. 1 procedure.", 1)},
		{"missing", []answer{{State: provider.Missing}}, without(none, tools.OutcomeNotFound)},
		{"an empty list", []answer{got(ranked(0))}, without(none, tools.OutcomeNotFound)},
		{"down", []answer{{}, {}, {}}, without(down, tools.OutcomeUnreachable)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, asked := newRig(t), 0
			r.deps.Market.Procedures = procedures(func(query string) answer {
				if query != " lost parcel?" {
					t.Errorf("searched for %q, want the text as given", query)
				}
				asked++
				return tt.answers[asked-1]
			})
			result := read(t, r.call(t, "search_procedures", `{"query":" lost parcel?"}`))
			if diff := cmp.Diff(result, tt.want); diff != "" {
				t.Errorf("answer (-got +want):\n%s", diff)
			}
			if asked != len(tt.answers) {
				t.Errorf("the authority was asked %d times, want %d", asked, len(tt.answers))
			}
		})
	}
}

func TestSearchProceduresTakesAWord(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.deps.Market.Procedures = procedures(func(query string) provider.Read[[]provider.Procedure] {
		t.Errorf("searched for %q", query)
		return provider.Read[[]provider.Procedure]{}
	})
	tests := map[string]string{
		`{}`:                 "Nothing was read: query is required.",
		`{"query":""}`:       "Nothing was read: query must not be empty.",
		`{"query":" \t "}`:   "Nothing was read: query must have a word in it.",
		`{"query":"\"*😡 ("}`: "Nothing was read: query must have a word in it.",
	}
	for raw, want := range tests {
		result := read(t, r.call(t, "search_procedures", raw))
		if result.Outcome != tools.OutcomeInvalid || result.Verdict != want {
			t.Errorf("%s: got %s %q, want %q", raw, result.Outcome, result.Verdict, want)
		}
	}
}

// A marketplace without procedures has no tool that searches them.
func TestNoProcedures(t *testing.T) {
	t.Parallel()
	for _, has := range []bool{true, false} {
		r := newRig(t)
		if !has {
			r.deps.Market.Procedures = nil
		}
		there := false
		for _, tool := range r.catalog(t) {
			if tool.Name == "search_procedures" {
				there = true
				if tool.Class != intent.ClassRead || tool.Title != "Search procedures" {
					t.Errorf("class %s, title %q", tool.Class, tool.Title)
				}
			}
		}
		if there != has {
			t.Errorf("procedures %v, tool %v", has, there)
		}
	}
}
