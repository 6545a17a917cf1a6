// Package provider holds the ports to the outside systems (orders, payments,
// messages, courier, desk), their types, and the guarded HTTP client through
// which every adapter speaks. An adapter declares its capabilities and sends
// each write once; it never repeats one.
package provider

import (
	"context"
	"time"

	"counterfoil/intent"
)

// ReadState is how a read ended. The zero value is the cautious one: nothing
// was learnt.
type ReadState string

// The ways in which a read may end.
const (
	Down    ReadState = ""        // no answer, or one that cannot be believed
	Got     ReadState = "got"     // the value is there
	Missing ReadState = "missing" // the authority says that there is no such thing
)

// Read is the answer to a read.
type Read[T any] struct {
	State  ReadState
	Value  T      // with Got
	Detail string // with Down: what went wrong, for the log
}

// Writer is the port of one kind of write at one authority.
type Writer[T any] interface {
	// Name names the authority; it is part of the provider key.
	Name() string
	// Capabilities are what the authority declares of this kind of write.
	Capabilities() intent.Capabilities
	// Request builds the body for v, bearing the intent key as metadata.
	Request(key intent.Key, v T) ([]byte, error)
	// Send puts exactly one request on the wire, or none. The answer is checked
	// against v: a success that names another object is ambiguous.
	Send(ctx context.Context, o intent.Order, v T) intent.Answer
	// Lookup looks for the effect that bears the subject's intent key, and
	// checks that its facts are those of v.
	Lookup(ctx context.Context, s intent.Subject, v T) intent.Finding
}

// Marketplace is one account's set of ports.
type Marketplace struct {
	Account     string // merchant account and environment, as a file name may bear it
	Environment string // "sandbox", "test"; empty for live
	Real        bool   // real money and customers may be touched

	Orders        Orders
	Tickets       Tickets
	Procedures    Procedures // nil where there are none
	Bookings      Bookings
	Refunds       Writer[Refund]
	Messages      Writer[Message]
	Pickups       Writer[Pickup]
	Cancellations Writer[Cancellation]
	Replacements  Writer[Replacement]
	Desk          Writer[intent.Handoff]
}

// Orders reads orders.
type Orders interface {
	// Order reads one order by any spelling of its id.
	Order(ctx context.Context, id string) Read[Order]
	// Spelling folds an id as the authority is known to do, without asking it:
	// two spellings that fold to the same one name the same thing.
	Spelling(id string) string
}

// Tickets reads tickets.
type Tickets interface {
	Ticket(ctx context.Context, id string) Read[Ticket]
	Spelling(id string) string
}

// Bookings reads a courier's bookings.
type Bookings interface {
	Booking(ctx context.Context, id string) Read[Booking]
}

// Booking is a pickup in the courier's books.
type Booking struct {
	BookingID string `json:"booking_id"`
	OrderID   string `json:"order_id"`
	TicketID  string `json:"ticket_id"`
	Date      string `json:"date"`   // YYYY-MM-DD
	Status    string `json:"status"` // booked, cancelled
}

// Procedures searches the support procedures, most relevant first. They are
// Missing where nothing matches.
type Procedures interface {
	Search(ctx context.Context, query string) Read[[]Procedure]
}

// Order is an order as the authority shows it. Cents are minor units of
// Currency (ISO 4217).
type Order struct {
	OrderID       string   `json:"order_id"`
	TicketIDs     []string `json:"ticket_ids"`
	BuyerID       string   `json:"buyer_id"`
	Currency      string   `json:"currency"`
	PaidCents     int64    `json:"paid_cents"`
	RefundedCents int64    `json:"refunded_cents"` // pending and succeeded
	Items         []Item   `json:"items"`
	Refunds       []Moved  `json:"refunds"`
	Sellers       []Seller `json:"sellers"`
}

// Item is one line of an order.
type Item struct {
	ItemID        string `json:"item_id"`
	Title         string `json:"title"`
	Quantity      int    `json:"quantity"`
	PaidCents     int64  `json:"paid_cents"` // of the whole line
	RefundedCents int64  `json:"refunded_cents"`
	SellerID      string `json:"seller_id"`
}

// Moved is a refund in the authority's books, whoever made it. It bears no key.
type Moved struct {
	ID     string    `json:"id"`
	ItemID string    `json:"item_id,omitempty"` // empty where the authority does not say
	Cents  int64     `json:"cents"`
	Status string    `json:"status"` // pending, succeeded, failed
	At     time.Time `json:"at"`
}

// Seller is a seller and what it has with the marketplace.
type Seller struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	BalanceCents int64  `json:"balance_cents"`
}

// Ticket is a support ticket.
type Ticket struct {
	TicketID string          `json:"ticket_id"`
	BuyerID  string          `json:"buyer_id"`
	OrderIDs []string        `json:"order_ids"`
	Subject  string          `json:"subject"`
	Status   string          `json:"status"`
	Messages []TicketMessage `json:"messages"`
}

// TicketMessage is one message on a ticket.
type TicketMessage struct {
	ID   string    `json:"id"`
	From string    `json:"from"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Procedure is one support procedure.
type Procedure struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Refund is what a refund is to be. ItemID may be empty at an authority that
// knows no items.
type Refund struct {
	TicketID string `json:"ticket_id"`
	OrderID  string `json:"order_id"`
	ItemID   string `json:"item_id"`
	Units    []int  `json:"units"`
	Cents    int64  `json:"cents"`
	Currency string `json:"currency"`
	Reason   string `json:"reason,omitempty"`
}

// Message is a message to a seller or a buyer about a ticket.
type Message struct {
	TicketID string `json:"ticket_id"`
	To       string `json:"to"`
	Text     string `json:"text"`
}

// Pickup is a courier's visit. Date is a calendar day, YYYY-MM-DD.
type Pickup struct {
	TicketID string `json:"ticket_id"`
	OrderID  string `json:"order_id"`
	Date     string `json:"date"`
}

// Cancellation takes a pickup back.
type Cancellation struct {
	TicketID  string `json:"ticket_id"`
	OrderID   string `json:"order_id"`
	BookingID string `json:"booking_id"`
}

// Replacement is units of an order line to be sent once more.
type Replacement struct {
	TicketID string `json:"ticket_id"`
	OrderID  string `json:"order_id"`
	ItemID   string `json:"item_id"`
	Units    []int  `json:"units"`
}
