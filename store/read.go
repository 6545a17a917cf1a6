package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"counterfoil/intent"
	"counterfoil/store/sqlite3"
)

var (
	queryFind = "SELECT " + selectRow + " FROM intents i WHERE i.key = ?"

	queryList    = "SELECT " + selectRow + " FROM intents i ORDER BY i.open DESC, i.created_at DESC, i.id DESC LIMIT ?"
	queryDue     = "SELECT " + selectRow + " FROM intents i WHERE i.due_at <= ? ORDER BY i.due_at, i.id LIMIT ?"
	queryFlights = "SELECT " + selectRow + " FROM intents i INDEXED BY intents_due WHERE i.state = 'in_flight' ORDER BY i.id"

	queryAttempts = "SELECT " + selectAttempt + " FROM attempts a WHERE a.intent = ? ORDER BY a.n"
)

const (
	queryMark = "SELECT seq FROM ledger"
	queryAct  = `SELECT ifnull(a.arguments, ''), a.payload, a.request, ifnull(a.figures, ''), ifnull(a.policy, '')
		FROM intents i LEFT JOIN acts a ON a.intent = i.id WHERE i.key = ?`
	queryDecisions = "SELECT verb, who, note, secret, at FROM decisions WHERE intent = ? ORDER BY n"
	queryNumber    = "SELECT id FROM intents WHERE key = ?"
	queryOutbox    = "SELECT " + escalationColumns + ` FROM escalations
		WHERE delivered_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?`
	queryInFlightOwners = `SELECT DISTINCT n.name FROM intents i INDEXED BY intents_due
		CROSS JOIN names n ON n.id = i.owner WHERE i.state = 'in_flight'`
)

// queryTotals are the sums of resources, each with its place among those that
// are asked for.
var queryTotals = repeat("", "SELECT ?, open, spent FROM resources WHERE kind = ? AND name = ? AND currency = ?", " UNION ALL ", "")

// Find is the row of a key; ok is false where there is none.
func (l *Ledger) Find(ctx context.Context, key intent.Key) (row intent.Row, ok bool, err error) {
	ok, err = l.scan(ctx, "find "+key.String(), queryFind, []any{(*keyBlob)(&key)}, rowScan(&row)...)
	return row, ok, err
}

// Recognise is the newest row that touches the ticket and bears the fingerprint.
func (l *Ledger) Recognise(ctx context.Context, ticket intent.Resource, fp intent.Fingerprint) (row intent.Row, ok bool, err error) {
	err = l.touching(ctx, "recognise", ticket, func(t *touch) bool {
		if ok = bearsFingerprint(t.fingerprints, fp); ok {
			row = t.row
		}
		return !ok
	})
	return row, ok && err == nil, err
}

// ByEffect is the newest row of a tool that touches the ticket and whose effect
// has this id.
func (l *Ledger) ByEffect(ctx context.Context, ticket intent.Resource, tool, effectID string) (row intent.Row, ok bool, err error) {
	if effectID == "" {
		return intent.Row{}, false, nil
	}
	err = l.touching(ctx, "find by effect", ticket, func(t *touch) bool {
		if ok = t.row.Tool == tool && t.row.EffectID == effectID; ok {
			row = t.row
		}
		return !ok
	})
	return row, ok && err == nil, err
}

// Act is what is kept of an intent.
func (l *Ledger) Act(ctx context.Context, key intent.Key) (a intent.Act, err error) {
	what := "act of " + key.String()
	var arguments string
	ok, err := l.scan(ctx, what, queryAct, []any{(*keyBlob)(&key)}, &arguments, &a.Payload, &a.Request, &a.Figures, &a.Policy)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", what, ErrNoIntent)
	}
	if arguments != "" {
		a.Arguments = intent.Arguments(arguments)
	}
	return a, err
}

// Attempts are the ended attempts of an intent, oldest first.
func (l *Ledger) Attempts(ctx context.Context, key intent.Key) (all []intent.Attempt, err error) {
	what := "attempts of " + key.String()
	id, err := l.number(ctx, what, key)
	if err != nil {
		return nil, err
	}
	err = l.each(ctx, what, queryAttempts, []any{id}, func(r *sqlite3.Row) (bool, error) {
		var a intent.Attempt
		if err := r.Scan(attemptScan(&a)...); err != nil {
			return false, err
		}
		all = append(all, a)
		return true, nil
	})
	return all, err
}

// Decisions are what people decided of an intent, oldest first.
func (l *Ledger) Decisions(ctx context.Context, key intent.Key) (all []intent.Decision, err error) {
	what := "decisions of " + key.String()
	id, err := l.number(ctx, what, key)
	if err != nil {
		return nil, err
	}
	err = l.each(ctx, what, queryDecisions, []any{id}, func(r *sqlite3.Row) (bool, error) {
		var d intent.Decision
		if err := r.Scan(&d.Verb, &d.Who, &d.Note, &d.Secret, (*instant)(&d.At)); err != nil {
			return false, err
		}
		all = append(all, d)
		return true, nil
	})
	return all, err
}

// number is the number of an intent, ErrNoIntent where there is none.
func (l *Ledger) number(ctx context.Context, what string, key intent.Key) (id int64, err error) {
	ok, err := l.scan(ctx, what, queryNumber, []any{(*keyBlob)(&key)}, &id)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", what, ErrNoIntent)
	}
	return id, err
}

// Mark is the number of the last commit; never 0.
func (l *Ledger) Mark(ctx context.Context) (mark int64, err error) {
	_, err = l.scan(ctx, "mark", queryMark, nil, &mark)
	return mark, err
}

// Around are the rows that touch a resource, newest first, at most limit.
func (l *Ledger) Around(ctx context.Context, r intent.Resource, limit int) (all []intent.Row, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = l.touching(ctx, "around "+r.Kind+" "+r.ID, r, func(t *touch) bool {
		all = append(all, t.row)
		return len(all) < limit
	})
	return all, err
}

// Totals are the sums of the rows in one currency that touch each resource,
// without the row of except.
func (l *Ledger) Totals(ctx context.Context, rs []intent.Resource, currency string, except intent.Key) (map[intent.Resource]intent.Total, error) {
	totals := make(map[intent.Resource]intent.Total, len(rs))
	if len(rs) == 0 {
		return totals, nil
	}
	touched := make([]resource, len(rs))
	args := make([]any, 0, 4*len(rs))
	for i := range rs {
		kind, err := l.kind(ctx, rs[i].Kind)
		if err != nil {
			return nil, fmt.Errorf("totals: %w", err)
		}
		totals[rs[i]] = intent.Total{}
		touched[i] = resource{kind: kind, name: rs[i].ID}
		args = append(args, i, &touched[i].kind, &touched[i].name, &currency)
	}
	err := l.glance(ctx, "totals", func(c *sqlite3.Conn) error {
		without := &loaded{}
		asked := false
		return c.Query(queryTotals.of(len(rs)), args, func(r *sqlite3.Row) (more bool, err error) {
			var i int
			var t intent.Total
			if err := r.Scan(&i, &t.Open, &t.Spent); err != nil {
				return false, err
			}
			if !asked { // while the sums are being read, so that both are of one moment
				asked = true
				if err := without.find(c, &except); err != nil {
					return false, err
				}
			}
			if without.currency == currency && listed(without.resources, touched[i].kind, touched[i].name) >= 0 {
				t.Open -= without.counted.Open
				t.Spent -= without.counted.Spent
			}
			totals[rs[i]] = t
			return true, nil
		})
	})
	if err != nil {
		return nil, err
	}
	return totals, nil
}

// List is all rows, open first, then newest (by CreatedAt), at most limit.
func (l *Ledger) List(ctx context.Context, limit int) (all []intent.Row, err error) {
	err = l.through(ctx, "list", queryList, []any{max(limit, 0)}, appendRow(&all))
	return all, err
}

// Due are the rows whose DueAt is at or before now, the longest due first.
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) (all []intent.Row, err error) {
	err = l.through(ctx, "due", queryDue, []any{instant(now), max(limit, 0)}, appendRow(&all))
	return all, err
}

// Orphans are rows in flight whose owner is not alive, oldest first.
func (l *Ledger) Orphans(ctx context.Context, limit int) (orphans []intent.Row, err error) {
	var flights []intent.Row
	if err := l.through(ctx, "orphans", queryFlights, nil, appendRow(&flights)); err != nil {
		return nil, err
	}
	alive := map[string]bool{}
	for _, row := range flights {
		if _, asked := alive[row.Owner]; !asked {
			alive[row.Owner] = l.Alive(row.Owner)
		}
	}
	orphans = slices.DeleteFunc(flights, func(r intent.Row) bool { return alive[r.Owner] })
	return orphans[:min(len(orphans), max(limit, 0))], nil
}

// Outbox are undelivered escalations whose DueAt is at or before now, the
// longest due first.
func (l *Ledger) Outbox(ctx context.Context, now time.Time, limit int) (all []intent.Escalation, err error) {
	args := []any{instant(now), max(limit, 0)}
	err = l.through(ctx, "outbox", queryOutbox, args, func(r *sqlite3.Row) (bool, error) {
		var e intent.Escalation
		if err := r.Scan(escalationFields(&e)...); err != nil {
			return false, err
		}
		all = append(all, e)
		return true, nil
	})
	return all, err
}

// Escalation is one entry of the outbox, delivered or not.
func (l *Ledger) Escalation(ctx context.Context, key intent.Key) (e intent.Escalation, ok bool, err error) {
	ok, err = l.scan(ctx, "escalation "+key.String(), queryEscalation, []any{(*keyBlob)(&key)}, escalationFields(&e)...)
	return e, ok, err
}

// appendRow reads a row of a query.
func appendRow(all *[]intent.Row) func(*sqlite3.Row) (bool, error) {
	return func(r *sqlite3.Row) (bool, error) {
		var row intent.Row
		if err := r.Scan(rowScan(&row)...); err != nil {
			return false, err
		}
		*all = append(*all, row)
		return true, nil
	}
}

func (l *Ledger) inFlightOwners(ctx context.Context) (names []string, err error) {
	err = l.through(ctx, "owners in flight", queryInFlightOwners, nil, func(r *sqlite3.Row) (bool, error) {
		var name string
		if err := r.Scan(&name); err != nil {
			return false, err
		}
		names = append(names, name)
		return true, nil
	})
	return names, err
}
