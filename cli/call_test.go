package cli_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tests := []struct {
		name string
		args []string
		code int
		out  string // a part of what is printed
		err  string
	}{
		{"a refund", refund(), 0, "Done, once: the refund of 118.00 USD", ""},
		{"the same again", refund(), 0, "Already done earlier", ""},
		{"spelled otherwise", []string{"call", "issue_refund", "--args", `{"ticket_id":" t-4127","order_id":"#su-88421","item_id":"shelf-oak-4","amount_cents":11800}`}, 0, "Already done earlier", ""},
		{"what to tell", refund(), 0, "\nTell the customer: Your refund of 118.00 USD has been made.\n", ""},
		{"over a limit", []string{"call", "issue_refund", "ticket_id=T-4188", "order_id=SU-88510", "item_id=SOFA-LINEN-3", "amount_cents=42000"}, 1, "a person has to allow", ""},
		{"a bad amount", refund("units=x"), 1, "Nothing was sent: units", ""},
		{"bad JSON", []string{"call", "issue_refund", "--args", "{"}, 1, "Nothing was sent", ""},
		{"an order", []string{"call", "get_order", "order_id=SU-88421"}, 0, "Order SU-88421: 144.00 USD paid, 118.00 refunded", ""},
		{"no such order", []string{"call", "get_order", "order_id=SU-0"}, 1, "No order has this id", ""},
		{"what was done", []string{"call", "list_effects", "ticket_id=T-4127", "--json"}, 0, `"repeat_gets":"already_performed"`, ""},
		{"a handoff", []string{"call", "escalate_to_human", "ticket_id=T-4127", "reason=safety", "summary=glass"}, 0, "handoff", ""},
		{"no tool", []string{"call"}, 2, "", "call: name a tool"},
		{"another tool", []string{"call", "issue_refunds"}, 2, "", `there is no tool "issue_refunds"`},
		{"a result's schema is no tool", []string{"call", "write_result"}, 2, "", "there is no tool"},
		{"no pair", []string{"call", "get_order", "SU-88421"}, 2, "", "write key=value"},
		{"an unknown key", []string{"call", "get_order", "order=SU-88421"}, 2, "", "unknown"},
		{"both", []string{"call", "get_order", "order_id=SU-88421", "--args", "{}"}, 2, "", "not both"},
		{"an unknown flag", []string{"call", "get_order", "--jsonn"}, 2, "", "unknown flag: --jsonn"},
	}
	for _, tt := range tests { // in this order, on one machine
		t.Run(tt.name, func(t *testing.T) {
			got := r.run(tt.args...)
			if got.code != tt.code || !strings.Contains(got.out, tt.out) || !strings.Contains(got.err, tt.err) {
				t.Errorf("exit %d, want %d\nprinted %q, want %q\nsaid %q, want %q", got.code, tt.code, got.out, tt.out, got.err, tt.err)
			}
			if tt.code == 2 && (got.out != "" || strings.Count(got.err, "\n") != 1 || !strings.HasPrefix(got.err, "counterfoil: ")) {
				t.Errorf("misuse printed %q and said %q, want one line on stderr", got.out, got.err)
			}
		})
	}
	if got := r.refundsMade(); got != 1 {
		t.Errorf("%d refunds, want 1", got)
	}
}

func TestCallLostAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, "sandbox", "fault", "refunds.create", "accept_then_timeout", "--times", "1")
	first := fields(t, r.must(0, append(refund("--json"), quick...)...).out)
	if first["outcome"] != "performed" || first["evidence"] != "provider_lookup" || first["environment"] != "sandbox" {
		t.Errorf("got %v", first)
	}
	second := fields(t, r.must(0, refund("--json")...).out)
	if second["outcome"] != "already_performed" || second["refund_id"] != first["refund_id"] {
		t.Errorf("got %v, want %v", second, first["refund_id"])
	}
	if got := r.refundsMade(); got != 1 {
		t.Errorf("%d refunds, want 1", got)
	}
}

func TestCallUnknown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, "sandbox", "fault", "refunds.create", "accept_then_drop", "--times", "1")
	r.must(0, "sandbox", "fault", "refunds.list", "slow", "--times", "1", "--delay", "1ms") // the one before the claim
	r.must(0, "sandbox", "fault", "refunds.list", "down")
	result := fields(t, r.must(3, append(refund("--json"), quick...)...).out)
	if result["outcome"] != "unknown" || result["reason"] != "lookup_unavailable" || result["retry"] != "never" {
		t.Fatalf("got %v", result)
	}
	key, _ := result["intent_key"].(string)
	shown := fields(t, r.must(0, "ledger", "show", key, "--json").out)
	if attempts, _ := shown["attempts"].([]any); shown["state"] != "unknown" || len(attempts) != 1 {
		t.Errorf("the ledger shows %v", shown)
	}
	if escalations, _ := shown["escalations"].([]any); len(escalations) != 1 {
		t.Errorf("the ledger shows %v, want one escalation", shown["escalations"])
	}
	if got := r.must(1, "resolve", "cf1_"+strings.Repeat("a", 52), "--not-performed"); got.err != "counterfoil: the ledger has no intent of this key\n" {
		t.Errorf("said %q of another key", got.err)
	}
	for _, misuse := range [][]string{{}, {"--performed"}, {"--performed", "--not-performed"}, {"--not-performed", "--ref", "re_1"}} {
		r.must(2, append([]string{"resolve", key}, misuse...)...)
	}
	row := fields(t, r.must(0, "resolve", key, "--performed", "--ref", "re_1", "--as", "anna", "--note", "in the books", "--json").out)
	if row["state"] != "performed" || row["effect_id"] != "re_1" {
		t.Errorf("resolved: %v", row)
	}
	shown = fields(t, r.must(0, "ledger", "show", key, "--json").out)
	decisions, _ := shown["decisions"].([]any)
	if len(decisions) != 1 || decisions[0].(map[string]any)["who"] != "anna" {
		t.Errorf("decisions: %v", decisions)
	}
	if got := r.must(1, "release", key); !strings.Contains(got.err, "release does not apply: the intent is performed") {
		t.Errorf("said %q", got.err)
	}
}

// A signal in the middle of a send: nothing more is claimed, and what was is
// left to the next process within four seconds.
func TestCallSignal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, "sandbox", "fault", "refunds.create", "accept_then_timeout")
	r.sig = make(chan os.Signal, 1)
	began := time.Now()
	go func() {
		for other := (&rig{t: t, dir: r.dir, env: r.env}); other.refundsMade() == 0; {
		}
		began = time.Now()
		r.sig <- syscall.SIGTERM
	}()
	got := r.must(3, refund("--json")...)
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("left %v after the signal", took)
	}
	if fields(t, got.out)["reason"] != "in_flight" {
		t.Errorf("answered %s", got.out)
	}
	r.sig = nil
	r.must(0, "sandbox", "reset", "--faults")
	if again := fields(t, r.must(0, refund("--json")...).out); again["outcome"] != "already_performed" {
		t.Errorf("the next process answered %v", again)
	}
}
