package sandbox

import (
	"counterfoil/intent"
	"counterfoil/provider"
)

type messageBody struct {
	To       string `json:"to"`
	TicketID string `json:"ticket_id"`
	Text     string `json:"text"`
	Intent   string `json:"intent"`
}

var messages = kind[provider.Message]{
	collection: "messages",
	prefix:     "msg_",
	path:       func(provider.Message) string { return "/v1/messages" },
	body: func(key string, v provider.Message) any {
		return messageBody{To: v.To, TicketID: v.TicketID, Text: v.Text, Intent: key}
	},
	intent: made,
	// Texts are compared as the intent's fact is: one that differs in its white
	// space is the same message, sent earlier.
	facts: func(o object, v provider.Message) bool {
		return same(o.To, v.To) && same(o.TicketID, v.TicketID) &&
			intent.TextFact("text", o.Text) == intent.TextFact("text", v.Text)
	},
	states: map[string]state{"sent": {final: true}},
	at:     created,
}
