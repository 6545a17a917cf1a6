package sandbox

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
)

// request is what identifies a write beside what it asks for.
type request struct {
	operation string
	account   string // Marketplace-Account, "" when not sent
	key       string // Idempotency-Key, "" when not sent
	digest    []byte // of the path's id and the body's bytes
}

// record is what is kept under an idempotency key.
type record struct {
	digest    []byte
	effectID  string
	status    int
	answersAt int64
}

// recall returns what is kept under the request's key. A key that has expired,
// that the declaration does not honour or that the fault makes the marketplace
// forget is not found.
func (c capability) recall(ctx context.Context, tx *sql.Tx, req request, f Fault, now int64) (record, bool, error) {
	if req.key == "" || c.keeps == 0 || f.mode() == NoDedupe {
		return record{}, false, nil
	}
	keeps := c.keeps
	if f.mode() == KeyExpired {
		keeps = min(keeps, f.Delay)
	}
	var r record
	err := tx.QueryRowContext(ctx, `
		SELECT digest, effect_id, status, answers_at FROM keys
		WHERE operation = ? AND key = ? AND created_at > ?`, req.operation, req.key, now-int64(keeps),
	).Scan(&r.digest, &r.effectID, &r.status, &r.answersAt)
	if errors.Is(err, sql.ErrNoRows) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, fmt.Errorf("look up a key of %s: %w", req.operation, err)
	}
	return r, true, nil
}

// keep remembers the answer under the request's key, in place of one that was
// forgotten.
func (c capability) keep(ctx context.Context, tx *sql.Tx, req request, r record, now int64) error {
	if req.key == "" || c.keeps == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO keys (operation, key, digest, effect_id, status, created_at, answers_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET digest = excluded.digest, effect_id = excluded.effect_id, status = excluded.status,
			created_at = excluded.created_at, answers_at = excluded.answers_at`,
		req.operation, req.key, r.digest, r.effectID, r.status, now, r.answersAt)
	if err != nil {
		return fmt.Errorf("keep a key of %s: %w", req.operation, err)
	}
	return nil
}

// repeats refuses a request whose key is known but cannot be answered again.
func (r record) repeats(req request, now int64) error {
	if !bytes.Equal(r.digest, req.digest) {
		return refuse(http.StatusBadRequest, "idempotency_mismatch", "this idempotency key was used with another request")
	}
	if r.answersAt > now {
		return refuse(http.StatusConflict, "idempotency_key_in_use", "the first request with this idempotency key is still in progress")
	}
	return nil
}
