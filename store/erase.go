package store

import (
	"context"
	"fmt"
	"strconv"

	"counterfoil/intent"
)

// Erased is what an Erase took away, and where it could not.
type Erased struct {
	Intents   int // acts on the ticket, whether or not they still had a text
	Texts     int // acts whose arguments, payload and request are gone
	Notes     int // what people wrote beside their decisions
	Summaries int // what people were told
	// Remains says where a text may still lie beside the rows, one clause each.
	// To erase once more, later, is what helps.
	Remains []string
}

// OpenError reports that a ticket is not finished: an intent on it is open, or
// a person has not been told of one yet.
type OpenError struct {
	Row    intent.Row
	Untold bool // the row is settled, and nobody has its message yet
}

func (e *OpenError) Error() string {
	if e.Untold {
		return fmt.Sprintf("a person has not been told of %s %s yet", e.Row.Tool, e.Row.Key)
	}
	return fmt.Sprintf("%s %s is still open (%s)", e.Row.Tool, e.Row.Key, e.Row.State)
}

// Erase takes the texts of a ticket out of the ledger: arguments, payloads and
// requests, what people were told and what they noted. Keys, fingerprints,
// facts, amounts, ids, outcomes and times stay, so that a repeat is still
// recognised. The decision is kept with every act that had a text. Erasing what
// is erased does no more. *OpenError: the ticket is not finished.
func (l *Ledger) Erase(ctx context.Context, ticket intent.Resource, d intent.Decision) (Erased, error) {
	var erased Erased
	err := l.transact(
		func(tx *transaction) (err error) {
			erased, err = tx.erase(ticket, d)
			return err
		},
		// Where it is not known, it is done again: that does no harm.
		func(*transaction) (bool, error) { return false, nil })
	if err != nil {
		return Erased{}, fmt.Errorf("erase %s %s: %w", ticket.Kind, ticket.ID, err)
	}
	if erased.Intents > 0 {
		erased.Remains = l.scrub()
	}
	return erased, nil
}

// ofTicket begins a statement about the intents of a JSON array of ids, ?1.
const ofTicket = `WITH of (id) AS (SELECT value FROM json_each(?1)),
	keys (key) AS (SELECT key FROM intents WHERE id IN (SELECT id FROM of)) `

// toldOf are the entries of the outbox that tell of those intents.
const toldOf = "(subject IN (SELECT key FROM keys) OR key IN (SELECT key FROM keys))"

const (
	queryStillOpen = ofTicket + "SELECT i.key, 0 FROM intents i WHERE i.id IN (SELECT id FROM of) AND i.open = 1 UNION ALL " +
		"SELECT ifnull(subject, key), 1 FROM escalations WHERE delivered_at IS NULL AND notified_at IS NULL AND " + toldOf + " LIMIT 1"

	queryKeepErasure = ofTicket + `INSERT INTO decisions (intent, n, verb, who, note, secret, at)
		SELECT i.id, 1 + ifnull((SELECT max(n) FROM decisions WHERE intent = i.id), 0), ?2, ?3, ?4, ?5, ?6
		FROM intents i WHERE i.id IN (SELECT id FROM of) AND (
			EXISTS (SELECT 1 FROM acts WHERE intent = i.id AND ` + hasText + `)
			OR EXISTS (SELECT 1 FROM decisions WHERE intent = i.id AND ` + hasNote + `)
			OR EXISTS (SELECT 1 FROM escalations WHERE (subject = i.key OR key = i.key) AND ` + hasSummary + `))`
	queryEraseTexts = ofTicket + "UPDATE acts SET arguments = '', payload = NULL, request = NULL " +
		"WHERE intent IN (SELECT id FROM of) AND " + hasText
	queryEraseNotes     = ofTicket + "UPDATE decisions SET note = '' WHERE intent IN (SELECT id FROM of) AND " + hasNote
	queryEraseSummaries = ofTicket + "UPDATE escalations SET summary = '(erased)' WHERE " + hasSummary + " AND " + toldOf

	// Words stay in the place of a summary: where it has only been notified, the
	// desk gets it still.
	hasSummary = "summary NOT IN ('', '(erased)')"
	hasText    = "(arguments <> '' OR payload IS NOT NULL OR request IS NOT NULL)"
	// Who erased, and why, is not a text of the ticket.
	hasNote = "note <> '' AND verb <> '" + intent.VerbErase + "'"
)

func (tx *transaction) erase(ticket intent.Resource, d intent.Decision) (e Erased, err error) {
	ids, err := tx.ofTicket(ticket)
	if err != nil {
		return Erased{}, err
	}
	e.Intents = len(ids)
	array := jsonArray(ids)
	if err := tx.refuseOpen(array); err != nil {
		return Erased{}, err
	}
	if _, err := tx.count(queryKeepErasure, array, d.Verb, d.Who, d.Note, d.Secret, instant(d.At)); err != nil {
		return Erased{}, err
	}
	for _, step := range []struct {
		query string
		count *int
	}{
		{queryEraseTexts, &e.Texts}, {queryEraseNotes, &e.Notes}, {queryEraseSummaries, &e.Summaries},
	} {
		if *step.count, err = tx.count(step.query, array); err != nil {
			return Erased{}, err
		}
	}
	return e, nil
}

// ofTicket are the intents on a ticket.
func (tx *transaction) ofTicket(ticket intent.Resource) (ids []int64, err error) {
	kind, ok, err := tx.known(ticket.Kind)
	if err != nil || !ok {
		return nil, err
	}
	err = touching(tx.conn, kind, ticket.ID, func(t *touch) bool {
		ids = append(ids, t.id)
		return true
	})
	return ids, err
}

func jsonArray(ids []int64) string {
	b := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}

// refuseOpen is an OpenError while one of the intents is not finished.
func (tx *transaction) refuseOpen(ids string) error {
	var key keyBlob
	var untold bool
	found, err := tx.first(queryStillOpen, []any{ids}, &key, &untold)
	if err != nil || !found {
		return err
	}
	open, err := tx.find(intent.Key(key))
	if err != nil {
		return err
	}
	return &OpenError{Row: open, Untold: untold}
}
