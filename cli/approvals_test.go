package cli_test

import (
	"strings"
	"testing"
)

// sofa is a refund over the ceiling.
var sofa = []string{"call", "issue_refund", "ticket_id=T-4188", "order_id=SU-88510", "item_id=SOFA-LINEN-3", "amount_cents=42000", "--json"}

type approvals struct {
	Approvals []struct {
		IntentKey string `json:"intent_key"`
		Tool      string `json:"tool"`
		TicketID  string `json:"ticket_id"`
		Scope     string `json:"scope"`
		Cents     int64  `json:"cents"`
		Currency  string `json:"currency"`
		Figures   string `json:"figures"`
		CreatedAt string `json:"created_at"`
		UpdatedAt string `json:"updated_at"`
	} `json:"approvals"`
}

func (r *rig) waiting() []string {
	r.t.Helper()
	var keys []string
	for _, a := range decoded[approvals](r.t, r.must(0, "approvals", "list", "--json").out).Approvals {
		if a.Figures == "" || a.Cents != 42000 {
			r.t.Errorf("waits without figures: %+v", a)
		}
		keys = append(keys, a.IntentKey)
	}
	return keys
}

func TestApprove(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.must(0, "approvals", "list").out; got != "Nothing waits for approval.\n" {
		t.Errorf("printed %q", got)
	}
	if got := fields(t, r.must(1, sofa...).out); got["reason"] != "approval_required" {
		t.Fatalf("got %v", got)
	}
	keys := r.waiting()
	if len(keys) != 1 {
		t.Fatalf("%d wait, want 1", len(keys))
	}
	if got := fields(t, r.must(0, "approvals", "approve", keys[0], "--as", "anna", "--json").out); got["outcome"] != "performed" {
		t.Errorf("approving answered %v", got)
	}
	if got := r.must(1, "approvals", "approve", keys[0]); !strings.Contains(got.err, "approve does not apply: the intent is performed") {
		t.Errorf("said %q", got.err)
	}
	if got := r.waiting(); len(got) != 0 {
		t.Errorf("%v still wait", got)
	}
	if got := r.refundsMade(); got != 1 {
		t.Errorf("%d refunds, want 1", got)
	}
}

func TestDeclineAndReopen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(1, sofa...)
	key := r.waiting()[0]
	r.must(1, "reopen", key)
	r.must(0, "approvals", "decline", key, "--note", "not cracked")
	if got := fields(t, r.must(1, sofa...).out); got["reason"] != "declined" || got["retry"] != "never" {
		t.Errorf("declined, it reads %v", got)
	}
	if got := r.must(0, "reopen", key).out; !strings.Contains(got, "may be asked for again") || strings.Contains(got, "declined") {
		t.Errorf("printed %q", got)
	}
	if got := fields(t, r.must(1, sofa...).out); got["reason"] != "approval_required" {
		t.Errorf("re-opened, it reads %v", got)
	}
	if got := r.must(0, "approvals", "approve", key); !strings.Contains(got.out, "Done, once") {
		t.Errorf("printed %q", got.out)
	}
}

// A leave to repeat says what it is worth: one repeat, and not one each time.
func TestAllowRepeat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lamp := []string{"call", "issue_refund", "ticket_id=T-4188", "order_id=SU-88510", "item_id=LAMP-BRASS-1", "amount_cents=1000", "--json"}
	first := fields(t, r.must(0, lamp...).out)
	key, id := first["intent_key"].(string), first["refund_id"].(string)
	allows := func(says string) {
		t.Helper()
		if got := r.must(0, "allow-repeat", key).out; !strings.Contains(got, says) {
			t.Errorf("printed %q, want %q", got, says)
		}
	}
	if got := r.must(1, "reopen", key).err; strings.Count(got, "\n") != 1 || !strings.Contains(got, "counterfoil allow-repeat "+key) {
		t.Errorf("re-opening what was done says %q", got)
	}
	allows("One repeat of " + id + " is allowed, and only one: the same call with again_after " + id)
	allows("It was allowed already, and no use of it is known: one repeat of " + id)
	second := fields(t, r.must(0, append(lamp, "again_after="+id, "expected_refunded_cents=1000")...).out)
	allows("the one repeat of " + id + " has been asked for already: " + second["intent_key"].(string) + " is performed, " + second["refund_id"].(string))

	r.must(0, "ledger", "erase", "--ticket", "T-4188")
	allows("It was allowed already, and no use of it is known")

	pickup := fields(t, r.must(0, "call", "book_pickup", "ticket_id=T-4188", "order_id=SU-88510", "date=2031-03-20", "--json").out)
	key = pickup["intent_key"].(string)
	allows("is the provider's to show")
	if got := r.must(1, "reopen", key).err; strings.Contains(got, "allow-repeat") {
		t.Errorf("re-opening a booking says %q", got)
	}
}

func TestPersonMisused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, args := range [][]string{
		{"approvals"},
		{"approvals", "approve"},
		{"approvals", "approve", "cf1_a"},
		{"release"},
		{"release", "a", "b"},
		{"reopen", "key"},
		{"resolve", "cf1_" + strings.Repeat("a", 52)},
		{"nothing"},
		{"version", "more"},
	} {
		if got := r.must(2, args...); strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("%v printed %q and said %q, want one line on stderr", args, got.out, got.err)
		}
	}
	none := "cf1_" + strings.Repeat("a", 52)
	for _, args := range [][]string{{"release", none}, {"reopen", none}, {"allow-repeat", none}, {"approvals", "decline", none}} {
		r.must(1, args...)
	}
}
