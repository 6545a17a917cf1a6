package tools_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/schemas"
	"counterfoil/tools"
)

// decoded is what became of a call's arguments: their canonical form, or the
// sentence of a refusal.
func decoded(t *testing.T, set *schemas.Set, tool, raw string) (args any, canonical, sentence string) {
	t.Helper()
	var c intent.Arguments
	var err error
	schema := set.Input(tool)
	switch tool {
	case "issue_refund":
		args, c, err = tools.Decode[tools.IssueRefund](schema, []byte(raw))
	case "escalate_to_human":
		args, c, err = tools.Decode[tools.EscalateToHuman](schema, []byte(raw))
	case "reply_to_buyer":
		args, c, err = tools.Decode[tools.ReplyToBuyer](schema, []byte(raw))
	case "message_seller":
		args, c, err = tools.Decode[tools.MessageSeller](schema, []byte(raw))
	case "get_order":
		args, c, err = tools.Decode[tools.GetOrder](schema, []byte(raw))
	case "get_ticket":
		args, c, err = tools.Decode[tools.GetTicket](schema, []byte(raw))
	case "list_effects":
		args, c, err = tools.Decode[tools.ListEffects](schema, []byte(raw))
	case "search_procedures":
		args, c, err = tools.Decode[tools.SearchProcedures](schema, []byte(raw))
	default:
		t.Fatalf("no arguments of %s", tool)
	}
	if err != nil {
		var refused *tools.ArgumentError
		if !errors.As(err, &refused) {
			t.Fatalf("the error is a %T, want an ArgumentError", err)
		}
		return nil, "", refused.Sentence
	}
	return args, string(c), ""
}

func TestDecode(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	refunded := int64(11800)
	const key = "cf1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	tests := []struct {
		name, tool, raw string
		want            any
		canonical       string
	}{
		{
			"the least", "issue_refund",
			`{ "ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800 }`,
			tools.IssueRefund{TicketID: "T-4127", OrderID: "SU-88421", ItemID: "SHELF-OAK-4", AmountCents: 11800},
			`{"amount_cents":11800,"item_id":"SHELF-OAK-4","order_id":"SU-88421","ticket_id":"T-4127"}`,
		},
		{
			"everything, ids trimmed, units sorted, text as given", "issue_refund",
			`{"again_after":"R-1","follow_up_to":" R-0 ","expected_refunded_cents":11800,"reason":" broken <leg> \u00e9 ","units":[3,1],
			  "amount_cents":9007199254740991,"item_id":"\tHOOK\n","order_id":"\u00a0#su-88421 ","ticket_id":"T-4127"}`,
			tools.IssueRefund{
				TicketID: "T-4127", OrderID: "#su-88421", ItemID: "HOOK", AmountCents: 9007199254740991, Units: []int{1, 3},
				Reason: " broken <leg> é ", ExpectedRefundedCents: &refunded, FollowUpTo: "R-0", AgainAfter: "R-1",
			},
			`{"again_after":"R-1","amount_cents":9007199254740991,"expected_refunded_cents":11800,"follow_up_to":"R-0","item_id":"HOOK",` +
				`"order_id":"#su-88421","reason":" broken <leg> é ","ticket_id":"T-4127","units":[1,3]}`,
		},
		{"a whole pair of surrogates", "get_order", `{"order_id":"\ud83d\ude00"}`, tools.GetOrder{OrderID: "😀"}, `{"order_id":"😀"}`},
		{"a backslash before a u", "get_order", `{"order_id":"\\ud800"}`, tools.GetOrder{OrderID: `\ud800`}, `{"order_id":"\\ud800"}`},
		{"ticket", "get_ticket", `{"ticket_id":"T-4127"}`, tools.GetTicket{TicketID: "T-4127"}, `{"ticket_id":"T-4127"}`},
		{"effects of a ticket", "list_effects", `{"ticket_id":"T-4127"}`, tools.ListEffects{TicketID: "T-4127"}, `{"ticket_id":"T-4127"}`},
		{"effects of a key", "list_effects", `{"intent_key":"` + key + `"}`, tools.ListEffects{IntentKey: key}, `{"intent_key":"` + key + `"}`},
		{"procedures", "search_procedures", `{"query":" a \"NEAR\" b* "}`, tools.SearchProcedures{Query: ` a "NEAR" b* `}, `{"query":" a \"NEAR\" b* "}`},
		{"one picture, joined", "reply_to_buyer", `{"ticket_id":"T","text":"\u200d😀\ufe0f"}`, tools.ReplyToBuyer{TicketID: "T", Text: "\u200d😀\ufe0f"}, "{\"text\":\"\u200d😀\ufe0f\",\"ticket_id\":\"T\"}"},
		{
			"handoff", "escalate_to_human", `{"ticket_id":"T-4127","reason":"safety","summary":"Line one\nline two"}`,
			tools.EscalateToHuman{TicketID: "T-4127", Reason: "safety", Summary: "Line one\nline two"},
			`{"reason":"safety","summary":"Line one\nline two","ticket_id":"T-4127"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, canonical, sentence := decoded(t, set, tt.tool, tt.raw)
			if sentence != "" {
				t.Fatalf("refused: %s", sentence)
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("arguments (-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(canonical, tt.canonical); diff != "" {
				t.Errorf("canonical (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	refund := func(more string) string {
		return `{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4",` + more + `}`
	}
	const cents = "amount_cents must be a whole number of cents, written with digits only, such as 11800"
	tests := []struct{ name, tool, raw, want string }{
		{"nothing", "get_order", "", "order_id is required"},
		{"white space", "get_order", " \n", "order_id is required"},
		{"null", "get_order", "null", "the arguments must be one JSON object"},
		{"a list", "get_order", "[]", "the arguments must be one JSON object"},
		{"half an object", "get_order", `{"order_id":"1"`, "the arguments must be one JSON object"},
		{"two objects", "get_order", `{"order_id":"1"}{}`, "the arguments must be one JSON object"},
		{"twice", "issue_refund", refund(`"amount_cents":11800,"amount_cents":1`), "amount_cents must not be given twice"},
		{"twice, otherwise written", "issue_refund", refund(`"amount_cents":11800,"amount\u005fcents":1`), "amount_cents must not be given twice"},
		{"twice, deeper", "get_order", `{"order_id":{"a":[{"b":1,"b":1}]}}`, "order_id.a[0].b must not be given twice"},
		{"another case", "get_order", `{"Order_ID":"1"}`, "Order_ID is not known; known are order_id"},
		{"fraction", "issue_refund", refund(`"amount_cents":118.0`), cents},
		{"exponent", "issue_refund", refund(`"amount_cents":1e2`), cents},
		{"huge exponent", "issue_refund", refund(`"amount_cents":1E+999999999`), cents},
		{"text", "issue_refund", refund(`"amount_cents":"11800"`), cents},
		{"over 2^53-1", "issue_refund", refund(`"amount_cents":9007199254740993`), "amount_cents must be at most 9007199254740991"},
		{"over 2^64", "issue_refund", refund(`"amount_cents":118000000000000000000000`), "amount_cents must be at most 9007199254740991"},
		{"minus nought", "issue_refund", refund(`"amount_cents":-0`), "amount_cents must be at least 1"},
		{"null member", "issue_refund", refund(`"amount_cents":1,"units":null`), "units must not be null: leave it out"},
		{"invalid UTF-8", "get_order", "{\"order_id\":\"\xff\"}", "the arguments must be valid UTF-8"},
		{"lone surrogate", "get_order", `{"order_id":"SU\ud800"}`, "order_id must not have half a surrogate pair in it"},
		{"low before high", "get_order", `{"order_id":"\udc00\ud800"}`, "order_id must not have half a surrogate pair in it"},
		{"pair and a half", "get_order", `{"order_id":"\ud83d\ude00\ude00"}`, "order_id must not have half a surrogate pair in it"},
		{"surrogate in a name", "get_order", `{"\ud800":1}`, "the name of an argument must not have half a surrogate pair in it"},
		{"NUL", "get_order", `{"order_id":"a\u0000b"}`, "order_id must not have a NUL in it"},
		{"blank id", "get_order", `{"order_id":" \t "}`, "order_id must not be blank"},
		{"control character", "get_order", `{"order_id":"SU\n88421"}`, "order_id must not have control characters in it"},
		{"blank optional id", "issue_refund", refund(`"amount_cents":1,"follow_up_to":"  "`), "follow_up_to must not be blank"},
		{"empty optional id", "issue_refund", refund(`"amount_cents":1,"again_after":""`), "again_after must not be empty"},
		{"blank summary", "escalate_to_human", `{"ticket_id":"T","reason":"other","summary":" "}`, "summary must have a visible character in it"},
		{"blank text", "reply_to_buyer", `{"ticket_id":"T","text":" \n\u00a0"}`, "text must have a visible character in it"},
		{"a text that nobody sees", "reply_to_buyer", `{"ticket_id":"T","text":"\u200b\u2060\ufeff\u00ad"}`, "text must have a visible character in it"},
		{"fillers and selectors", "message_seller", `{"ticket_id":"T","seller_id":"S","text":"\u3164\ufe0f\u2800\u0001"}`, "text must have a visible character in it"},
		{"no word", "search_procedures", `{"query":" ?! "}`, "query must have a word in it"},
		{"a long query", "search_procedures", `{"query":"` + strings.Repeat("é", 301) + `"}`, "query must have at most 300 characters"},
		{"neither", "list_effects", `{}`, "exactly one of ticket_id and intent_key is required"},
		{
			"both", "list_effects", `{"ticket_id":"T","intent_key":"cf1_` + strings.Repeat("a", 52) + `"}`,
			"exactly one of ticket_id and intent_key is required",
		},
		{"too deep", "get_order", strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "the arguments must not be nested more than 32 deep"},
		{"deep beyond reason", "get_order", strings.Repeat("[", 30000) + strings.Repeat("]", 30000), "the arguments must be one JSON object"},
		{"too large", "get_order", `{"order_id":"` + strings.Repeat("x", 64<<10) + `"}`, "the arguments must not be larger than 64 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, _, got := decoded(t, set, tt.tool, tt.raw); got != tt.want {
				t.Errorf("sentence\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// FuzzDecode: what is accepted satisfies the schema in its canonical form, and
// decoding that form gives the same again. What is refused is refused in a
// short sentence that does not repeat a long value.
func FuzzDecode(f *testing.F) {
	set, err := schemas.Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "{}", "null", `{"order_id":" SU-88421 "}`, `{"ticket_id":"T-4127"}`,
		`{"ticket_id":"T","order_id":"O","item_id":"I","amount_cents":11800,"units":[2,1],"reason":"\ud83d\ude00","expected_refunded_cents":-0}`,
		`{"ticket_id":"T","order_id":"O","item_id":"I","amount_cents":1e2}`, `{"order_id":"a","order_id":"b"}`, `{"order_id":"\ud800"}`,
		`{"ticket_id":"T","reason":"safety","summary":"\u2028"}`, `{"intent_key":"cf1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		property[tools.IssueRefund](t, set.Input("issue_refund"), raw, tools.Decode)
		property[tools.EscalateToHuman](t, set.Input("escalate_to_human"), raw, tools.Decode)
		property[tools.GetOrder](t, set.Input("get_order"), raw, tools.Decode)
		property[tools.GetTicket](t, set.Input("get_ticket"), raw, tools.Decode)
		property[tools.ListEffects](t, set.Input("list_effects"), raw, tools.Decode)
		property[tools.SearchProcedures](t, set.Input("search_procedures"), raw, tools.Decode)
	})
}

func property[T any](t *testing.T, schema *schemas.Schema, raw []byte, decode func(*schemas.Schema, []byte) (T, intent.Arguments, error)) {
	t.Helper()
	args, canonical, err := decode(schema, raw)
	if err != nil {
		if s := err.Error(); s == "" || len(s) > 400 {
			t.Fatalf("%d bytes of refusal: %q", len(s), s)
		}
		return
	}
	if v := schema.Check(canonical); v != nil {
		t.Fatalf("canonical %s of accepted %q: %s", canonical, raw, v.Sentence())
	}
	again, once, err := decode(schema, canonical)
	if err != nil {
		t.Fatalf("canonical %s of accepted %q: %v", canonical, raw, err)
	}
	if !bytes.Equal(canonical, once) {
		t.Fatalf("canonical %s became %s", canonical, once)
	}
	if diff := cmp.Diff(args, again); diff != "" {
		t.Fatalf("arguments changed (-first +second):\n%s", diff)
	}
}
