package tools_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/provider"
	"counterfoil/tools"
)

// TestReadResultFields: the schema has the members of a read's result, all of
// them and no others, and a full one satisfies it.
func TestReadResultFields(t *testing.T) {
	t.Parallel()
	cents, subject := int64(0), ""
	const when = "2026-03-17T14:32:07.000Z"
	full := &tools.ReadResult{
		Verdict: "Found.", Outcome: tools.OutcomeFound,
		OrderID: "SU-88421", TicketIDs: []string{"T-4127"}, TicketID: "T-4127", BuyerID: "B-2203", Currency: "USD",
		PaidCents: &cents, RefundedCents: &cents,
		Items:    []provider.Item{{ItemID: "SHELF-OAK-4"}},
		Refunds:  []tools.Refunded{{ID: "R-1", ItemID: "SHELF-OAK-4", Cents: 1, Status: "pending", At: when}},
		Sellers:  []provider.Seller{{ID: "S-ASHCOMBE", BalanceCents: -4700}},
		OrderIDs: []string{"SU-88421"}, Subject: &subject, Status: "open",
		Messages: []tools.Message{{ID: "M-1", At: when}},
		Effects: []tools.Effect{{
			IntentKey: (intent.Key{}).String(), Tool: "issue_refund", Outcome: intent.Unknown, Reason: intent.ReasonLookupDown,
			Status: "pending", EffectID: "R-1", Cents: 1, Currency: "USD", At: when, Attempts: 1, RepeatGets: "unknown",
		}},
		Procedures: []provider.Procedure{{ID: "P-1"}}, Environment: "test",
	}
	body, err := tools.Encode(full)
	if err != nil {
		t.Fatal(err)
	}
	schema := newRig(t).schemas.ReadResult()
	if v := schema.Check(body); v != nil {
		t.Errorf("a full result breaks the schema: %s\n%s", v.Sentence(), body)
	}
	if !strings.HasPrefix(string(body), `{"verdict":"Found.","outcome":"found",`) {
		t.Errorf("verdict and outcome do not come first: %s", body)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(members)), slices.Sorted(slices.Values(schema.Names()))); diff != "" {
		t.Errorf("members (-result +schema):\n%s", diff)
	}
}
