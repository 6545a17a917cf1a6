package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"counterfoil/intent"
)

// A ledger file has one account, which is number 1.
var (
	queryFind = "SELECT " + selectRow + " FROM intents i WHERE i.account = 1 AND i.key = ?"

	// Newest first: intents are numbered in the order of their making.
	fromTouches = ` FROM touches t CROSS JOIN intents i ON i.id = t.intent
		WHERE t.resource = (SELECT id FROM resources WHERE kind = ? AND name = ?)`
	queryRecognise = "SELECT i.fingerprints, " + selectRow + fromTouches + " AND instr(i.fingerprints, ?) > 0 ORDER BY t.intent DESC"
	queryByEffect  = "SELECT " + selectRow + fromTouches + " AND i.tool = ? AND i.effect_id = ? ORDER BY t.intent DESC LIMIT 1"
	queryAround    = "SELECT " + selectRow + fromTouches + " ORDER BY t.intent DESC LIMIT ?"

	queryList    = "SELECT " + selectRow + " FROM intents i ORDER BY i.open DESC, i.created_at DESC, i.id DESC LIMIT ?"
	queryDue     = "SELECT " + selectRow + " FROM intents i WHERE i.due_at <= ? ORDER BY i.due_at, i.id LIMIT ?"
	queryFlights = "SELECT " + selectRow + " FROM intents i INDEXED BY intents_in_flight WHERE i.state = 'in_flight' ORDER BY i.id"

	queryAttempts = "SELECT " + attemptColumns + ", " + selectBehind("a") + " FROM attempts a WHERE a.intent = ? ORDER BY a.n"
)

const (
	queryMark = "SELECT seq FROM ledger"
	queryAct  = `SELECT a.arguments, a.payload, a.request, a.figures, a.policy
		FROM intents i CROSS JOIN acts a ON a.intent = i.id WHERE i.account = 1 AND i.key = ?`
	queryDecisions = "SELECT verb, who, note, secret, at FROM decisions WHERE intent = ? ORDER BY n"
	queryNumber    = "SELECT id FROM intents WHERE account = 1 AND key = ?"
	// counted, in SQL, is what the row of except has in the sums.
	querySum = `SELECT
			s.open - iif(x.open = 1 AND x.state <> 'performed' AND x.effect_id = '', x.cents, 0),
			s.spent - iif(x.open = 1 OR x.state = 'performed', x.cents, 0)
		FROM resources r CROSS JOIN sums s ON s.resource = r.id AND s.currency = ?3
		LEFT JOIN intents x ON x.account = 1 AND x.key = ?4 AND x.currency = ?3
			AND EXISTS (SELECT 1 FROM touches t WHERE t.resource = r.id AND t.intent = x.id)
		WHERE r.kind = ?1 AND r.name = ?2`
	queryOutbox = "SELECT " + escalationColumns + ` FROM escalations
		WHERE delivered_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?`
	queryInFlightOwners = `SELECT DISTINCT o.name FROM intents i INDEXED BY intents_in_flight
		CROSS JOIN owners o ON o.id = i.owner WHERE i.state = 'in_flight'`
)

// Find is the row of a key; ok is false where there is none.
func (l *Ledger) Find(ctx context.Context, key intent.Key) (row intent.Row, ok bool, err error) {
	ok, err = l.scan(ctx, "find "+key.String(), queryFind, []any{keyBlob(key)}, rowScan(&row)...)
	return row, ok, err
}

// Recognise is the newest row that touches the ticket and bears the fingerprint.
func (l *Ledger) Recognise(ctx context.Context, ticket intent.Resource, fp intent.Fingerprint) (row intent.Row, ok bool, err error) {
	args := []any{ticket.Kind, ticket.ID, fp[:]}
	err = l.each(ctx, "recognise", queryRecognise, args, func(scan func(...any) error) (bool, error) {
		var pieces []byte
		var r intent.Row
		if err := scan(append([]any{&pieces}, rowScan(&r)...)...); err != nil {
			return false, err
		}
		if ok = bearsFingerprint(pieces, fp); ok { // and not across two of them
			row = r
		}
		return !ok, nil
	})
	return row, ok, err
}

// ByEffect is the newest row of a tool that touches the ticket and whose effect
// has this id.
func (l *Ledger) ByEffect(ctx context.Context, ticket intent.Resource, tool, effectID string) (row intent.Row, ok bool, err error) {
	if effectID == "" {
		return intent.Row{}, false, nil
	}
	args := []any{ticket.Kind, ticket.ID, tool, effectID}
	ok, err = l.scan(ctx, "find by effect", queryByEffect, args, rowScan(&row)...)
	return row, ok, err
}

// Act is what is kept of an intent.
func (l *Ledger) Act(ctx context.Context, key intent.Key) (a intent.Act, err error) {
	what := "act of " + key.String()
	if _, err := l.number(ctx, what, key); err != nil {
		return intent.Act{}, err
	}
	var arguments string
	_, err = l.scan(ctx, what, queryAct, []any{keyBlob(key)}, &arguments, &a.Payload, &a.Request, &a.Figures, &a.Policy)
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
	err = l.each(ctx, what, queryAttempts, []any{id}, func(scan func(...any) error) (bool, error) {
		var a intent.Attempt
		if err := scan(append(attemptFields(&a), &a.Owner, &a.Principal)...); err != nil {
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
	err = l.each(ctx, what, queryDecisions, []any{id}, func(scan func(...any) error) (bool, error) {
		var d intent.Decision
		if err := scan(&d.Verb, &d.Who, &d.Note, &d.Secret, (*instant)(&d.At)); err != nil {
			return false, err
		}
		all = append(all, d)
		return true, nil
	})
	return all, err
}

// number is the number of an intent, ErrNoIntent where there is none.
func (l *Ledger) number(ctx context.Context, what string, key intent.Key) (id int64, err error) {
	ok, err := l.scan(ctx, what, queryNumber, []any{keyBlob(key)}, &id)
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
func (l *Ledger) Around(ctx context.Context, r intent.Resource, limit int) ([]intent.Row, error) {
	return l.rows(ctx, "around "+r.Kind+" "+r.ID, queryAround, r.Kind, r.ID, max(limit, 0))
}

// Totals are the sums of the rows in one currency that touch each resource,
// without the row of except.
func (l *Ledger) Totals(ctx context.Context, rs []intent.Resource, currency string, except intent.Key) (map[intent.Resource]intent.Total, error) {
	totals := make(map[intent.Resource]intent.Total, len(rs))
	for _, r := range rs {
		var t intent.Total
		if _, err := l.scan(ctx, "totals", querySum, []any{r.Kind, r.ID, currency, keyBlob(except)}, &t.Open, &t.Spent); err != nil {
			return nil, err
		}
		totals[r] = t
	}
	return totals, nil
}

// List is all rows, open first, then newest (by CreatedAt), at most limit.
func (l *Ledger) List(ctx context.Context, limit int) ([]intent.Row, error) {
	return l.rows(ctx, "list", queryList, max(limit, 0))
}

// Due are the rows whose DueAt is at or before now, the longest due first.
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) ([]intent.Row, error) {
	return l.rows(ctx, "due", queryDue, instant(now), max(limit, 0))
}

// Orphans are rows in flight whose owner is not alive, oldest first.
func (l *Ledger) Orphans(ctx context.Context, limit int) (orphans []intent.Row, err error) {
	flights, err := l.rows(ctx, "orphans", queryFlights)
	if err != nil {
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
	err = l.each(ctx, "outbox", queryOutbox, args, func(scan func(...any) error) (bool, error) {
		var e intent.Escalation
		if err := scan(escalationFields(&e)...); err != nil {
			return false, err
		}
		all = append(all, e)
		return true, nil
	})
	return all, err
}

// Escalation is one entry of the outbox, delivered or not.
func (l *Ledger) Escalation(ctx context.Context, key intent.Key) (e intent.Escalation, ok bool, err error) {
	ok, err = l.scan(ctx, "escalation "+key.String(), queryEscalation, []any{keyBlob(key)}, escalationFields(&e)...)
	return e, ok, err
}

// rows reads all rows of a query.
func (l *Ledger) rows(ctx context.Context, what, query string, args ...any) (all []intent.Row, err error) {
	err = l.each(ctx, what, query, args, func(scan func(...any) error) (bool, error) {
		var r intent.Row
		if err := scan(rowScan(&r)...); err != nil {
			return false, err
		}
		all = append(all, r)
		return true, nil
	})
	return all, err
}

func (l *Ledger) inFlightOwners(ctx context.Context) (names []string, err error) {
	err = l.each(ctx, "owners in flight", queryInFlightOwners, nil, func(scan func(...any) error) (bool, error) {
		var name string
		if err := scan(&name); err != nil {
			return false, err
		}
		names = append(names, name)
		return true, nil
	})
	return names, err
}
