package tools

import (
	"context"

	"counterfoil/intent"
	"counterfoil/schemas"
)

// written are the words of a tool that writes, and how its arguments are read.
type written struct {
	title       string
	description string
	decode      func(*schemas.Schema, []byte) (intent.Arguments, error)
}

// writes are the tools that write, by name. What they do is an operation's.
var writes = map[string]written{
	"issue_refund": {
		"Refund a buyer",
		"Pays back money for one item of an order. Read the order first.",
		canonicalOf[IssueRefund],
	},
	"message_seller": {
		"Message a seller",
		"Writes to a seller about the ticket.",
		canonicalOf[MessageSeller],
	},
	"reply_to_buyer": {
		"Reply to the buyer",
		"Writes to the ticket's buyer.",
		canonicalOf[ReplyToBuyer],
	},
	"book_pickup": {
		"Book a courier",
		"Books a courier to collect an order.",
		canonicalOf[BookPickup],
	},
	"cancel_pickup": {
		"Cancel a courier",
		"Cancels a booked pickup.",
		canonicalOf[CancelPickup],
	},
	"send_replacement": {
		"Send a replacement",
		"Sends an item once more, instead of a refund.",
		canonicalOf[SendReplacement],
	},
	"escalate_to_human": {
		"Hand over to a person",
		"Hands the ticket over to a person.",
		canonicalOf[EscalateToHuman],
	},
}

func canonicalOf[T any, P arguments[T]](schema *schemas.Schema, raw []byte) (intent.Arguments, error) {
	_, canonical, err := Decode[T, P](schema, raw)
	return canonical, err
}

// tool makes the tool of an operation.
func (w written) tool(d Deps, op intent.Operation) Tool {
	name, environment := op.Tool(), d.Market.Environment
	schema := d.Schemas.Input(name)
	return Tool{
		Name: name, Title: w.title, Description: w.description, Class: op.Class(),
		Fault: writeFault(environment),
		Call: func(ctx context.Context, raw []byte) Answer {
			args, err := w.decode(schema, raw)
			if err != nil {
				return invalidWrite(environment, err)
			}
			result := d.Engine.Do(ctx, name, args)
			return &result
		},
	}
}

// invalidWrite answers arguments that break a rule.
func invalidWrite(environment string, err error) Answer {
	return &intent.Result{
		Verdict:     "Nothing was sent: " + err.Error() + ".",
		Outcome:     intent.NotPerformed,
		Retry:       intent.RetryFix,
		Reason:      intent.ReasonInvalidArguments,
		Note:        "Correct the arguments and call again.",
		Environment: environment,
	}
}

// writeFault speaks of its own call only: an earlier one may have acted.
func writeFault(environment string) Answer {
	return &intent.Result{
		Verdict:           "This call has sent nothing: it met a fault inside this server.",
		Outcome:           intent.NotPerformed,
		Retry:             intent.RetryWait,
		RetryAfterSeconds: 2,
		Reason:            intent.ReasonInternal,
		Note:              "Make the same call once more; if it meets the fault again, hand over to a person.",
		TellCustomer:      "We are working on it.",
		Environment:       environment,
	}
}
