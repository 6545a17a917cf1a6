package notify

import "counterfoil/intent"

// Notification is what a person is told: what the desk would have got.
type Notification struct {
	ID        string `json:"id"`     // the escalation's key
	Intent    string `json:"intent"` // the key of what it tells of; the same as ID for a handoff
	Cause     string `json:"cause"`  // handoff, unknown, approval …
	TicketID  string `json:"ticket_id"`
	Reason    string `json:"reason"` // the desk's reason code
	Summary   string `json:"summary"`
	CreatedAt string `json:"created_at"` // RFC 3339, UTC
}

func notificationOf(e intent.Escalation) Notification {
	return Notification{
		ID: e.Key.String(), Intent: e.Subject.String(), Cause: string(e.Cause), TicketID: e.Ticket,
		Reason: e.Reason, Summary: e.Summary, CreatedAt: intent.Timestamp(e.CreatedAt),
	}
}
