package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
)

type pickupBody struct {
	OrderID  string `json:"order_id"`
	TicketID string `json:"ticket_id"`
	Date     string `json:"date"`
	Intent   string `json:"intent"`
}

func (s *Sandbox) parsePickup(_ string, body []byte) (command, error) {
	b, err := decode[pickupBody](body)
	if err != nil {
		return nil, err
	}
	if err := required("order_id", b.OrderID, "ticket_id", b.TicketID, "date", b.Date); err != nil {
		return nil, err
	}
	draft := effect{orderID: b.OrderID, ticketID: b.TicketID, date: b.Date, intent: b.Intent}
	return &creation{kind: pickupKind, newID: s.newID, draft: draft, check: checkPickup}, nil
}

// checkPickup allows any number of bookings of one order, as couriers do.
func checkPickup(ctx context.Context, tx *sql.Tx, e *effect) error {
	if err := spell(ctx, tx, "orders", "order", &e.orderID); err != nil {
		return err
	}
	if err := spell(ctx, tx, "tickets", "ticket", &e.ticketID); err != nil {
		return err
	}
	return checkDate(e.date)
}

type cancelBody struct {
	TicketID string `json:"ticket_id"`
	Intent   string `json:"intent"`
}

// cancellation is the command that cancels a booking.
type cancellation struct {
	bookingID string
	ticketID  string
	intent    string
}

// parseCancellation takes a body of no bytes too: the path says all.
func parseCancellation(id string, body []byte) (command, error) {
	b, err := decodeOptional[cancelBody](body)
	if err != nil {
		return nil, err
	}
	return &cancellation{bookingID: id, ticketID: b.TicketID, intent: b.Intent}, nil
}

func (c *cancellation) resolve(ctx context.Context, tx *sql.Tx, now int64) error {
	e, ok, err := effectByID(ctx, tx, pickupKind.name, c.bookingID)
	if err != nil {
		return err
	}
	if !ok || e.landsAt > now {
		return unknown(pickupKind.called)
	}
	c.bookingID = e.id
	return spell(ctx, tx, "tickets", "ticket", &c.ticketID)
}

// act overrides a cancellation that has not landed yet: whichever lands first
// is the one that cancels.
func (c *cancellation) act(ctx context.Context, tx *sql.Tx, key string, now int64, t timing) (string, error) {
	e, _, err := effectByID(ctx, tx, pickupKind.name, c.bookingID)
	if err != nil {
		return "", err
	}
	if truth := (glance{now: now, truth: true}); truth.seesCancelled(e) {
		no := refuse(http.StatusConflict, "already_cancelled", "this booking was cancelled before")
		o := e.object(truth)
		no.pickup = &o
		return "", no
	}
	_, err = tx.ExecContext(ctx, `UPDATE effects SET cancel_intent = ?, cancel_key = ?, cancel_ticket_id = ?,
		cancel_lands_at = ?, cancel_visible_at = ? WHERE id = ?`,
		c.intent, key, c.ticketID, t.lands, t.visible, e.id)
	if err != nil {
		return "", fmt.Errorf("cancel %s: %w", e.id, err)
	}
	return e.id, nil
}
