package sandbox

import "counterfoil/provider"

type cancellationBody struct {
	TicketID string `json:"ticket_id"`
	Intent   string `json:"intent"`
}

// A cancellation has no object of its own. Its effect is the booking, cancelled
// and bearing the cancelling intent; a booking that another intent cancelled is
// not it.
var cancellations = kind[provider.Cancellation]{
	collection: "pickups",
	prefix:     "BK-",
	path: func(v provider.Cancellation) string {
		return "/v1/pickups/" + segment(v.BookingID) + "/cancel"
	},
	body: func(key string, v provider.Cancellation) any {
		return cancellationBody{TicketID: v.TicketID, Intent: key}
	},
	intent: func(o object) string { return o.CancelIntent },
	// The order is no fact of a cancellation, but where it is known it must fit.
	facts: func(o object, v provider.Cancellation) bool {
		return same(o.ID, v.BookingID) && same(o.CancelTicketID, v.TicketID) &&
			(v.OrderID == "" || same(o.OrderID, v.OrderID))
	},
	states: map[string]state{"cancelled": {final: true}},
	at:     func(o object) string { return o.CancelledAt },
}
