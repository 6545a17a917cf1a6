package sandbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	maxBody = 64 << 10 // bytes
	maxKey  = 255      // bytes
)

// command is one write, read from a request.
type command interface {
	// resolve turns the ids into the marketplace's own spelling and checks the
	// values. It returns a *refusal where the marketplace cannot take them.
	resolve(ctx context.Context, tx *sql.Tx, now int64) error

	// act makes the effect and returns its id, or a *refusal having changed
	// nothing.
	act(ctx context.Context, tx *sql.Tx, key string, now int64, t timing) (id string, err error)
}

// parser reads a command from the id in the path, "" where there is none, and
// the body. It returns a *refusal for a request whose form is wrong.
type parser func(id string, body []byte) (command, error)

// write is the handler of a write operation. From the last byte of the request
// on, a client that goes away changes nothing: what was asked for happens.
func (s *Sandbox) write(k kind, operation string, parse parser) route {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		ctx := context.WithoutCancel(r.Context())
		var a answer
		cmd, req, err := prepare(w, r, operation, id, parse)
		if err != nil {
			err = errors.Join(s.admitted(ctx, accountHeader(r)), err)
		} else {
			a, err = s.perform(ctx, k, cmd, req)
		}
		s.deliver(w, r, s.settled(a, err))
	}
}

func prepare(w http.ResponseWriter, r *http.Request, operation, id string, parse parser) (command, request, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, request{}, err
	}
	req, err := identify(r, operation, id, body)
	if err != nil {
		return nil, request{}, err
	}
	cmd, err := parse(id, body)
	return cmd, req, err
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(http.StatusRequestEntityTooLarge, "too_large", "a body may have 64 KiB")
	case err != nil:
		return nil, malformed("the body could not be read to its end")
	}
	return body, nil
}

func identify(r *http.Request, operation, id string, body []byte) (request, error) {
	req := request{operation: operation, account: accountHeader(r), key: r.Header.Get("Idempotency-Key")}
	if len(req.key) > maxKey {
		return request{}, malformed("an idempotency key may have 255 bytes")
	}
	// Nothing is named by an id with a NUL in it, so the two cannot run together.
	sum := sha256.Sum256(append([]byte(strings.ToUpper(named(id))+"\x00"), body...))
	req.digest = sum[:]
	return req, nil
}

// perform does what the request asks for, unless it was done before or a fault
// is in the way, in one transaction.
func (s *Sandbox) perform(ctx context.Context, k kind, cmd command, req request) (answer, error) {
	var a answer
	err := s.update(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := admit(ctx, tx, req.account); err != nil {
			return err
		}
		if err := cmd.resolve(ctx, tx, now); err != nil {
			return err
		}
		f, err := takeFault(ctx, tx, req.operation)
		if err != nil {
			return err
		}
		a, err = s.undergo(ctx, tx, k, cmd, req, f, now)
		// A refusal from here on has used a fault, which must be committed.
		var no *refusal
		if errors.As(err, &no) {
			a, err = no.answer(), nil
		}
		return err
	})
	return a, err
}

// undergo processes the request under the fault that meets it.
func (s *Sandbox) undergo(ctx context.Context, tx *sql.Tx, k kind, cmd command, req request, f Fault, now int64) (answer, error) {
	if a, ok := f.instead(); ok {
		return a, nil
	}
	a, err := s.process(ctx, tx, k, cmd, req, f, now)
	if err != nil {
		return answer{}, err
	}
	if f.mode() == DeliverTwice {
		// The client sees the first answer; the second is lost with its delivery.
		var no *refusal
		if _, err := s.process(ctx, tx, k, cmd, req, f, now); err != nil && !errors.As(err, &no) {
			return answer{}, err
		}
	}
	return f.bend(a), nil
}

// process acts, or answers again what was answered under this key.
func (s *Sandbox) process(ctx context.Context, tx *sql.Tx, k kind, cmd command, req request, f Fault, now int64) (answer, error) {
	declared := s.declared[k.collection]
	r, known, err := declared.recall(ctx, tx, req, f, now)
	if err != nil {
		return answer{}, err
	}
	if known {
		return s.replay(ctx, tx, k, req, r, f, now)
	}
	r = record{digest: req.digest, status: http.StatusOK}
	if f.mode() == Stored500 {
		r.status = http.StatusInternalServerError
		return serverError(), declared.keep(ctx, tx, req, r, now)
	}
	if r.effectID, err = cmd.act(ctx, tx, req.key, now, f.timing(now)); err != nil {
		return answer{}, err
	}
	if f.mode() == AcceptThen500 && declared.ErrorsStored {
		r.status = http.StatusInternalServerError
	}
	if f.mode() == Slow {
		r.answersAt = now + int64(f.Delay)
	}
	if err := declared.keep(ctx, tx, req, r, now); err != nil {
		return answer{}, err
	}
	return found(ctx, tx, k, r.effectID, now)
}

// replay answers a repeat. It makes no effect, but what was to land later lands
// with it, so that the two never stand side by side.
func (s *Sandbox) replay(ctx context.Context, tx *sql.Tx, k kind, req request, r record, f Fault, now int64) (answer, error) {
	if err := r.repeats(req, now); err != nil {
		return answer{}, err
	}
	if r.effectID != "" && f.mode() != LandLate {
		if err := land(ctx, tx, req, r.effectID, now); err != nil {
			return answer{}, err
		}
	}
	a := serverError()
	if r.status == http.StatusOK {
		var err error
		if a, err = found(ctx, tx, k, r.effectID, now); err != nil {
			return answer{}, err
		}
	}
	a.replayed = true
	return a, nil
}

// land lets an effect, or a cancellation by this key, that was to land later
// land now.
func land(ctx context.Context, tx *sql.Tx, req request, id string, now int64) error {
	statement, args := `UPDATE effects SET lands_at = ?1, visible_at = ?1, settles_at = ?1 WHERE id = ?2 AND lands_at > ?1`, []any{now, id}
	if req.operation == pickupsCancel {
		statement, args = `UPDATE effects SET cancel_lands_at = ?1, cancel_visible_at = ?1
			WHERE id = ?2 AND cancel_lands_at > ?1 AND cancel_key = ?3`, append(args, req.key)
	}
	if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("land %s: %w", id, err)
	}
	return nil
}

// found answers with the effect as it is in truth.
func found(ctx context.Context, tx *sql.Tx, k kind, id string, now int64) (answer, error) {
	e, ok, err := effectByID(ctx, tx, k.name, id)
	if err != nil {
		return answer{}, err
	}
	if !ok {
		return answer{}, fmt.Errorf("%s %s has vanished", k.name, id)
	}
	return answer{status: http.StatusOK, body: e.object(glance{now: now, truth: true})}, nil
}
