package store

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"counterfoil/intent"
)

// rowColumns are the columns of table intents that make up an intent.Row, in
// the order of rowFields.
var rowColumns = []string{
	"key", "version", "tool", "step", "parent", "state", "reason", "retry", "evidence", "scope", "released",
	"ticket", "cents", "currency", "effect_id", "status", "final", "effect_at", "sends", "ambiguous", "ordinal",
	"ordinal_at", "closed", "stored", "nonce", "claimed_at", "claimed_boot", "claimed_up", "send_by", "sender_done", "watch_until", "retry_at",
	"due_at", "sweeps", "reopened", "repeat_allowed", "created_at", "updated_at", "confirmed_at",
	"owner", "principal",
}

// rowFields points at the fields of a row: to scan into, or to bind. Who are
// behind it are the caller's, since the table holds their numbers.
func rowFields(r *intent.Row, who behind) []any {
	return []any{
		(*keyBlob)(&r.Key), &r.Version, &r.Tool, &r.Step, (*keyBlob)(&r.Parent), &r.State, &r.Reason, &r.Retry,
		&r.Evidence, &r.Scope, &r.Released, &r.Ticket, &r.Cents, &r.Currency, &r.EffectID, &r.Status, &r.Final,
		(*instant)(&r.EffectAt), &r.Sends, &r.Ambiguous, &r.Ordinal, (*instant)(&r.OrdinalAt), &r.Closed, &r.Stored,
		&r.Nonce, (*instant)(&r.ClaimedAt), &r.ClaimedUp.Boot, (*span)(&r.ClaimedUp.Since), (*instant)(&r.SendBy), &r.SenderDone, (*instant)(&r.WatchUntil),
		(*instant)(&r.RetryAt), (*instant)(&r.DueAt), &r.Sweeps, &r.Reopened, &r.RepeatAllowed,
		(*instant)(&r.CreatedAt), (*instant)(&r.UpdatedAt), (*instant)(&r.ConfirmedAt), who.owner, who.principal,
	}
}

// selectRow is the list of expressions that reads a row of table intents AS i.
var selectRow = "i." + strings.Join(rowColumns[:len(rowColumns)-2], ", i.") + ", " + selectBehind("i")

// behind are the process that acts and who asked it to: pointers to their names
// to scan into, their numbers to bind.
type behind struct{ owner, principal any }

// rowScan points at the fields of a row to scan into, as selectRow gives them.
func rowScan(r *intent.Row) []any { return rowFields(r, behind{&r.Owner, &r.Principal}) }

// selectBehind reads the names behind a row of a table.
func selectBehind(table string) string {
	return "ifnull((SELECT o.name FROM owners o WHERE o.id = " + table + ".owner), ''), " +
		"ifnull((SELECT p.name FROM principals p WHERE p.id = " + table + ".principal), '')"
}

// attemptColumns are those of an intent.Attempt; who are behind it come last.
const attemptColumns = "n, step, ordinal, provider_key, started_at, ended_at, answer, detail, settled, evidence, effect_id"

func attemptFields(a *intent.Attempt) []any {
	return []any{
		&a.N, &a.Step, &a.Ordinal, &a.ProviderKey, (*instant)(&a.StartedAt), (*instant)(&a.EndedAt),
		&a.Answer, &a.Detail, &a.Settled, &a.Evidence, &a.EffectID,
	}
}

// escalationColumns are those of an intent.Escalation.
const escalationColumns = "key, subject, cause, ticket, reason, summary, created_at, tries, ordinal, due_at, handoff_id, delivered_at, notified_at"

func escalationFields(e *intent.Escalation) []any {
	return []any{
		(*keyBlob)(&e.Key), (*keyBlob)(&e.Subject), &e.Cause, &e.Ticket, &e.Reason, &e.Summary,
		(*instant)(&e.CreatedAt), &e.Tries, &e.Ordinal, (*dueInstant)(&e.DueAt), &e.HandoffID, (*instant)(&e.DeliveredAt),
		(*instant)(&e.NotifiedAt),
	}
}

// span is a duration in whole milliseconds.
type span time.Duration

// Value writes a span.
func (s span) Value() (driver.Value, error) { return time.Duration(s).Milliseconds(), nil }

// Scan reads a span.
func (s *span) Scan(v any) error {
	ms, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a duration of type %T", v)
	}
	*s = span(time.Duration(ms) * time.Millisecond)
	return nil
}

// keyBlob is a key as its 32 bytes; the zero key is NULL.
type keyBlob intent.Key

// Scan reads the column.
func (k *keyBlob) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*k = keyBlob{}
		return nil
	case []byte:
		if len(v) == len(k) {
			copy(k[:], v)
			return nil
		}
	}
	return fmt.Errorf("not a key: %T", v)
}

// Value writes the column.
func (k keyBlob) Value() (driver.Value, error) {
	if intent.Key(k).IsZero() {
		return nil, nil
	}
	return k[:], nil
}

// instant is a time in milliseconds; the zero time is NULL.
type instant time.Time

// Scan reads the column.
func (t *instant) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*t = instant{}
		return nil
	case int64:
		*t = instant(time.UnixMilli(v).UTC())
		return nil
	}
	return fmt.Errorf("not a time: %T", v)
}

// Value writes the column.
func (t instant) Value() (driver.Value, error) {
	if time.Time(t).IsZero() {
		return nil, nil
	}
	return time.Time(t).UnixMilli(), nil
}

// dueInstant is a time in milliseconds; the zero time is 0, before all others.
type dueInstant time.Time

// Scan reads the column.
func (t *dueInstant) Scan(v any) error {
	if v == int64(0) {
		*t = dueInstant{}
		return nil
	}
	return (*instant)(t).Scan(v)
}

// Value writes the column.
func (t dueInstant) Value() (driver.Value, error) {
	if time.Time(t).IsZero() {
		return int64(0), nil
	}
	return instant(t).Value()
}

// milli is a time as the ledger gives it back: UTC, whole milliseconds.
func milli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// kept is the row as the ledger gives it back.
func kept(r intent.Row) intent.Row {
	for _, t := range []*time.Time{
		&r.EffectAt, &r.OrdinalAt, &r.ClaimedAt, &r.SendBy, &r.WatchUntil, &r.RetryAt, &r.DueAt,
		&r.CreatedAt, &r.UpdatedAt, &r.ConfirmedAt,
	} {
		*t = milli(*t)
	}
	return r
}
