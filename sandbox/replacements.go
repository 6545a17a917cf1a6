package sandbox

import (
	"context"
	"database/sql"
)

type replacementBody struct {
	OrderID  string `json:"order_id"`
	ItemID   string `json:"item_id"`
	TicketID string `json:"ticket_id"`
	Units    []int  `json:"units"`
	Intent   string `json:"intent"`
}

func (s *Sandbox) parseReplacement(_ string, body []byte) (command, error) {
	b, err := decode[replacementBody](body)
	if err != nil {
		return nil, err
	}
	if err := required("order_id", b.OrderID, "item_id", b.ItemID, "ticket_id", b.TicketID); err != nil {
		return nil, err
	}
	draft := effect{orderID: b.OrderID, itemID: b.ItemID, ticketID: b.TicketID, units: b.Units, intent: b.Intent}
	return &creation{kind: replacementKind, newID: s.newID, draft: draft, check: checkReplacement}, nil
}

// checkReplacement takes the only unit of a line for granted.
func checkReplacement(ctx context.Context, tx *sql.Tx, e *effect) error {
	if err := spell(ctx, tx, "orders", "order", &e.orderID); err != nil {
		return err
	}
	quantity, err := spellItem(ctx, tx, e)
	if err != nil {
		return err
	}
	if len(e.units) == 0 {
		if quantity != 1 {
			return invalid("invalid_units", "units must say which of the line's units are replaced")
		}
		e.units = []int{1}
	}
	if err := checkUnits(e.units, quantity); err != nil {
		return err
	}
	return spell(ctx, tx, "tickets", "ticket", &e.ticketID)
}
