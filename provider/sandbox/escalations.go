package sandbox

import "counterfoil/intent"

type escalationBody struct {
	TicketID string `json:"ticket_id"`
	Reason   string `json:"reason"`
	Summary  string `json:"summary"`
	Intent   string `json:"intent"`
}

// An escalation that the desk has closed was still made, and stays so.
var escalations = kind[intent.Handoff]{
	collection: "escalations",
	prefix:     "esc_",
	path:       func(intent.Handoff) string { return "/v1/escalations" },
	body: func(key string, v intent.Handoff) any {
		return escalationBody{TicketID: v.TicketID, Reason: v.Reason, Summary: v.Summary, Intent: key}
	},
	intent: made,
	facts: func(o object, v intent.Handoff) bool {
		return same(o.TicketID, v.TicketID) && o.Reason == v.Reason
	},
	states: map[string]state{
		"open":   {final: true},
		"closed": {final: true},
	},
	at: created,
}
