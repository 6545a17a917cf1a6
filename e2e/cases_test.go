//go:build unix

package e2e_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/CASES.md")

// occasion is what the reports of one table have in common.
type occasion struct {
	name  string
	cases []reported
}

// reported is a public report of software that acted twice, or said the wrong
// thing about it, with what must hold here and what plays it.
type reported struct {
	source  string
	holds   string
	scripts []string
	tests   []test // where a script would be too slow, or too small
	note    string // what is not as it was there
}

// test is a test of this package that shows a case.
type test struct {
	name string
	run  func(*testing.T)
}

var occasions = []occasion{
	{"The client gives up, or goes away", []reported{
		{
			source: "claude-code#44032", scripts: []string{"ticket_given_up"},
			holds: "Desktop cancels after 4 minutes, and the write was done. An authority slower than the client's limit acts once; the next identical call is `already_performed`, with the first id.",
			note:  "The client's patience and the authority's slowness are both shortened.",
		},
		{
			source: "claude-code#22542", scripts: []string{"hung_forever", "hung_call"},
			holds: "A valid result was dropped after 60 s. Every write is answered within its budget, definite or unknown.",
		},
		{
			source: "claude-code#65643", scripts: []string{"hung_call"},
			holds: "One hung call wedged the rest. While a write hangs, `list_effects` and `tools/list` answer at once.",
		},
		{
			source: "python-sdk#407", scripts: []string{"ticket_given_up", "cancelled_then_gone"},
			holds: "A client with a time-out of 5 s: one effect at the most, and a later call tells the truth.",
		},
		{
			source: "python-sdk#212", scripts: []string{"cancelled", "cancelled_then_gone"},
			holds: "Cancelled, then disconnected. A cancel in the middle of a send does not abort it; the ledger ends in a settled state.",
		},
		{
			source: "codex#26956", scripts: []string{"cancelled_then_gone", "end_of_input"},
			holds: "No cancel was ever sent. The same holds without any notification.",
		},
		{
			source: "claude-code#47724", scripts: []string{"kill_mid_send", "crash_points"},
			holds: "Escape killed the server in the middle of a call. After SIGKILL between send and record the next process looks it up; one effect.",
		},
		{
			source: "claude-code#69487", scripts: []string{"hung_forever"},
			holds: "It waited for 106 minutes. An authority that hangs for ever is `unknown` within the budget.",
		},
		{
			source: "ai-dev-kit#80", scripts: []string{"hung_forever", "lookup_down"},
			holds: "A time-out was read as a failure. `unknown` is not `isError`.",
		},
	}},
	{"Something re-sends the call", []reported{
		{
			source: "claude-code#95018", scripts: []string{"kill_mid_send", "crash_points"},
			holds: "Re-sent after a server's restart. Killed after the send, restarted, the same call: one effect.",
		},
		{
			source: "ruby-mcp-client#209", scripts: []string{"http_session"},
			holds: "POSTed twice after a 404. Recognition never depends on a session.",
			note:  "This server has no sessions to lose, so it answers no 404: the call is posted again under other session ids.",
		},
		{
			source: "Codewhale#4728, typescript-sdk#1708", scripts: []string{"parallel"},
			holds: "Up to 12 re-sends. Twelve identical calls: one effect, one row of the ledger.",
		},
		{
			source: "lmstudio#1756", scripts: []string{"parallel"},
			holds: "Nine identical calls at once, under different ids: one effect, eight `already_performed`.",
		},
		{
			source: "langgraph#6208", scripts: []string{"replayed_session", "ticket_given_up"},
			holds: "A step ran again on resuming. A whole recorded sequence is played again: no new effect.",
		},
		{
			source: "ark#3049, AutoGPT#14302", scripts: []string{"http_status"},
			holds: "Clients repeat on a 5xx. A write that was begun is never answered with an HTTP 5xx.",
		},
		{
			source: "stripe-php#637", scripts: []string{"one_key"},
			holds: "The SDK overwrote the caller's key. Every request on the wire carries the ledger's.",
			note:  "The client here is the sandbox's; another provider's is held to this by its own tests.",
		},
		{
			source: "stripity-stripe#564", scripts: []string{"key_in_use"},
			holds: "409 in use, after a retry of its own. A 409 in use is ambiguous: looked up, not sent again.",
			note:  "Something that stands before the sandbox gives the answer; the refund behind it is real.",
		},
	}},
	{"The key is wrong", []reported{
		{
			source: "saleor/apps#2446", scripts: []string{"one_key"},
			holds: "One key per call. Two equal refunds of different items both happen.",
		},
		{
			source: "aa-stripe#68", scripts: []string{"lost_ledger", "key", "repeat"},
			holds: "What was already refunded was a part of the key. The key does not change when the world does.",
		},
		{
			source: "medusa#16681", scripts: []string{"lookup_down", "message_unknown"},
			holds: "The row was deleted on an error, so the retry had a new key. After `unknown` row and key stay; the second call sends nothing.",
		},
		{
			source: "notion-mcp#55", scripts: []string{"replayed_session", "ticket_given_up"},
			holds: "A cache in memory, for five minutes. What was done survives a restart.",
		},
		{
			source: "trigger.dev#4953, carbon#252", scripts: []string{"day_later"},
			holds: "The provider's key expired after 24 h. The same intent 25 h later sends nothing.",
			note:  "The ledger's times are set back by 25 h, and the sandbox forgets keys after a millisecond.",
		},
		{
			source: "orbit#407", scripts: []string{"laptop_sleeps"},
			holds: "An expired lease ran the write again. An expired claim leads to a lookup, never to a send.",
		},
		{
			source: "actor-ts#984", scripts: []string{"crash_then_sweep", "sweeper"},
			holds: "A crash wedged the key for a day. A crash leaves a row that the sweeper settles.",
		},
	}},
	{"The answer is wrong", []reported{
		{
			source: "pipefy#522", scripts: []string{"every_tool"},
			holds: "Success false, an empty message, 18 cards. There is no answer without outcome, reason and next step.",
			note:  "Every answer of every script is held to that, and of every test that calls a tool.",
		},
		{
			source: "MemWal#814", scripts: []string{"fault_acted", "faults_seller", "faults_pickup"},
			holds: "503, though stored. A 5xx after a send is ambiguous.",
			note:  "The sandbox's 5xx is a 500. That a 503 is none the clearer is a unit test (`TestClassify`).",
		},
		{
			source: "Lody#400", scripts: []string{"not_sent"},
			holds: "A network failure was marked as final. What was provably not sent is `wait_and_retry`.",
			note:  "Something that stands before the sandbox takes no more connections.",
		},
		{
			source: "woocommerce-payments#1195", scripts: []string{"pending"},
			holds: "Pending was shown as refunded. Pending never reads as refunded.",
		},
		{
			source: "commerce-stripe#134", scripts: []string{"pending", "pending_failed"},
			holds: "Pending was shown as failed, and staff refunded again. Pending never reads as failed, and a repeat sends nothing.",
		},
		{
			source: "solidus_stripe#265", scripts: []string{"pending_failed", "repeat"},
			holds: "Succeeded, then failed, and never shown. A late failure is found and reported; a repeat needs a person and names the effect (`again_after`).",
		},
		{
			source: "medusa#14746", scripts: []string{"by_hand", "mismatch"},
			holds: "What somebody else had refunded was taken as our success. An effect is ours only if it bears our key and our amount.",
		},
		{
			source: "ironclaw#2240", scripts: []string{"refused_fifty_times"},
			holds: "A refused call was repeated 50 times. Fifty repeats of a refusal: nothing is sent, and the text is the same.",
		},
	}},
	{"Many processes, one ledger", []reported{
		{
			source: "msgvault#226, lean-ctx#1409", scripts: []string{"many_processes", "orphan"},
			tests: []test{{"TestTenServers", tenServersAnswer}, {"TestTenServersOfWhichFiveDie", tenServersOfWhichFiveDie}},
			holds: "Many stdio servers on one SQLite file. Ten processes, a hundred writes each: no error, no duplicate, a bounded p99; an orphan leaves.",
		},
	}},
	{"People", []reported{
		{
			source: "claude-code#62319", scripts: []string{"approval", "approval_declined"},
			holds: "A prompt was declined by itself. No answer is never a yes; the approval that was queued stays.",
			note:  "No client is asked here at all: a person decides elsewhere, and until then it waits.",
		},
		{
			source: "claude-code#58289", scripts: []string{"approval", "policy", "ticket_ceiling"},
			holds: "Permission prompts were ignored for MCP. Over the ceiling nothing is sent, whatever the client does.",
		},
		{
			source: "claude-code#47685", scripts: []string{"approval", "policy"},
			holds: "A silent denial. A refusal names its rule, and who can lift it.",
		},
	}},
	{"Messages", []reported{
		{
			source: "openclaw#126707", scripts: []string{"message", "message_follow_up"},
			holds: "Compaction repeated a message that had been sent. The same text on the same ticket is `already_performed`.",
		},
		{
			source: "freescout#5457", scripts: []string{"message_blind"},
			holds: "Mail was sent again after an SMTP time-out. No answer after the data was sent is `unknown`; nothing is sent again.",
			note:  "Messages of the sandbox that cannot be looked up stand for mail.",
		},
	}},
}

// Every case is played, row by row. What several rows name is played once.
func TestCases(t *testing.T) {
	begins(t)
	for _, o := range occasions {
		for _, c := range o.cases {
			t.Run(slug(c.source), func(t *testing.T) {
				if len(c.tests) == 0 { // the others need the machine to themselves
					t.Parallel()
				}
				for _, name := range c.scripts {
					playScript(t, name)
				}
				for _, shows := range c.tests {
					playOnce(t, shows.name, shows.run)
				}
			})
		}
	}
}

// slug is a source as a part of a test's name.
func slug(source string) string {
	return strings.NewReplacer("/", "-", ", ", "+").Replace(source)
}

// The page says of each case what plays it, and what each of those does.
func TestCasesPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "CASES.md")
	want := casesPage(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table says: go test ./e2e -run TestCasesPage -update", path)
	}
}

func casesPage(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(casesHead)
	var scripts []string
	for _, o := range occasions {
		page.WriteString("\n## " + o.name + "\n\n| source | must hold | played by |\n| --- | --- | --- |\n")
		for _, c := range o.cases {
			var by []string
			for _, name := range c.scripts {
				by = append(by, "[`"+name+"`](../e2e/testdata/"+name+".txtar)")
			}
			for _, shows := range c.tests {
				by = append(by, "`"+shows.name+"`")
			}
			holds := c.holds
			if c.note != "" {
				holds += " *" + c.note + "*"
			}
			page.WriteString("| " + c.source + " | " + holds + " | " + strings.Join(by, ", ") + " |\n")
			scripts = append(scripts, c.scripts...)
		}
	}
	page.WriteString("\n## What the scripts play\n\nIn their own first words.\n\n| script | |\n| --- | --- |\n")
	slices.Sort(scripts)
	for _, name := range slices.Compact(scripts) {
		page.WriteString("| `" + name + "` | " + firstWords(t, name) + " |\n")
	}
	return page.String()
}

const casesHead = `# Cases

<!-- generated: go test ./e2e -run TestCasesPage -update -->

Each row is a public report of software that acted twice, or said the wrong thing about it, turned into what must hold
here, and what plays it: the built binary against the sandbox, from outside, its effects counted at the marketplace.
` + "`go test ./e2e -run 'TestCases/claude-code#44032'`" + ` plays one row. What a play does not take from the report as it was is said
in italics.
`

// firstWords are the comment that a script begins with.
func firstWords(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(text)) {
		comment, is := strings.CutPrefix(line, "#")
		if !is {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	if len(words) == 0 {
		t.Fatalf("%s does not say what it plays", name)
	}
	return strings.ReplaceAll(strings.Join(words, " "), "|", `\|`)
}
