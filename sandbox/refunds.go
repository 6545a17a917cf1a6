package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// maxCents keeps sums of amounts far from where an int64 ends.
const maxCents = 1_000_000_000_000

type refundBody struct {
	OrderID     string `json:"order_id"`
	ItemID      string `json:"item_id"`
	TicketID    string `json:"ticket_id"`
	Units       []int  `json:"units"`
	AmountCents *int64 `json:"amount_cents"`
	Currency    string `json:"currency"`
	Reason      string `json:"reason"`
	Intent      string `json:"intent"`
}

func (s *Sandbox) parseRefund(_ string, body []byte) (command, error) {
	b, err := decode[refundBody](body)
	if err != nil {
		return nil, err
	}
	if err := required("order_id", b.OrderID, "currency", b.Currency); err != nil {
		return nil, err
	}
	if b.AmountCents == nil {
		return nil, malformed("amount_cents is required")
	}
	draft := effect{
		orderID: b.OrderID, itemID: b.ItemID, ticketID: b.TicketID, units: b.Units,
		cents: *b.AmountCents, currency: b.Currency, reason: b.Reason, intent: b.Intent,
	}
	return &creation{kind: refundKind, newID: s.newID, draft: draft, check: checkRefund}, nil
}

// checkRefund takes any positive amount: what was paid, what was refunded
// before and what the seller has are no concern of this provider.
func checkRefund(ctx context.Context, tx *sql.Tx, e *effect) error {
	if err := spell(ctx, tx, "orders", "order", &e.orderID); err != nil {
		return err
	}
	quantity, err := spellItem(ctx, tx, e)
	if err != nil {
		return err
	}
	if err := spell(ctx, tx, "tickets", "ticket", &e.ticketID); err != nil {
		return err
	}
	if err := checkUnits(e.units, quantity); err != nil {
		return err
	}
	if e.cents < 1 || e.cents > maxCents {
		return invalid("invalid_amount", fmt.Sprintf("amount_cents must be from 1 to %d", int64(maxCents)))
	}
	return debit(ctx, tx, e)
}

// debit names the seller who pays: the item's, or that of the order's first
// item. It checks the currency on the way.
func debit(ctx context.Context, tx *sql.Tx, e *effect) error {
	var currency string
	err := tx.QueryRowContext(ctx, `
		SELECT o.currency, i.seller_id FROM orders o JOIN items i ON i.order_id = o.id
		WHERE o.id = ? AND (? = '' OR i.item_id = ?) ORDER BY i.place LIMIT 1`,
		e.orderID, e.itemID, e.itemID).Scan(&currency, &e.sellerID)
	if err != nil {
		return fmt.Errorf("look up the seller who pays: %w", err)
	}
	if !strings.EqualFold(strings.TrimSpace(e.currency), currency) {
		return invalid("currency_mismatch", "the order is in "+currency)
	}
	e.currency = currency
	return nil
}
