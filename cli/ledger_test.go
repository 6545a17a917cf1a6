package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// entry is what ledger list promises of an intent.
type entry struct {
	IntentKey string `json:"intent_key"`
	Tool      string `json:"tool"`
	TicketID  string `json:"ticket_id"`
	Scope     string `json:"scope"`
	State     string `json:"state"`
	Attempts  int    `json:"attempts"`
	EffectID  string `json:"effect_id"`
	Cents     int64  `json:"cents"`
	Currency  string `json:"currency"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

type entries struct {
	Intents []entry `json:"intents"`
}

func (r *rig) list(args ...string) []entry {
	r.t.Helper()
	return decoded[entries](r.t, r.must(0, append([]string{"ledger", "list", "--json"}, args...)...).out).Intents
}

func TestLedger(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.must(0, "ledger", "list", "--json").out; got != `{"intents":[]}`+"\n" {
		t.Errorf("before anything the list is %s", got)
	}
	r.must(0, refund()...)
	got := r.list()
	want := []entry{{
		Tool: "issue_refund", TicketID: "T-4127", Scope: "remedy:SU-88421/SHELF-OAK-4", State: "performed",
		Attempts: 1, Cents: 11800, Currency: "USD",
	}}
	if diff := cmp.Diff(got, want, cmpopts.IgnoreFields(entry{}, "IntentKey", "EffectID", "CreatedAt", "UpdatedAt")); diff != "" {
		t.Fatalf("got (-), want (+):\n%s", diff)
	}
	key := got[0].IntentKey
	shown := fields(t, r.must(0, "ledger", "show", key, "--json").out)
	if shown["intent_key"] != key || shown["evidence"] != "provider_response" {
		t.Errorf("shown: %v", shown)
	}
	text := r.must(0, "ledger", "show", key).out
	if !strings.Contains(text, "attempt 1") {
		t.Errorf("shown: %s", text)
	}
	if books := r.must(0, "sandbox", "effects").out; !strings.Contains(books, key) || !strings.Contains(books, providerKeyIn(t, text)) {
		t.Errorf("neither key leads from %s to %s", text, books)
	}
	r.must(1, "ledger", "show", "cf1_"+strings.Repeat("a", 52))
	r.must(2, "ledger", "show", "cf1_a")
	r.must(2, "ledger", "show")
	r.must(2, "ledger", "shew")

	copied := filepath.Join(t.TempDir(), "copy.db")
	r.must(0, "ledger", "backup", copied)
	if again := r.must(1, "ledger", "backup", copied); !strings.Contains(again.err, "the file exists already; name a new one") {
		t.Errorf("said %q", again.err)
	}
	if diff := cmp.Diff(r.list("--ledger", copied), got); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}
}

// A backup that cannot be written says where one could be.
func TestLedgerBackupMisplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	dir := t.TempDir()
	for _, tt := range []struct{ name, path, says string }{
		{"no name", "", "name the file to write"},
		{"a directory", dir, dir + " is a directory; name a new file in it"},
		{"no such directory", filepath.Join(dir, "none", "copy.db"), "there is no directory " + filepath.Join(dir, "none") + "; make it first"},
		{"in a file", filepath.Join(r.dir, "sandbox.db", "copy.db"), "is no directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := r.must(2, "ledger", "backup", tt.path); !strings.Contains(got.err, tt.says) {
				t.Errorf("said %q, want %q", got.err, tt.says)
			}
		})
	}
}

// providerKeyIn is what a person would look for in the provider's books.
func providerKeyIn(t *testing.T, shown string) string {
	t.Helper()
	_, rest, found := strings.Cut(shown, "provider key")
	words := strings.Fields(rest)
	if !found || len(words) == 0 {
		t.Fatalf("no provider key in %s", shown)
	}
	return words[0]
}

// What was done can be read while nothing answers.
func TestLedgerWithoutAuthority(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	away := []string{"--sandbox-url", "http://127.0.0.1:1"}
	if got := r.list(away...); len(got) != 1 {
		t.Errorf("listed %v", got)
	}
	r.must(1, append([]string{"call", "get_order", "order_id=SU-88421"}, away...)...)
	again := fields(t, r.must(0, append(refund("--json"), away...)...).out)
	if again["outcome"] != "already_performed" || again["evidence"] != "ledger" {
		t.Errorf("the repeat reads %v", again)
	}
	other := append([]string{"call", "issue_refund", "ticket_id=T-4188", "order_id=SU-88510", "item_id=LAMP-BRASS-1", "amount_cents=4900", "--json"}, away...)
	if got := fields(t, r.must(1, other...).out); got["reason"] != "authority_unreachable" {
		t.Errorf("another call reads %v", got)
	}
	r.must(1, append([]string{"serve"}, away...)...)
	fresh := newRig(t)
	if got := fields(t, fresh.must(1, append(refund("--json"), away...)...).out); got["reason"] != "authority_unreachable" {
		t.Errorf("on a fresh machine it reads %v", got)
	}
}

func TestLedgerOfAnotherAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.must(0, refund()...)
	ledgers, err := filepath.Glob(filepath.Join(r.dir, "*.ledger.db"))
	if err != nil || len(ledgers) != 1 {
		t.Fatal(ledgers, err)
	}
	if got := r.must(0, "sandbox", "reset").out; strings.Contains(got, strings.TrimSuffix(filepath.Base(ledgers[0]), ".ledger.db")) {
		t.Errorf("the account stayed: %s", got)
	}
	if got := r.list(); len(got) != 0 {
		t.Errorf("the new account lists %v", got)
	}
	if got := r.must(2, append(refund(), "--ledger", ledgers[0])...); !strings.Contains(got.err, "the ledger of account") {
		t.Errorf("said %q", got.err)
	}
	r.must(2, "ledger", "list", "--ledger", ledgers[0])
	r.must(2, append(refund(), "--ledger", filepath.Join(r.dir, "sandbox.db"))...)
	r.must(2, "ledger", "list", "--ledger", filepath.Join(r.dir, "none.db"))
}

// A ledger that cannot be used sends nothing, and says so in a result.
func TestLedgerDamaged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	account := fields(t, r.must(0, "key", "escalate_to_human", "--facts", "ticket=T-4127", "reason=other", "--json").out)["account"]
	path := filepath.Join(r.dir, account.(string)+".ledger.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no ledger at all ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	result := fields(t, r.must(1, refund("--json")...).out)
	if result["outcome"] != "not_performed" || result["reason"] != "ledger_unavailable" || result["attempts"] != 0.0 {
		t.Errorf("got %v", result)
	}
	if note, _ := result["note"].(string); !strings.Contains(note, "counterfoil doctor") {
		t.Errorf("it names no way to the cause: %q", note)
	}
	r.must(0, "call", "get_order", "order_id=SU-88421")
	r.must(1, "call", "list_effects", "ticket_id=T-4127")
	r.must(1, "ledger", "list")
	r.must(1, "sweep")
	if got := r.refundsMade(); got != 0 {
		t.Errorf("%d refunds, want none", got)
	}
}
