package sandbox

import (
	"context"
	"database/sql"
	"fmt"
)

// Books is what has truly happened, whatever the lists show: the count that
// matters.
type Books struct {
	Effects []Effect        `json:"effects"` // oldest first
	Sellers []SellerBalance `json:"sellers"`
}

// Effect is one effect that has landed. Strings that do not apply are empty and
// left out of the JSON.
type Effect struct {
	Kind     string `json:"kind"` // refund, message, pickup, replacement, escalation
	ID       string `json:"id"`
	OrderID  string `json:"order_id,omitempty"`
	ItemID   string `json:"item_id,omitempty"`
	TicketID string `json:"ticket_id,omitempty"`
	To       string `json:"to,omitempty"`
	Cents    int64  `json:"cents,omitempty"`
	Key      string `json:"key,omitempty"`    // the Idempotency-Key that made it
	Intent   string `json:"intent,omitempty"` // from its metadata
	Status   string `json:"status"`
	At       string `json:"at"` // RFC 3339, UTC, milliseconds
}

// SellerBalance is what a seller has, in cents; below zero when overdrawn.
type SellerBalance struct {
	ID           string `json:"id"`
	BalanceCents int64  `json:"balance_cents"`
}

// Effects returns every effect that has landed and every seller's balance.
func (s *Sandbox) Effects(ctx context.Context) (Books, error) {
	b := Books{Effects: []Effect{}, Sellers: []SellerBalance{}}
	err := s.view(ctx, func(tx *sql.Tx) error {
		now := s.now()
		effects, err := queryEffects(ctx, tx, `lands_at <= ? ORDER BY lands_at, seq`, now)
		if err != nil {
			return err
		}
		for _, e := range effects {
			b.Effects = append(b.Effects, Effect{
				Kind: e.kind, ID: e.id, OrderID: e.orderID, ItemID: e.itemID, TicketID: e.ticketID, To: e.to,
				Cents: e.cents, Key: e.key, Intent: e.intent,
				Status: e.status(glance{now: now, truth: true}), At: stamp(e.landsAt),
			})
		}
		b.Sellers, err = balances(ctx, tx, now)
		return err
	})
	if err != nil {
		return Books{}, fmt.Errorf("read the books: %w", err)
	}
	return b, nil
}

func balances(ctx context.Context, tx *sql.Tx, now int64) ([]SellerBalance, error) {
	rows, err := tx.QueryContext(ctx, `SELECT s.id, `+balance+` FROM sellers s ORDER BY s.place`, now)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sellers := []SellerBalance{}
	for rows.Next() {
		var s SellerBalance
		if err := rows.Scan(&s.ID, &s.BalanceCents); err != nil {
			return nil, err
		}
		sellers = append(sellers, s)
	}
	return sellers, rows.Err()
}
