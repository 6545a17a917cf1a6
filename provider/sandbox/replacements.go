package sandbox

import "counterfoil/provider"

type replacementBody struct {
	OrderID  string `json:"order_id"`
	ItemID   string `json:"item_id"`
	TicketID string `json:"ticket_id"`
	Units    []int  `json:"units,omitempty"`
	Intent   string `json:"intent"`
}

var replacements = kind[provider.Replacement]{
	collection: "replacements",
	prefix:     "RP-",
	path:       func(provider.Replacement) string { return "/v1/replacements" },
	body: func(key string, v provider.Replacement) any {
		return replacementBody{OrderID: v.OrderID, ItemID: v.ItemID, TicketID: v.TicketID, Units: v.Units, Intent: key}
	},
	intent: made,
	facts: func(o object, v provider.Replacement) bool {
		return same(o.OrderID, v.OrderID) && same(o.ItemID, v.ItemID) && same(o.TicketID, v.TicketID) &&
			sameUnits(o.Units, v.Units)
	},
	states: map[string]state{"ordered": {final: true}},
	at:     created,
}
