package cli_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type erasure struct {
	TicketID  string   `json:"ticket_id"`
	Acts      int      `json:"acts"`
	Texts     int      `json:"texts"`
	Notes     int      `json:"notes"`
	Summaries int      `json:"summaries"`
	Remains   []string `json:"remains"`
}

func TestLedgerErase(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	message := []string{"call", "message_seller", "ticket_id=T-4127", "seller_id=S-ASHCOMBE", "text=Marguerite's unit is cracked.", "--json"}
	handoff := []string{"call", "escalate_to_human", "ticket_id=T-4127", "reason=other", "summary=Marguerite is upset.", "--json"}
	r.must(0, refund("reason=Marguerite sent a photograph")...)
	r.must(0, message...)
	r.must(0, handoff...)
	before := r.list()
	first := decoded[erasure](t, r.must(0, "ledger", "erase", "--ticket", "#t-4127", "--as", "ines", "--note", "asked by letter", "--json").out)
	if diff := cmp.Diff(erasure{TicketID: "#t-4127", Acts: 3, Texts: 3, Summaries: 1, Remains: []string{}}, first); diff != "" {
		t.Errorf("erased (-want +got):\n%s", diff)
	}
	if got := r.must(0, "ledger", "erase", "--ticket", "T-4127").out; !strings.Contains(got, "nothing was left to erase in 3 acts") {
		t.Errorf("once more: %q", got)
	}
	if diff := cmp.Diff(before, r.list()); diff != "" {
		t.Errorf("the list has changed:\n%s", diff)
	}
	for _, repeat := range [][]string{refund("reason=Marguerite sent a photograph", "--json"), message, handoff} {
		if got := fields(t, r.must(0, repeat...).out); got["outcome"] != "already_performed" || got["verdict"] == "" {
			t.Errorf("repeated after it: %v", got)
		}
	}
	for _, act := range before {
		shown := r.must(0, "ledger", "show", act.IntentKey).out
		if strings.Contains(shown, "Marguerite") || !strings.Contains(shown, "by ines (asked by letter)") {
			t.Errorf("shown: %s", shown)
		}
	}
	if got := r.refundsMade(); got != 1 {
		t.Errorf("%d refunds, want 1", got)
	}
}

func TestLedgerEraseRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(2, "ledger", "erase")
	r.must(2, "ledger", "erase", "--ticket", " ")
	r.must(2, "ledger", "erase", "T-4188")
	if got := r.must(1, "ledger", "erase", "--ticket", "T-4188"); !strings.Contains(got.err, "nothing of ticket T-4188") {
		t.Errorf("said %q", got.err)
	}
	r.must(1, sofa...)
	got := r.must(1, "ledger", "erase", "--ticket", "T-4188")
	if !strings.Contains(got.err, "cannot be erased yet: issue_refund cf1_") || strings.Count(got.err, "\n") != 1 {
		t.Errorf("said %q", got.err)
	}
	r.must(0, "approvals", "decline", r.waiting()[0], "--note", "Marguerite was there")
	if got := decoded[erasure](t, r.must(0, "ledger", "erase", "--ticket", "T-4188", "--json").out); got.Notes != 1 || got.Summaries != 1 {
		t.Errorf("erased %+v", got)
	}
	if got := fields(t, r.must(1, sofa...).out); got["reason"] != "declined" {
		t.Errorf("repeated after it: %v", got)
	}
}
