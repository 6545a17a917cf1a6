package store

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"counterfoil/intent"
)

// rowColumns are the columns of table intents that make up an intent.Row, in
// the order of appendRowFields. The times of rest count from created_at.
var rowColumns = []string{
	"key", "version", "state", "reason", "scope", "ticket", "cents", "currency", "effect_id",
	"due_at", "created_at", "updated_at", "rest", "tool", "owner", "principal",
}

// appendRowFields points at the fields of a row: to scan into, or to bind. The names
// come from the caller, since the table has their numbers.
func appendRowFields(to []any, r *intent.Row, tool, owner, principal any) []any {
	return append(to,
		(*keyBlob)(&r.Key), &r.Version, (*string)(&r.State), (*string)(&r.Reason), &r.Scope, &r.Ticket, &r.Cents, &r.Currency, &r.EffectID,
		(*instant)(&r.DueAt), (*instant)(&r.CreatedAt), (*instant)(&r.UpdatedAt),
		(*rest)(r),
		tool, owner, principal,
	)
}

// selectRow is the list of expressions that reads a row of table intents AS i.
var selectRow = "i." + strings.Join(rowColumns, ", i.")

// rowScan points at the fields of a row to scan into, as selectRow gives them.
func rowScan(r *intent.Row) []any { return appendRowScan(make([]any, 0, len(rowColumns)), r) }

func appendRowScan(to []any, r *intent.Row) []any {
	return appendRowFields(to, r, (*scanName)(&r.Tool), (*scanName)(&r.Owner), (*scanName)(&r.Principal))
}

// attemptColumns are those of an intent.Attempt but for its number: first those
// of appendAttemptFields, then the names.
var attemptColumns = []string{
	"step", "ordinal", "provider_key", "started_at", "ended_at", "detail", "effect_id",
	"owner", "principal", "answer", "settled", "evidence",
}

func appendAttemptFields(to []any, a *intent.Attempt) []any {
	return append(to,
		&a.Step, &a.Ordinal, (*providerKey)(&a.ProviderKey), (*instant)(&a.StartedAt), (*instant)(&a.EndedAt), &a.Detail, &a.EffectID,
	)
}

// attemptScan points at the fields of an attempt, in the order of selectAttempt.
func attemptScan(a *intent.Attempt) []any {
	return append(appendAttemptFields([]any{&a.N}, a), &a.Owner, &a.Principal, &a.Answer, &a.Settled, (*string)(&a.Evidence))
}

// selectAttempt is the list of expressions that reads a row of attempts AS a.
var selectAttempt = "a.n, a." + strings.Join(attemptColumns[:7], ", a.") + ", " +
	nameOf("a.owner") + ", " + nameOf("a.principal") + ", " + nameOf("a.answer") + ", " + nameOf("a.settled") + ", " + nameOf("a.evidence")

// escalationColumns are those of an intent.Escalation.
const escalationColumns = "key, subject, cause, ticket, reason, summary, created_at, tries, ordinal, due_at, handoff_id, delivered_at, notified_at"

func escalationFields(e *intent.Escalation) []any {
	return []any{
		(*keyBlob)(&e.Key), (*keyBlob)(&e.Subject), (*string)(&e.Cause), &e.Ticket, &e.Reason, &e.Summary,
		(*instant)(&e.CreatedAt), &e.Tries, &e.Ordinal, (*dueInstant)(&e.DueAt), &e.HandoffID, (*instant)(&e.DeliveredAt),
		(*instant)(&e.NotifiedAt),
	}
}

// providerKey is a provider's key: as bytes where it is their hexadecimal digits,
// otherwise as it is.
type providerKey string

// Value writes the column.
func (k providerKey) Value() (driver.Value, error) {
	if b, err := hex.DecodeString(string(k)); err == nil && len(b) > 0 && hex.EncodeToString(b) == string(k) {
		return b, nil
	}
	return string(k), nil
}

// Scan reads the column.
func (k *providerKey) Scan(v any) error {
	switch v := v.(type) {
	case []byte:
		*k = providerKey(hex.EncodeToString(v))
		return nil
	case string:
		*k = providerKey(v)
		return nil
	}
	return fmt.Errorf("not a provider's key: %T", v)
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

// Blob writes the column.
func (k *keyBlob) Blob() []byte {
	if (*intent.Key)(k).IsZero() {
		return nil
	}
	return k[:]
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

// Integer writes the column.
func (t instant) Integer() (v int64, ok bool) {
	if time.Time(t).IsZero() {
		return 0, false
	}
	return time.Time(t).UnixMilli(), true
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

// Integer writes the column.
func (t dueInstant) Integer() (v int64, ok bool) {
	v, _ = instant(t).Integer()
	return v, true
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
