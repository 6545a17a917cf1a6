package sandbox

import (
	"strings"

	"counterfoil/provider"
)

type refundBody struct {
	OrderID     string `json:"order_id"`
	ItemID      string `json:"item_id,omitempty"`
	TicketID    string `json:"ticket_id"`
	Units       []int  `json:"units,omitempty"`
	AmountCents int64  `json:"amount_cents"` // always said: left out, it could be taken for all that is left
	Currency    string `json:"currency"`
	Reason      string `json:"reason,omitempty"`
	Intent      string `json:"intent"`
}

var refunds = kind[provider.Refund]{
	collection: "refunds",
	prefix:     "re_",
	path:       func(provider.Refund) string { return "/v1/refunds" },
	body: func(key string, v provider.Refund) any {
		return refundBody{
			OrderID: v.OrderID, ItemID: v.ItemID, TicketID: v.TicketID, Units: v.Units,
			AmountCents: v.Cents, Currency: v.Currency, Reason: v.Reason, Intent: key,
		}
	},
	intent: made,
	facts: func(o object, v provider.Refund) bool {
		return same(o.OrderID, v.OrderID) && same(o.ItemID, v.ItemID) && same(o.TicketID, v.TicketID) &&
			sameUnits(o.Units, v.Units) && o.Cents == v.Cents && strings.EqualFold(o.Currency, v.Currency)
	},
	states: map[string]state{
		"pending":   {},
		"succeeded": {final: true},
		"failed":    {final: true, undone: true},
	},
	at: created,
}
