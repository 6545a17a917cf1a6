package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
	"counterfoil/tools"
)

// judgeRefund judges a refund of 26.00 for the hook of the order, on what the
// ledger shows around it.
func judgeRefund(t *testing.T, p policy.Policy, view intent.View) intent.Judgement {
	t.Helper()
	r := newRig(t)
	r.order = func(string) provider.Read[provider.Order] { return got(order()) }
	r.ticket = func(string) provider.Read[provider.Ticket] { return got(provider.Ticket{TicketID: "T-4127"}) }
	op := tools.NewIssueRefund(r.deps.Market, func() policy.Policy { return p })
	reading, ok := op.Read(t.Context(), intent.Arguments(`{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"HOOK-OAK-2","amount_cents":2600}`)).(intent.Readable)
	if !ok {
		t.Fatal("the order was not read")
	}
	return op.Judge(reading, view)
}

// judged names a judgement.
func judged(j intent.Judgement) string {
	switch j := j.(type) {
	case intent.Allowed:
		return "allowed"
	case intent.NeedsPerson:
		return j.Rule
	case intent.Refusal:
		return string(j.Reason) + " " + string(j.Retry)
	}
	return "no judgement"
}

// A ceiling counts what is open as if it were spent: any of it may be.
func TestMutantOpenCountsTowardsTheCeiling(t *testing.T) {
	t.Parallel()
	ticket := intent.Resource{Kind: "ticket", ID: "T-4127"}
	tests := []struct {
		name  string
		total intent.Total
		want  string
	}{
		{"nothing before", intent.Total{}, "allowed"},
		{"as much as there is room for", intent.Total{Open: 12400, Spent: 12400}, "allowed"},
		{"spent", intent.Total{Spent: 12401}, "the ceiling for one ticket is 150.00 USD, and 124.01 USD of it is spent or open"},
		{"open", intent.Total{Open: 12401, Spent: 12401}, "the ceiling for one ticket is 150.00 USD, and 124.01 USD of it is spent or open"},
		{"both", intent.Total{Open: 1, Spent: 12401}, "the ceiling for one ticket is 150.00 USD, and 124.01 USD of it is spent or open"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := judged(judgeRefund(t, policy.Default(), intent.View{Totals: map[intent.Resource]intent.Total{ticket: tt.total}}))
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// What the order does not show yet is held against what was paid for it, in
// whatever state it is, as long as it may be there.
func TestMutantHiddenRefunds(t *testing.T) {
	t.Parallel()
	wide := policy.Policy{Ceilings: map[string]policy.Ceiling{"USD": {PerRefundCents: 50000, PerTicketCents: 50000}}}
	watched := at(t, "2000-01-01T00:01:00Z")
	const wait, never = "blocked_by_open wait_and_retry", "blocked_by_open never"
	tests := []struct {
		name string
		row  intent.Row
		want string
	}{
		{"in flight", intent.Row{State: intent.StateInFlight}, wait},
		{"approved", intent.Row{State: intent.StateReady}, wait},
		{"waits for approval", intent.Row{State: intent.StateAwaiting}, never},
		{"unknown", intent.Row{State: intent.StateUnknown}, never},
		{"may still land", intent.Row{State: intent.StateNotPerformed, WatchUntil: watched}, wait},
		{"did not happen", intent.Row{State: intent.StateNotPerformed}, "allowed"},
		{"pending", intent.Row{State: intent.StatePerformed, EffectID: "re_1"}, wait},
		{"performed", intent.Row{State: intent.StatePerformed, EffectID: "re_1", Final: true}, wait},
		{"performed, as a person says", intent.Row{State: intent.StatePerformed, EffectID: "re_1", Final: true, Evidence: intent.EvidencePerson}, never},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			row := tt.row
			row.Tool, row.Scope, row.Cents, row.Currency = "issue_refund", intent.Scope("remedy", "SU-88421", "SHELF-OAK-4"), 11801, "USD"
			got := judged(judgeRefund(t, wide, intent.View{Around: []intent.Row{row}}))
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}
