package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/policy"
)

func TestRefund(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		cents    int64
		currency string
		spent    int64
		want     string
	}{
		{"under both", 11800, "USD", 0, ""},
		{"at the ceiling", 15000, "USD", 0, ""},
		{"a cent over", 15001, "USD", 0, "the ceiling for one refund is 150.00 USD"},
		{"the ticket is full", 3201, "USD", 11800, "the ceiling for one ticket is 150.00 USD, and 118.00 USD of it is spent or open"},
		{"the ticket is just full", 3200, "USD", 11800, ""},
		{"another currency", 1, "KWD", 0, "there is no ceiling for KWD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := policy.Default().Refund(tt.cents, tt.currency, tt.spent)
			if got != tt.want {
				t.Errorf("Refund(%d, %s, %d) = %q, want %q", tt.cents, tt.currency, tt.spent, got, tt.want)
			}
		})
	}
}

func TestStricter(t *testing.T) {
	t.Parallel()
	low := policy.Policy{Version: "low", Ceilings: map[string]policy.Ceiling{"USD": {100, 50000}, "EUR": {1, 1}}}
	want := policy.Policy{Version: "low+default", Ceilings: map[string]policy.Ceiling{"USD": {100, 15000}}}
	if diff := cmp.Diff(want, policy.Stricter(low, policy.Default())); diff != "" {
		t.Errorf("of two (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(low, policy.Stricter(low, low)); diff != "" {
		t.Errorf("of one with itself (-want +got):\n%s", diff)
	}
}
