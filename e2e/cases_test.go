//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// cases says for each public report of software that acted twice, or said the
// wrong thing about it, which scripts play it.
//
// What a script cannot play from outside has no line: HTTP (ruby-mcp-client#209,
// ark#3049), a 409 in use (stripity-stripe#564), a day that passes
// (trigger.dev#4953 beside its key_expired) and a write that provably never left
// (Lody#400) are tested where they can be staged, in intent, provider and server.
var cases = []struct {
	source  string
	holds   string
	scripts []string
}{
	{"claude-code#44032", "an authority slower than the client's limit acts once", []string{"ticket_given_up", "hung_call"}},
	{"claude-code#22542", "every write is answered within its budget", []string{"hung_forever"}},
	{"claude-code#65643", "one hung write delays nothing else", []string{"hung_call"}},
	{"python-sdk#407", "a client with a short time-out: one effect, then the truth", []string{"ticket_given_up"}},
	{"python-sdk#212", "cancelled in mid-send, then gone: settled", []string{"cancelled", "cancelled_then_gone"}},
	{"codex#26956", "the same without a notification", []string{"cancelled_then_gone", "end_of_input"}},
	{"claude-code#47724", "killed between send and record: looked up", []string{"kill_mid_send", "crash_points"}},
	{"claude-code#69487", "an authority that hangs for ever: unknown in time", []string{"hung_forever"}},
	{"ai-dev-kit#80", "unknown is no error", []string{"hung_forever", "lookup_down"}},
	{"claude-code#95018", "sent again after a restart", []string{"kill_mid_send", "crash_then_sweep"}},
	{"Codewhale#4728, typescript-sdk#1708", "twelve identical calls: one effect, one row", []string{"parallel"}},
	{"lmstudio#1756", "nine at once: eight already performed", []string{"parallel"}},
	{"langgraph#6208", "a whole sequence played again: nothing new", []string{"replayed_session", "ticket_given_up", "courier_again"}},
	{"stripe-php#637", "every request bears the ledger's key", []string{"one_key"}},
	{"saleor#2446", "two equal refunds of two items are two", []string{"one_key", "two_units"}},
	{"aa-stripe#68", "the key does not change when the world does", []string{"key", "lost_ledger", "repeat"}},
	{"medusa#16681", "after unknown, row and key stay", []string{"lookup_down", "message_unknown"}},
	{"notion-mcp#55", "survives a restart", []string{"replayed_session", "ticket_given_up"}},
	{"trigger.dev#4953, carbon#252", "a key that the provider has forgotten sends nothing", []string{"fault_acted"}},
	{"orbit#407", "an expired claim is looked up, never sent", []string{"laptop_sleeps"}},
	{"actor-ts#984", "a crash leaves a row that is settled", []string{"crash_then_sweep", "sweeper"}},
	{"pipefy#522", "outcome, reason and next step: the laws, for every answer", []string{"every_tool"}},
	{"MemWal#814", "a 5xx after a send is ambiguous", []string{"fault_acted", "faults_seller", "faults_pickup"}},
	{"woocommerce-payments#1195", "pending never reads as refunded", []string{"pending"}},
	{"commerce-stripe#134", "pending never reads as failed, a repeat sends nothing", []string{"pending", "pending_failed"}},
	{"solidus_stripe#265", "a late failure is reported, a repeat needs a person", []string{"pending_failed", "repeat"}},
	{"medusa#14746", "somebody else's effect is not ours", []string{"by_hand", "mismatch"}},
	{"ironclaw#2240", "fifty repeats of a refusal: no sends, the same text", []string{"refused_fifty_times"}},
	{"msgvault#226, lean-ctx#1409", "many servers on one file; an orphan leaves", []string{"many_processes", "two_processes", "orphan"}},
	{"claude-code#62319", "no answer is never a yes", []string{"approval", "approval_declined"}},
	{"claude-code#58289", "over the ceiling nothing is sent", []string{"approval", "policy", "ticket_ceiling"}},
	{"claude-code#47685", "a refusal names its rule", []string{"approval", "policy"}},
	{"openclaw#126707", "the same text on the same ticket is not sent again", []string{"message", "message_follow_up"}},
	{"freescout#5457", "no answer after the data was sent is unknown", []string{"message_blind", "message_unknown"}},
}

func TestCasesHaveTheirScripts(t *testing.T) {
	for _, c := range cases {
		for _, name := range c.scripts {
			if _, err := os.Stat(filepath.Join("testdata", name+".txtar")); err != nil {
				t.Errorf("%s (%s): %v", c.source, c.holds, err)
			}
		}
	}
}
