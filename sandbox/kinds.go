package sandbox

// kind is one of the five sorts of effects.
type kind struct {
	name       string // as in effects: refund, message …
	collection string // as in paths and operations: refunds, messages …
	prefix     string // of its ids
	called     string // what an unknown one is called in the error's code
	status     string // what it comes to rest in
	by         string // the query parameter that narrows its list, beside intent
}

var (
	refundKind      = kind{"refund", "refunds", "re_", "refund", "succeeded", "order_id"}
	messageKind     = kind{"message", "messages", "msg_", "message", "sent", "ticket_id"}
	pickupKind      = kind{"pickup", "pickups", "BK-", "booking", "booked", "order_id"}
	replacementKind = kind{"replacement", "replacements", "RP-", "replacement", "ordered", "order_id"}
	escalationKind  = kind{"escalation", "escalations", "esc_", "escalation", "open", "ticket_id"}

	kinds = []kind{refundKind, messageKind, pickupKind, replacementKind, escalationKind}
)

func (k kind) create() string { return k.collection + ".create" }
func (k kind) list() string   { return k.collection + ".list" }

const pickupsCancel = "pickups.cancel"
