// Package policy holds pure decisions: what may be done unattended, what needs
// a person, and by which rule. It reads nothing and writes nothing.
package policy

import (
	"fmt"

	"counterfoil/intent"
)

// Policy is what may be done without a person.
type Policy struct {
	Version  string             // of the text that it was read from; on every decision
	Ceilings map[string]Ceiling // per currency, ISO 4217
}

// Ceiling bounds unattended refunds in one currency, in minor units.
type Ceiling struct {
	PerRefundCents int64
	PerTicketCents int64 // all refunds of one ticket together
}

// Default is the policy where no file says otherwise: 150.00 USD a refund and
// a ticket; every other currency needs a person.
func Default() Policy {
	return Policy{Version: "default", Ceilings: map[string]Ceiling{
		"USD": {PerRefundCents: 15000, PerTicketCents: 15000},
	}}
}

// Stricter allows what both policies allow: of every ceiling the smaller one, and
// no currency that either leaves to people.
func Stricter(a, b Policy) Policy {
	if a.Version == b.Version {
		return a
	}
	p := Policy{Version: a.Version + "+" + b.Version, Ceilings: map[string]Ceiling{}}
	for currency, one := range a.Ceilings {
		if other, known := b.Ceilings[currency]; known {
			p.Ceilings[currency] = Ceiling{
				PerRefundCents: min(one.PerRefundCents, other.PerRefundCents),
				PerTicketCents: min(one.PerTicketCents, other.PerTicketCents),
			}
		}
	}
	return p
}

// Refund decides on one refund of cents, on a ticket on which spentCents have
// been refunded or are open already. An empty rule allows it; any other needs a
// person, and is a clause for them to read.
func (p Policy) Refund(cents int64, currency string, spentCents int64) (rule string) {
	ceiling, known := p.Ceilings[currency]
	switch {
	case !known:
		return fmt.Sprintf("there is no ceiling for %s", currency)
	case cents > ceiling.PerRefundCents:
		return fmt.Sprintf("the ceiling for one refund is %s", intent.Money(ceiling.PerRefundCents, currency))
	case spentCents+cents > ceiling.PerTicketCents:
		return fmt.Sprintf("the ceiling for one ticket is %s, and %s of it is spent or open",
			intent.Money(ceiling.PerTicketCents, currency), intent.Money(spentCents, currency))
	}
	return ""
}
