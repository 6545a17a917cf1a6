package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// marketplace is what a new instance begins with.
type marketplace struct {
	sellers []seedSeller
	orders  []seedOrder
	tickets []seedTicket
}

type seedSeller struct {
	id, name string
	cents    int64
}

type seedOrder struct {
	id, buyerID, currency string
	items                 []seedItem
}

type seedItem struct {
	id, title string
	quantity  int
	cents     int64 // for the whole line
	sellerID  string
}

type seedTicket struct {
	id, buyerID, orderID  string
	subject, status, text string
	at                    time.Time
}

// namedSeed is the part of the seed that the documentation tells.
func namedSeed() marketplace {
	day := func(day, hour, minute int) time.Time {
		return time.Date(2026, time.March, day, hour, minute, 0, 0, time.UTC)
	}
	return marketplace{
		sellers: []seedSeller{
			{"S-ASHCOMBE", "Ashcombe Furniture", 18900},
			{"S-NORTHLOOM", "Northloom", 90000},
		},
		orders: []seedOrder{
			{"SU-88421", "B-2203", "USD", []seedItem{
				{"SHELF-OAK-4", "4-shelf oak unit", 1, 11800, "S-ASHCOMBE"},
				{"HOOK-OAK-2", "oak coat hook", 1, 2600, "S-ASHCOMBE"},
			}},
			{"SU-88510", "B-2204", "USD", []seedItem{
				{"LAMP-BRASS-1", "brass lamp", 1, 4900, "S-ASHCOMBE"},
				{"RUG-JUTE-2", "jute rug", 2, 8000, "S-NORTHLOOM"},
				{"SOFA-LINEN-3", "linen sofa", 1, 42000, "S-NORTHLOOM"},
			}},
		},
		tickets: []seedTicket{
			{
				"T-4127", "B-2203", "SU-88421", "Shelf arrived cracked", "open",
				"Hello, the oak shelf unit came today and one of the side panels is cracked from top to bottom. " +
					"The box was dented too. I would like my money back for the shelf, please. The coat hook is fine.",
				day(17, 14, 21),
			},
			{
				"T-4188", "B-2204", "SU-88510", "Lamp and one of the rugs damaged", "open",
				"Hi, the brass lamp does not switch on, and one of the two jute rugs has a long stain along the edge. " +
					"The sofa is lovely. What can you do about the lamp and the rug?",
				day(20, 9, 47),
			},
			{
				"T-4201", "B-2203", "SU-88421", "Has my refund been sent?", "open",
				"Hello again, I wrote last week about the cracked oak shelf and I cannot see the refund on my card yet. " +
					"Could you check what happened to it?",
				day(24, 11, 5),
			},
		},
	}
}

// seedIfEmpty seeds a file that has no account yet, and adds the procedures to
// one that was made before there were any.
func seedIfEmpty(ctx context.Context, tx *sql.Tx) error {
	_, err := accountOf(ctx, tx)
	if errors.Is(err, sql.ErrNoRows) {
		return reseed(ctx, tx)
	}
	if err != nil {
		return err
	}
	return addMissingProcedures(ctx, tx)
}

// reseed makes a new instance: the seed, nothing else, and another account.
func reseed(ctx context.Context, tx *sql.Tx) error {
	w := newSeeder(tx)
	for _, table := range []string{
		"faults", "keys", "effects", "ticket_orders", "tickets", "items", "orders", "sellers", "buyers", "procedures", "meta",
	} {
		w.exec(ctx, `DELETE FROM `+table)
	}
	w.exec(ctx, `INSERT INTO meta (name, value) VALUES ('account', ?)`, newAccount())
	w.marketplace(ctx, namedSeed())
	w.marketplace(ctx, generatedSeed())
	w.procedures(ctx, seedProcedures)
	if w.err != nil {
		return fmt.Errorf("seed the marketplace: %w", w.err)
	}
	return nil
}

// seeder writes rows until one cannot be written.
type seeder struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt // closed with tx
	err      error
}

func newSeeder(tx *sql.Tx) *seeder {
	return &seeder{tx: tx, prepared: map[string]*sql.Stmt{}}
}

func (w *seeder) exec(ctx context.Context, statement string, args ...any) {
	stmt, ok := w.prepared[statement]
	if !ok && w.err == nil {
		stmt, w.err = w.tx.PrepareContext(ctx, statement)
		w.prepared[statement] = stmt
	}
	if w.err == nil {
		_, w.err = stmt.ExecContext(ctx, args...)
	}
}

func (w *seeder) marketplace(ctx context.Context, m marketplace) {
	for _, s := range m.sellers {
		w.exec(ctx, `INSERT INTO sellers (id, name, opening_cents) VALUES (?, ?, ?)`, s.id, s.name, s.cents)
	}
	for _, o := range m.orders {
		w.exec(ctx, `INSERT OR IGNORE INTO buyers (id) VALUES (?)`, o.buyerID)
		w.exec(ctx, `INSERT INTO orders (id, buyer_id, currency) VALUES (?, ?, ?)`, o.id, o.buyerID, o.currency)
		for place, i := range o.items {
			w.exec(ctx, `INSERT INTO items (order_id, place, item_id, title, quantity, paid_cents, seller_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				o.id, place, i.id, i.title, i.quantity, i.cents, i.sellerID)
		}
	}
	for _, t := range m.tickets {
		w.exec(ctx, `INSERT INTO tickets (id, buyer_id, subject, status, text, at) VALUES (?, ?, ?, ?, ?, ?)`,
			t.id, t.buyerID, t.subject, t.status, t.text, t.at.UnixNano())
		w.exec(ctx, `INSERT INTO ticket_orders (ticket_id, order_id) VALUES (?, ?)`, t.id, t.orderID)
	}
}
