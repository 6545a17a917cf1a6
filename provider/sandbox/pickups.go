package sandbox

import "counterfoil/provider"

type pickupBody struct {
	OrderID  string `json:"order_id"`
	TicketID string `json:"ticket_id"`
	Date     string `json:"date"`
	Intent   string `json:"intent"`
}

var pickups = kind[provider.Pickup]{
	collection: "pickups",
	prefix:     "BK-",
	path:       func(provider.Pickup) string { return "/v1/pickups" },
	body: func(key string, v provider.Pickup) any {
		return pickupBody{OrderID: v.OrderID, TicketID: v.TicketID, Date: v.Date, Intent: key}
	},
	intent: made,
	facts: func(o object, v provider.Pickup) bool {
		return same(o.OrderID, v.OrderID) && same(o.TicketID, v.TicketID) && o.Date == v.Date
	},
	states: map[string]state{
		"booked":    {final: true},
		"cancelled": {final: true, undone: true},
	},
	at: created,
}
