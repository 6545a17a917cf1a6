package notify_test

import (
	"time"

	"counterfoil/intent"
)

var now = time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)

func clock() time.Time { return now }

// escalation is the incident's, as the ledger keeps it.
func escalation() intent.Escalation {
	refund := intent.DeriveKey("acct", "issue_refund", []intent.Fact{intent.IntFact("amount", 11800)})
	return intent.Escalation{
		Key: intent.EscalationKey(refund, intent.CauseUnknown, 0), Subject: refund, Cause: intent.CauseUnknown,
		Ticket: "T-4127", Reason: "technical_problem", CreatedAt: now.Add(-time.Minute),
		Summary: "It is not known whether the refund of 118.00 USD happened. Søk i bøkene.",
	}
}
