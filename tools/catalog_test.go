package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/tools"
)

func TestCatalog(t *testing.T) {
	t.Parallel()
	var names []string
	for _, tool := range newRig(t).catalog(t) {
		names = append(names, tool.Name)
		rule := tool.Class.RetryRule()
		if !strings.HasSuffix(strings.ToLower(tool.Description), strings.ToLower(rule)+".") {
			t.Errorf("%s: the description does not end with %q: %s", tool.Name, rule, tool.Description)
		}
		if tool.Title == "" || len(tool.Input) == 0 || len(tool.Output) == 0 || tool.Fault == nil {
			t.Errorf("%s is not complete: %+v", tool.Name, tool)
		}
	}
	want := []string{
		"book_pickup", "cancel_pickup", "escalate_to_human", "get_order", "get_ticket", "issue_refund",
		"list_effects", "message_seller", "reply_to_buyer", "search_procedures", "send_replacement",
	}
	if diff := cmp.Diff(names, want); diff != "" {
		t.Errorf("tools (-got +want):\n%s", diff)
	}
}

func TestCatalogRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		operations []intent.Operation
		want       string
	}{
		{
			"no class",
			[]intent.Operation{operation{name: "issue_refund"}},
			`tool issue_refund: class "": declare one of irreversible, reversible, handoff, read`,
		},
		{
			"no words",
			[]intent.Operation{operation{name: "erase_order", class: intent.ClassIrreversible}},
			"tool erase_order: nothing says what it is",
		},
		{
			"twice",
			[]intent.Operation{
				operation{name: "issue_refund", class: intent.ClassIrreversible},
				operation{name: "issue_refund", class: intent.ClassIrreversible},
			},
			"tool issue_refund: registered twice",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			deps := newRig(t).deps
			deps.Operations = tt.operations
			_, err := tools.Catalog(deps)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.do = func(tool string, _ intent.Arguments) intent.Result {
		t.Errorf("%s reached the engine", tool)
		return intent.Result{}
	}

	got := r.call(t, "issue_refund", `{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4","amount_cents":118.5}`)
	want := &intent.Result{
		Verdict:     "Nothing was sent: amount_cents must be a whole number of cents, written with digits only, such as 11800.",
		Outcome:     intent.NotPerformed,
		Retry:       intent.RetryFix,
		Reason:      intent.ReasonInvalidArguments,
		Note:        "Correct the arguments and call again.",
		Environment: "sandbox",
	}
	if diff := cmp.Diff(got, tools.Answer(want)); diff != "" {
		t.Errorf("write (-got +want):\n%s", diff)
	}
	if !got.IsError() {
		t.Error("write: isError is false, although nothing happened")
	}

	got = r.call(t, "get_order", `{}`)
	wantRead := &tools.ReadResult{
		Verdict: "Nothing was read: order_id is required.", Outcome: tools.OutcomeInvalid, Environment: "sandbox",
	}
	if diff := cmp.Diff(got, tools.Answer(wantRead)); diff != "" {
		t.Errorf("read (-got +want):\n%s", diff)
	}
	if !got.IsError() {
		t.Error("read: isError is false")
	}
}

// TestWriteReachesEngine: the engine gets the canonical arguments, and its
// result is the answer as it is.
func TestWriteReachesEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	result := intent.Result{Verdict: "A person has been told.", Outcome: intent.Performed, DoNotRetry: true, Retry: intent.RetryNotNeeded}
	r.do = func(tool string, args intent.Arguments) intent.Result {
		const want = `{"reason":"safety","summary":"It burns.","ticket_id":"T-4127"}`
		if tool != "escalate_to_human" || string(args) != want {
			t.Errorf("engine got %s %s, want escalate_to_human %s", tool, args, want)
		}
		return result
	}
	got := r.call(t, "escalate_to_human", `{"ticket_id":" T-4127","summary":"It burns.","reason":"safety"}`)
	if diff := cmp.Diff(got, tools.Answer(&result)); diff != "" {
		t.Errorf("answer (-got +want):\n%s", diff)
	}
}

// TestFaults: what a tool says after a panic satisfies its schema, speaks of
// this call only, and never says that an effect does not exist.
func TestFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tool := range r.catalog(t) {
		r.check(t, tool, tool.Fault)
		body := encoded(t, tool.Fault)
		if !strings.Contains(strings.ToLower(body), "this call") || !tool.Fault.IsError() {
			t.Errorf("%s: %s", tool.Name, body)
		}
	}
}
