package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/tools"
)

func TestParseFacts(t *testing.T) {
	t.Parallel()
	refund := []string{"ticket=T-4127", "order=SU-88421", "item=SHELF-OAK-4", "units=1", "amount=11800", "currency=USD"}
	tests := []struct {
		name  string
		tool  string
		pairs []string
		want  []intent.Fact
		err   string
	}{
		{"a handoff", "escalate_to_human", []string{"reason=safety", "ticket=T-4127"}, []intent.Fact{{Name: "ticket", Value: "T-4127"}, {Name: "reason", Value: "safety"}}, ""},
		{"missing", "escalate_to_human", []string{"reason=safety"}, nil, "ticket: missing; every fact is needed: ticket, reason"},
		{"unknown", "escalate_to_human", []string{"again_after=esc_1"}, nil, "again_after: no fact of escalate_to_human; its facts are ticket, reason"},
		{"twice", "issue_refund", append([]string{"order=SU-1"}, refund...), nil, "order: given twice"},
		{"empty", "issue_refund", []string{"order="}, nil, "order: its value is empty"},
		{"no pair", "issue_refund", []string{"order"}, nil, `"order": write name=value`},
		{"amount", "issue_refund", append([]string{"amount=118.00"}, append(refund[:4:4], refund[5])...), nil, "amount: must be a whole number of minor units"},
		{"units", "issue_refund", append([]string{"units=1,1"}, append(refund[:3:3], refund[4:]...)...), nil, "units: must be distinct whole numbers from 1, such as 1,2"},
		{"a read", "get_order", []string{"order=SU-1"}, nil, "get_order has no facts: it writes nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tools.ParseFacts(tt.tool, tt.pairs)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if said != tt.err {
				t.Errorf("error %q, want %q", said, tt.err)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}
