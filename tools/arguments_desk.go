package tools

import (
	"slices"
	"time"
)

// MessageSeller are the arguments of message_seller.
type MessageSeller struct {
	TicketID   string `json:"ticket_id"`
	SellerID   string `json:"seller_id"`
	Text       string `json:"text"`
	FollowUpTo string `json:"follow_up_to,omitempty"`
	AgainAfter string `json:"again_after,omitempty"`
}

func (a *MessageSeller) tidy() error {
	if err := readable("text", a.Text); err != nil {
		return err
	}
	return trimIDs(id{"ticket_id", &a.TicketID}, id{"seller_id", &a.SellerID},
		id{"follow_up_to", &a.FollowUpTo}, id{"again_after", &a.AgainAfter})
}

// ReplyToBuyer are the arguments of reply_to_buyer.
type ReplyToBuyer struct {
	TicketID   string `json:"ticket_id"`
	Text       string `json:"text"`
	FollowUpTo string `json:"follow_up_to,omitempty"`
	AgainAfter string `json:"again_after,omitempty"`
}

func (a *ReplyToBuyer) tidy() error {
	if err := readable("text", a.Text); err != nil {
		return err
	}
	return trimIDs(id{"ticket_id", &a.TicketID}, id{"follow_up_to", &a.FollowUpTo}, id{"again_after", &a.AgainAfter})
}

// BookPickup are the arguments of book_pickup. Date is a calendar day.
type BookPickup struct {
	TicketID   string `json:"ticket_id"`
	OrderID    string `json:"order_id"`
	Date       string `json:"date"`
	FollowUpTo string `json:"follow_up_to,omitempty"`
	AgainAfter string `json:"again_after,omitempty"`
}

func (a *BookPickup) tidy() error {
	if _, err := time.Parse(time.DateOnly, a.Date); err != nil {
		return &ArgumentError{"date must be a day of the calendar, written YYYY-MM-DD"}
	}
	return trimIDs(id{"ticket_id", &a.TicketID}, id{"order_id", &a.OrderID},
		id{"follow_up_to", &a.FollowUpTo}, id{"again_after", &a.AgainAfter})
}

// CancelPickup are the arguments of cancel_pickup.
type CancelPickup struct {
	TicketID  string `json:"ticket_id"`
	BookingID string `json:"booking_id"`
}

func (a *CancelPickup) tidy() error {
	return trimIDs(id{"ticket_id", &a.TicketID}, id{"booking_id", &a.BookingID})
}

// SendReplacement are the arguments of send_replacement.
type SendReplacement struct {
	TicketID   string `json:"ticket_id"`
	OrderID    string `json:"order_id"`
	ItemID     string `json:"item_id"`
	Units      []int  `json:"units,omitempty"` // ascending
	FollowUpTo string `json:"follow_up_to,omitempty"`
	AgainAfter string `json:"again_after,omitempty"`
}

func (a *SendReplacement) tidy() error {
	slices.Sort(a.Units)
	return trimIDs(id{"ticket_id", &a.TicketID}, id{"order_id", &a.OrderID}, id{"item_id", &a.ItemID},
		id{"follow_up_to", &a.FollowUpTo}, id{"again_after", &a.AgainAfter})
}
