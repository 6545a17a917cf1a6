package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

type ticket struct {
	TicketID string          `json:"ticket_id"`
	BuyerID  string          `json:"buyer_id"`
	OrderIDs []string        `json:"order_ids"`
	Subject  string          `json:"subject"`
	Status   string          `json:"status"`
	Messages []ticketMessage `json:"messages"`
}

type ticketMessage struct {
	ID   string `json:"id"`
	From string `json:"from"` // the buyer's id, or "support"
	At   string `json:"at"`
	Text string `json:"text"`
}

// ticket is GET /v1/tickets/{id}: the buyer's first message, then what the desk
// has sent to that buyer on it.
func (s *Sandbox) ticket(ctx context.Context, tx *sql.Tx, q query) (any, error) {
	var t ticket
	var first ticketMessage
	var at int64
	err := tx.QueryRowContext(ctx, `SELECT id, buyer_id, subject, status, text, at FROM tickets WHERE id = ?`, named(q.id)).
		Scan(&t.TicketID, &t.BuyerID, &t.Subject, &t.Status, &first.Text, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, unknown("ticket")
	}
	if err != nil {
		return nil, fmt.Errorf("read ticket: %w", err)
	}
	first.ID, first.From, first.At = "in_"+strings.TrimPrefix(t.TicketID, "T-")+"_1", t.BuyerID, stamp(at)
	t.Messages = []ticketMessage{first}
	if t.OrderIDs, err = related(ctx, tx, `SELECT order_id FROM ticket_orders WHERE ticket_id = ? ORDER BY order_id`, t.TicketID); err != nil {
		return nil, err
	}
	args := append([]any{messageKind.name, t.TicketID, t.BuyerID}, glance{now: q.now}.seen()...)
	replies, err := queryEffects(ctx, tx,
		`kind = ? AND ticket_id = ? AND recipient = ? AND lands_at <= ? AND visible_at <= ? ORDER BY lands_at, seq`, args...)
	if err != nil {
		return nil, err
	}
	for _, e := range replies {
		t.Messages = append(t.Messages, ticketMessage{ID: e.id, From: "support", At: stamp(e.landsAt), Text: e.text})
	}
	return t, nil
}
