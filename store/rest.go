package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
)

// restFields point at what a row has beside its columns. In the table that is
// one value: each field that is not zero, as its number in this list and what it
// is. Most rows bear few of them, and no statement asks for any. Their order is
// part of the schema.
func restFields(to []any, r *intent.Row) []any {
	return append(to,
		&r.Step, &r.Parent, (*string)(&r.Retry), (*string)(&r.Evidence), &r.Released, &r.Status, &r.Final, &r.EffectAt,
		&r.Sends, &r.Ambiguous, &r.Ordinal, &r.OrdinalAt, &r.Closed, &r.Stored, &r.Nonce, &r.ClaimedAt,
		&r.ClaimedUp.Boot, &r.ClaimedUp.Since, &r.SendBy, &r.SenderDone, &r.WatchUntil, &r.RetryAt, &r.Sweeps,
		&r.Reopened, &r.RepeatAllowed, &r.ConfirmedAt,
	)
}

// restCount is how many they are.
const restCount = 26

// restWords are texts that are written as their number in this list, which is
// part of the schema too.
var restWords = []string{
	"provider_response", "provider_lookup", "ledger", "person",
	"not_needed", "wait_and_retry", "fix_and_retry", "never",
	"succeeded", "pending", "failed", "cancelled", "sent", "booked", "shipped", "open", "closed",
}

// A text begins with a number whose last two bits say how it is written.
const (
	textPlain = iota + 1 // its length, then its bytes
	textWord             // its number in restWords
	textUUID             // its 16 bytes
)

// rest is a row's column of that name.
type rest intent.Row

// Blob writes the column.
func (r *rest) Blob() []byte {
	var room [restCount]any
	b := make([]byte, 0, 96)
	for i, field := range restFields(room[:0], (*intent.Row)(r)) {
		b = appendField(b, byte(i+1), field, milliOf(r.CreatedAt))
	}
	return b
}

// appendField writes a field, unless it is zero. Times count from since, in
// milliseconds.
func appendField(b []byte, number byte, field any, since int64) []byte {
	switch f := field.(type) {
	case *bool:
		if *f {
			return append(b, number)
		}
	case *int:
		if *f != 0 {
			return binary.AppendVarint(append(b, number), int64(*f))
		}
	case *int64:
		if *f != 0 {
			return binary.AppendVarint(append(b, number), *f)
		}
	case *time.Duration:
		if *f != 0 {
			return binary.AppendVarint(append(b, number), f.Milliseconds())
		}
	case *time.Time:
		if !f.IsZero() {
			return binary.AppendVarint(append(b, number), f.UnixMilli()-since)
		}
	case *string:
		if *f != "" {
			return appendText(append(b, number), *f)
		}
	case *intent.Key:
		if !f.IsZero() {
			return append(append(b, number), f[:]...)
		}
	}
	return b
}

func appendText(b []byte, text string) []byte {
	if word := slices.Index(restWords, text); word >= 0 {
		return binary.AppendUvarint(b, uint64(word)<<2|textWord)
	}
	if id, err := uuid.Parse(text); err == nil && id.String() == text {
		return append(append(b, textUUID), id[:]...)
	}
	return append(binary.AppendUvarint(b, uint64(len(text))<<2|textPlain), text...)
}

var errRest = errors.New("the rest of a row cannot be read")

// Scan reads the column, after the one that the times count from.
func (r *rest) Scan(v any) error {
	b, ok := v.([]byte)
	if !ok {
		return errRest
	}
	p := packed(b)
	var room [restCount]any
	fields := restFields(room[:0], (*intent.Row)(r))
	for len(p) > 0 {
		number := int(p[0])
		if number < 1 || number > len(fields) || !p.skip(1) || !p.read(fields[number-1], milliOf(r.CreatedAt)) {
			return errRest
		}
	}
	return nil
}

// packed is what is still to be read of a rest. Its methods report whether it
// bore what was asked for.
type packed []byte

func (p *packed) read(field any, since int64) (ok bool) {
	var n int64
	switch f := field.(type) {
	case *bool:
		*f, ok = true, true
	case *int:
		n, ok = p.number()
		*f = int(n)
	case *int64:
		*f, ok = p.number()
	case *time.Duration:
		n, ok = p.number()
		*f = time.Duration(n) * time.Millisecond
		ok = ok && f.Milliseconds() == n
	case *time.Time:
		n, ok = p.number()
		*f = time.UnixMilli(since + n).UTC()
	case *string:
		*f, ok = p.text()
	case *intent.Key:
		ok = copy(f[:], *p) == len(f) && p.skip(len(f))
	}
	return ok
}

func (p *packed) number() (int64, bool) {
	v, n := binary.Varint(*p)
	return v, n > 0 && p.skip(n)
}

func (p *packed) text() (string, bool) {
	head, ok := p.size()
	if !ok {
		return "", false
	}
	size := head >> 2
	switch head & 3 {
	case textWord:
		if size < uint64(len(restWords)) {
			return restWords[size], true
		}
	case textUUID:
		if b, ok := p.bytes(uint64(len(uuid.UUID{}))); ok {
			return uuid.UUID(b).String(), true
		}
	case textPlain:
		b, ok := p.bytes(size)
		return string(b), ok
	}
	return "", false
}

func (p *packed) size() (uint64, bool) {
	v, n := binary.Uvarint(*p)
	return v, n > 0 && p.skip(n)
}

func (p *packed) bytes(size uint64) ([]byte, bool) {
	if size > uint64(len(*p)) {
		return nil, false
	}
	b := (*p)[:size]
	*p = (*p)[size:]
	return b, true
}

func (p *packed) skip(n int) bool {
	if n > len(*p) {
		return false
	}
	*p = (*p)[n:]
	return true
}

// milliOf is a time in milliseconds, 0 for none.
func milliOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
