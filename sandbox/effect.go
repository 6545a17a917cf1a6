package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// effect is a row of effects; the schema explains its times.
type effect struct {
	seq            int64
	id             string
	kind           string
	orderID        string
	itemID         string
	ticketID       string
	sellerID       string // whose balance a refund takes from
	to             string
	text           string
	units          []int
	cents          int64
	currency       string
	date           string
	reason         string
	summary        string
	intent         string
	key            string
	landsAt        int64
	visibleAt      int64
	settlesAt      int64
	finalStatus    string
	cancelIntent   string
	cancelTicketID string
	cancelLandsAt  int64
	cancelSeenAt   int64
	closedAt       int64
}

const effectColumns = `seq, id, kind, order_id, item_id, ticket_id, seller_id, recipient, text, units, cents, currency,
	date, reason, summary, intent, key, lands_at, visible_at, settles_at, final_status,
	cancel_intent, cancel_ticket_id, cancel_lands_at, cancel_visible_at, closed_at`

func scanEffect(scan func(...any) error) (effect, error) {
	var e effect
	var units string
	err := scan(&e.seq, &e.id, &e.kind, &e.orderID, &e.itemID, &e.ticketID, &e.sellerID, &e.to, &e.text, &units,
		&e.cents, &e.currency, &e.date, &e.reason, &e.summary, &e.intent, &e.key,
		&e.landsAt, &e.visibleAt, &e.settlesAt, &e.finalStatus,
		&e.cancelIntent, &e.cancelTicketID, &e.cancelLandsAt, &e.cancelSeenAt, &e.closedAt)
	if err != nil || units == "" {
		return e, err
	}
	return e, json.Unmarshal([]byte(units), &e.units)
}

func (e *effect) insert(ctx context.Context, tx *sql.Tx) error {
	units := ""
	if len(e.units) > 0 {
		b, err := json.Marshal(e.units)
		if err != nil {
			return err
		}
		units = string(b)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO effects (id, kind, order_id, item_id, ticket_id, seller_id, recipient, text, units, cents, currency,
			date, reason, summary, intent, key, lands_at, visible_at, settles_at, final_status)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.id, e.kind, e.orderID, e.itemID, e.ticketID, e.sellerID, e.to, e.text, units, e.cents, e.currency,
		e.date, e.reason, e.summary, e.intent, e.key, e.landsAt, e.visibleAt, e.settlesAt, e.finalStatus)
	if err != nil {
		return fmt.Errorf("write %s %s: %w", e.kind, e.id, err)
	}
	return nil
}

// effectByID returns the effect whether or not it has landed.
func effectByID(ctx context.Context, tx *sql.Tx, kind, id string) (effect, bool, error) {
	row := tx.QueryRowContext(ctx, `SELECT `+effectColumns+` FROM effects WHERE id = ? AND kind = ?`, named(id), kind)
	e, err := scanEffect(row.Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return effect{}, false, nil
	}
	if err != nil {
		return effect{}, false, fmt.Errorf("read %s: %w", kind, err)
	}
	return e, true, nil
}

// queryEffects returns the effects that the condition, which may end in an
// ORDER BY and a LIMIT, selects.
func queryEffects(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]effect, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+effectColumns+` FROM effects WHERE `+condition, args...) //nolint:gosec // conditions are this package's own text; values are arguments
	if err != nil {
		return nil, fmt.Errorf("read effects: %w", err)
	}
	defer rows.Close()
	var effects []effect
	for rows.Next() {
		e, err := scanEffect(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read effects: %w", err)
		}
		effects = append(effects, e)
	}
	return effects, rows.Err()
}

// glance is the moment of a look at the marketplace: the truth, or what its
// lists show, which may be less.
type glance struct {
	now       int64
	truth     bool
	listDelay time.Duration // as declared; ignored for the truth
}

func (g glance) sees(landsAt, visibleAt int64) bool {
	if g.truth {
		return landsAt <= g.now
	}
	return landsAt <= g.now-int64(g.listDelay) && visibleAt <= g.now
}

func (g glance) seesCancelled(e effect) bool {
	return e.cancelLandsAt != 0 && g.sees(e.cancelLandsAt, e.cancelSeenAt)
}

func (e effect) status(g glance) string {
	switch {
	case e.settlesAt > g.now:
		return "pending"
	case g.seesCancelled(e):
		return "cancelled"
	case e.closedAt != 0 && e.closedAt <= g.now:
		return "closed"
	default:
		return e.finalStatus
	}
}

// object is an effect as the API answers with it. Members that its kind does
// not have, or that were not sent, are left out.
type object struct {
	ID             string `json:"id"`
	OrderID        string `json:"order_id,omitempty"`
	ItemID         string `json:"item_id,omitempty"`
	TicketID       string `json:"ticket_id,omitempty"`
	To             string `json:"to,omitempty"`
	Text           string `json:"text,omitempty"`
	Units          []int  `json:"units,omitempty"`
	Cents          int64  `json:"cents,omitempty"`
	Currency       string `json:"currency,omitempty"`
	Date           string `json:"date,omitempty"`
	Reason         string `json:"reason,omitempty"`
	Summary        string `json:"summary,omitempty"`
	Intent         string `json:"intent,omitempty"`
	CancelIntent   string `json:"cancel_intent,omitempty"`
	CancelTicketID string `json:"cancel_ticket_id,omitempty"`
	Status         string `json:"status"`
	CreatedAt      string `json:"created_at"`
	CancelledAt    string `json:"cancelled_at,omitempty"`
	ClosedAt       string `json:"closed_at,omitempty"`
}

func (e effect) object(g glance) object {
	o := object{
		ID: e.id, OrderID: e.orderID, ItemID: e.itemID, TicketID: e.ticketID, To: e.to, Text: e.text, Units: e.units,
		Cents: e.cents, Currency: e.currency, Date: e.date, Reason: e.reason, Summary: e.summary, Intent: e.intent,
		Status: e.status(g), CreatedAt: stamp(e.landsAt),
	}
	if g.seesCancelled(e) {
		o.CancelIntent, o.CancelTicketID, o.CancelledAt = e.cancelIntent, e.cancelTicketID, stamp(e.cancelLandsAt)
	}
	if e.closedAt != 0 {
		o.ClosedAt = stamp(e.closedAt)
	}
	return o
}

// crossed is the answer that belongs to somebody else's request: another order
// and amount, or another ticket where the kind has no order, and another
// booking for a cancellation, which is all that one names.
func (o object) crossed() object {
	switch {
	case o.OrderID != "":
		o.OrderID = other(o.OrderID, "SU-90001", "SU-90002")
	case o.TicketID != "":
		o.TicketID = other(o.TicketID, "T-5001", "T-5002")
	}
	if o.Cents != 0 {
		o.Cents += 100
	}
	if o.Status == "cancelled" {
		o.ID = other(o.ID, "BK-0000000000000001", "BK-0000000000000002")
	}
	return o
}

func other(id, first, second string) string {
	if id == first {
		return second
	}
	return first
}

// stamp writes a stored time as RFC 3339, UTC, with milliseconds.
func stamp(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000Z")
}
