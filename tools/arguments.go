package tools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"counterfoil/intent"
	"counterfoil/schemas"
)

// ArgumentError says in one clause, without a full stop, which argument breaks
// which rule. It never bears the argument's value, and may be shown to anybody.
type ArgumentError struct{ Sentence string }

func (e *ArgumentError) Error() string { return e.Sentence }

// arguments is what Decode fills: a pointer to a tool's arguments, which know
// the rules that a schema cannot state.
type arguments[T any] interface {
	*T
	// tidy trims ids and applies those rules.
	tidy() error
}

// Decode reads the bytes of a call's arguments, as strictly as money asks for:
// see strictly and schemas.Schema.Check. No bytes at all are an empty object.
// It returns the arguments for use and in their canonical form, for the
// ledger: JSON with sorted names, no white space and integers in digits, ids
// trimmed, texts as given. Every error is an *ArgumentError.
//
// Decoding the canonical form gives the same again.
func Decode[T any, P arguments[T]](schema *schemas.Schema, raw []byte) (T, intent.Arguments, error) {
	var args, none T
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	if err := strictly(raw); err != nil {
		return none, nil, err
	}
	if v := schema.Check(raw); v != nil {
		return none, nil, &ArgumentError{v.Sentence()}
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return none, nil, &ArgumentError{"the arguments are not of the tool's types"}
	}
	if err := P(&args).tidy(); err != nil {
		return none, nil, err
	}
	canonical, err := canonicalJSON(args)
	if err != nil {
		return none, nil, &ArgumentError{"the arguments cannot be written down"}
	}
	return args, canonical, nil
}

// IssueRefund are the arguments of issue_refund. AmountCents are minor units of
// the order's currency.
type IssueRefund struct {
	TicketID              string `json:"ticket_id"`
	OrderID               string `json:"order_id"`
	ItemID                string `json:"item_id"`
	AmountCents           int64  `json:"amount_cents"`
	Units                 []int  `json:"units,omitempty"` // ascending
	Reason                string `json:"reason,omitempty"`
	ExpectedRefundedCents *int64 `json:"expected_refunded_cents,omitempty"`
	FollowUpTo            string `json:"follow_up_to,omitempty"`
	AgainAfter            string `json:"again_after,omitempty"`
}

func (a *IssueRefund) tidy() error {
	slices.Sort(a.Units)
	return trimIDs(
		id{"ticket_id", &a.TicketID}, id{"order_id", &a.OrderID}, id{"item_id", &a.ItemID},
		id{"follow_up_to", &a.FollowUpTo}, id{"again_after", &a.AgainAfter},
	)
}

// EscalateToHuman are the arguments of escalate_to_human.
type EscalateToHuman struct {
	TicketID string `json:"ticket_id"`
	Reason   string `json:"reason"` // a code of the schema
	Summary  string `json:"summary"`
}

func (a *EscalateToHuman) tidy() error {
	if err := readable("summary", a.Summary); err != nil {
		return err
	}
	return trimIDs(id{"ticket_id", &a.TicketID})
}

// GetOrder are the arguments of get_order.
type GetOrder struct {
	OrderID string `json:"order_id"`
}

func (a *GetOrder) tidy() error { return trimIDs(id{"order_id", &a.OrderID}) }

// GetTicket are the arguments of get_ticket.
type GetTicket struct {
	TicketID string `json:"ticket_id"`
}

func (a *GetTicket) tidy() error { return trimIDs(id{"ticket_id", &a.TicketID}) }

// SearchProcedures are the arguments of search_procedures.
type SearchProcedures struct {
	Query string `json:"query"`
}

func (a *SearchProcedures) tidy() error {
	if !strings.ContainsFunc(a.Query, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
		return &ArgumentError{"query must have a word in it"}
	}
	return nil
}

// ListEffects are the arguments of list_effects: exactly one of the two.
type ListEffects struct {
	TicketID  string `json:"ticket_id,omitempty"`
	IntentKey string `json:"intent_key,omitempty"`
}

func (a *ListEffects) tidy() error {
	if (a.TicketID == "") == (a.IntentKey == "") {
		return &ArgumentError{"exactly one of ticket_id and intent_key is required"}
	}
	return trimIDs(id{"ticket_id", &a.TicketID})
}
