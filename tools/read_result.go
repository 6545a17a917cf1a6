package tools

import (
	"context"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// ReadOutcome is what a tool that reads has to say. The zero value is not an
// outcome; wherever one is found it counts as unreachable.
type ReadOutcome string

// The outcomes of a read.
const (
	OutcomeFound       ReadOutcome = "found"
	OutcomeNotFound    ReadOutcome = "not_found"         // the authority says that there is no such thing
	OutcomeUnreachable ReadOutcome = "unreachable"       // nothing was learnt
	OutcomeInvalid     ReadOutcome = "invalid_arguments" // nothing was asked
)

// ReadResult is the answer of a tool that reads, one flat shape in every case.
// What was not read is omitted; a list that was read and is empty is there.
// Times are UTC, amounts minor units of Currency, ids the authority's own.
type ReadResult struct {
	Verdict string      `json:"verdict"`
	Outcome ReadOutcome `json:"outcome"`

	OrderID       string            `json:"order_id,omitzero"`
	TicketIDs     []string          `json:"ticket_ids,omitzero"`
	TicketID      string            `json:"ticket_id,omitzero"`
	BuyerID       string            `json:"buyer_id,omitzero"`
	Currency      string            `json:"currency,omitzero"`
	PaidCents     *int64            `json:"paid_cents,omitzero"`
	RefundedCents *int64            `json:"refunded_cents,omitzero"` // pending and succeeded
	Items         []provider.Item   `json:"items,omitzero"`
	Refunds       []Refunded        `json:"refunds,omitzero"`
	Sellers       []provider.Seller `json:"sellers,omitzero"`

	OrderIDs []string  `json:"order_ids,omitzero"`
	Subject  *string   `json:"subject,omitzero"`
	Status   string    `json:"status,omitzero"`
	Messages []Message `json:"messages,omitzero"`

	Effects []Effect `json:"effects,omitzero"`

	Procedures []provider.Procedure `json:"procedures,omitzero"`

	Environment string `json:"environment,omitzero"`
}

// Refunded is a refund in the authority's books, whoever made it.
type Refunded struct {
	ID     string `json:"id"`
	ItemID string `json:"item_id,omitzero"`
	Cents  int64  `json:"cents"`
	Status string `json:"status"`
	At     string `json:"at,omitzero"`
}

// Message is one message on a ticket.
type Message struct {
	ID   string `json:"id"`
	From string `json:"from"`
	At   string `json:"at,omitzero"`
	Text string `json:"text"`
}

// Effect is one intent in the ledger, and what a repeat of it would get.
type Effect struct {
	IntentKey  string         `json:"intent_key"`
	Tool       string         `json:"tool"`
	Outcome    intent.Outcome `json:"outcome"`
	Reason     intent.Reason  `json:"reason,omitzero"`
	Status     string         `json:"status,omitzero"`
	EffectID   string         `json:"effect_id,omitzero"`
	Cents      int64          `json:"cents,omitzero"`
	Currency   string         `json:"currency,omitzero"`
	At         string         `json:"at,omitzero"`
	Attempts   int            `json:"attempts"`
	RepeatGets string         `json:"repeat_gets"`
}

// IsError reports whether anything but a finding came back.
func (r *ReadResult) IsError() bool { return r.Outcome != OutcomeFound }

// readTool makes a tool that reads. The finding's environment is added here.
func readTool[T any, P arguments[T]](d Deps, name, title, description string, read func(context.Context, T) ReadResult) Tool {
	schema, environment := d.Schemas.Input(name), d.Market.Environment
	answer := func(r ReadResult) Answer {
		r.Environment = environment
		return &r
	}
	return Tool{
		Name: name, Title: title, Description: description, Class: intent.ClassRead,
		Fault: answer(Unreachable("What was asked for")),
		Call: func(ctx context.Context, raw []byte) Answer {
			args, _, err := Decode[T, P](schema, raw)
			if err != nil {
				return answer(ReadResult{Verdict: "Nothing was read: " + err.Error() + ".", Outcome: OutcomeInvalid})
			}
			return answer(read(ctx, args))
		},
	}
}

// readAgain reads until the authority has answered or the engine gives up.
func readAgain[T any](ctx context.Context, e Engine, read func(context.Context) provider.Read[T]) provider.Read[T] {
	var last provider.Read[T]
	e.RepeatRead(ctx, func(ctx context.Context) bool {
		last = read(ctx)
		return last.State != provider.Down
	})
	return last
}

// Unreachable is the result where a read could not be had; what begins a
// sentence: "The order".
func Unreachable(what string) ReadResult {
	return ReadResult{
		Verdict: what + " could not be read just now; this call changed nothing. Ask again.",
		Outcome: OutcomeUnreachable,
	}
}

// notFound is the result where the authority knows no such thing. It does not
// repeat the id, which is the caller's text.
func notFound(what string) ReadResult {
	return ReadResult{
		Verdict: fmt.Sprintf("No %s has this id. Check it and ask again.", what),
		Outcome: OutcomeNotFound,
	}
}

// present makes the empty list of none, so that it is shown.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// counted is "1 item", "2 items".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
