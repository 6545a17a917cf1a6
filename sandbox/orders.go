package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

type order struct {
	OrderID       string        `json:"order_id"`
	TicketIDs     []string      `json:"ticket_ids"`
	BuyerID       string        `json:"buyer_id"`
	Currency      string        `json:"currency"`
	PaidCents     int64         `json:"paid_cents"`
	RefundedCents int64         `json:"refunded_cents"`
	Items         []orderItem   `json:"items"`
	Refunds       []orderRefund `json:"refunds"`
	Sellers       []orderSeller `json:"sellers"`
}

type orderItem struct {
	ItemID        string `json:"item_id"`
	Title         string `json:"title"`
	Quantity      int    `json:"quantity"`
	PaidCents     int64  `json:"paid_cents"` // for the whole line
	RefundedCents int64  `json:"refunded_cents"`
	SellerID      string `json:"seller_id"`
}

// orderRefund bears no key and no intent: reading an order must not be a way
// to recognise a refund.
type orderRefund struct {
	ID     string `json:"id"`
	ItemID string `json:"item_id,omitempty"`
	Cents  int64  `json:"cents"`
	Status string `json:"status"`
	At     string `json:"at"`
}

type orderSeller struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	BalanceCents int64  `json:"balance_cents"`
}

// order is GET /v1/orders/{id}.
func (s *Sandbox) order(ctx context.Context, tx *sql.Tx, q query) (any, error) {
	o := order{TicketIDs: []string{}, Refunds: []orderRefund{}}
	err := tx.QueryRowContext(ctx, `SELECT id, buyer_id, currency FROM orders WHERE id = ?`, named(q.id)).
		Scan(&o.OrderID, &o.BuyerID, &o.Currency)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, unknown("order")
	}
	if err != nil {
		return nil, fmt.Errorf("read order: %w", err)
	}
	if o.TicketIDs, err = related(ctx, tx, `SELECT ticket_id FROM ticket_orders WHERE order_id = ? ORDER BY ticket_id`, o.OrderID); err != nil {
		return nil, err
	}
	if err := o.readItems(ctx, tx); err != nil {
		return nil, err
	}
	// A declared delay is of lists; the order shows what the provider shows.
	if err := o.readRefunds(ctx, tx, glance{now: q.now}); err != nil {
		return nil, err
	}
	return o, o.readSellers(ctx, tx, q.now)
}

// related returns the ids that the statement selects for one id.
func related(ctx context.Context, tx *sql.Tx, statement, id string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, statement, id)
	if err != nil {
		return nil, fmt.Errorf("read what belongs to %s: %w", id, err)
	}
	defer rows.Close()
	ids := []string{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (o *order) readItems(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT item_id, title, quantity, paid_cents, seller_id FROM items WHERE order_id = ? ORDER BY place`, o.OrderID)
	if err != nil {
		return fmt.Errorf("read items of %s: %w", o.OrderID, err)
	}
	defer rows.Close()
	for rows.Next() {
		var i orderItem
		if err := rows.Scan(&i.ItemID, &i.Title, &i.Quantity, &i.PaidCents, &i.SellerID); err != nil {
			return err
		}
		o.Items = append(o.Items, i)
		o.PaidCents += i.PaidCents
	}
	return rows.Err()
}

// readRefunds lists the refunds that show and adds up those that have not
// failed.
func (o *order) readRefunds(ctx context.Context, tx *sql.Tx, g glance) error {
	args := append([]any{refundKind.name, o.OrderID}, g.seen()...)
	refunds, err := queryEffects(ctx, tx, `kind = ? AND order_id = ? AND lands_at <= ? AND visible_at <= ? ORDER BY seq`, args...)
	if err != nil {
		return err
	}
	for _, e := range refunds {
		r := orderRefund{ID: e.id, ItemID: e.itemID, Cents: e.cents, Status: e.status(g), At: stamp(e.landsAt)}
		o.Refunds = append(o.Refunds, r)
		if r.Status == "failed" {
			continue
		}
		o.RefundedCents += e.cents
		for i := range o.Items {
			if o.Items[i].ItemID == e.itemID {
				o.Items[i].RefundedCents += e.cents
			}
		}
	}
	return nil
}

func (o *order) readSellers(ctx context.Context, tx *sql.Tx, now int64) error {
	rows, err := tx.QueryContext(ctx, `SELECT s.id, s.name, `+balance+` FROM sellers s
		WHERE s.id IN (SELECT seller_id FROM items WHERE order_id = ?2) ORDER BY s.place`, now, o.OrderID)
	if err != nil {
		return fmt.Errorf("read sellers of %s: %w", o.OrderID, err)
	}
	defer rows.Close()
	for rows.Next() {
		var s orderSeller
		if err := rows.Scan(&s.ID, &s.Name, &s.BalanceCents); err != nil {
			return err
		}
		o.Sellers = append(o.Sellers, s)
	}
	return rows.Err()
}

// balance is the balance of seller s in cents at the time that is the first
// parameter: what refunds have taken since the seed, less what failed ones gave
// back. It may be below zero.
const balance = `s.opening_cents - coalesce((
	SELECT sum(cents) FROM effects
	WHERE seller_id = s.id AND seller_id <> '' AND lands_at <= ?1
	AND NOT (final_status = 'failed' AND settles_at <= ?1)), 0)`
