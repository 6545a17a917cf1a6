package cli_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The key of a call, the key of its facts and the key in the ledger are one.
func TestKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	call := r.must(0, "key", "issue_refund", "ticket_id=t-4127", "order_id=#su-88421", "item_id=shelf-oak-4", "amount_cents=11800").out
	key, facts, _ := strings.Cut(strings.TrimSuffix(call, "\n"), "\n")
	if !regexp.MustCompile(`^cf1_[a-z2-7]{52}$`).MatchString(key) {
		t.Errorf("the key is %q", key)
	}
	want := []string{"ticket=T-4127", "order=SU-88421", "item=SHELF-OAK-4", "units=1", "amount=11800", "currency=USD"}
	if diff := cmp.Diff(strings.Split(facts, "\n"), want); diff != "" {
		t.Fatalf("the facts, got (-), want (+):\n%s", diff)
	}
	if got := r.must(0, append([]string{"key", "issue_refund", "--facts"}, want...)...).out; got != call {
		t.Errorf("of the facts: %s, of the call: %s", got, call)
	}
	r.must(0, refund()...)
	if got := r.list(); len(got) != 1 || got[0].IntentKey != key {
		t.Errorf("the ledger has %v, want %s", got, key)
	}
	again := r.must(0, append([]string{"key", "issue_refund", "--facts", "again_after=re_1"}, want...)...).out
	if strings.HasPrefix(again, key) || !strings.HasSuffix(again, "\nagain_after=re_1\n") {
		t.Errorf("a deliberate repeat has %s", again)
	}
}

func TestKeyOfHandoff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	want := r.must(0, "key", "escalate_to_human", "ticket_id=T-4127", "reason=safety", "summary=glass").out
	if got := r.must(0, "key", "escalate_to_human", "--facts", "reason=safety", "ticket=T-4127").out; got != want {
		t.Errorf("of the facts: %s, of the call: %s", got, want)
	}
}

func TestKeyRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a tool that reads", []string{"get_order", "order_id=SU-88421"}, 2, "no tool that writes"},
		{"no such tool", []string{"pay"}, 2, "no tool that writes"},
		{"a fact is missing", []string{"escalate_to_human", "--facts", "ticket=T-4127"}, 2, "reason: missing"},
		{"a fact is unknown", []string{"escalate_to_human", "--facts", "ticket=T-4127", "reason=other", "order=SU-88421"}, 2, "order: no fact of escalate_to_human"},
		{"an argument is bad", []string{"issue_refund", "ticket_id=T-4127"}, 1, "order_id"},
		{"there is no such order", []string{"issue_refund", "ticket_id=T-4127", "order_id=SU-0", "item_id=X", "amount_cents=1"}, 1, "no order"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := r.must(tt.code, append([]string{"key"}, tt.args...)...)
			if !strings.Contains(got.out+got.err, tt.says) {
				t.Errorf("got %q and %q, want %q", got.out, got.err, tt.says)
			}
		})
	}
}
