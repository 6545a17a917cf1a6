package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
)

// query is what a read is asked for.
type query struct {
	id     string // from the path, "" where there is none
	params url.Values
	now    int64
}

// reader answers a read with what is marshalled, or with a *refusal.
type reader func(ctx context.Context, tx *sql.Tx, q query) (any, error)

// read is the handler of a read operation.
func (s *Sandbox) read(operation string, fn reader) route {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		ctx := context.WithoutCancel(r.Context())
		a, err := s.look(ctx, r, operation, id, fn)
		s.deliver(w, r, s.settled(a, err))
	}
}

func (s *Sandbox) look(ctx context.Context, r *http.Request, operation, id string, fn reader) (answer, error) {
	var body any
	faulty := false
	view := func(tx *sql.Tx) (err error) {
		body, err = fn(ctx, tx, query{id: id, params: r.URL.Query(), now: s.now()})
		return err
	}
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		if err := admit(ctx, tx, accountHeader(r)); err != nil {
			return err
		}
		if faulty, err = hasFault(ctx, tx, operation); faulty || err != nil {
			return err
		}
		return view(tx)
	})
	if err != nil {
		return answer{}, err
	}
	if !faulty {
		return answer{status: http.StatusOK, body: body}, nil
	}
	f, err := s.meet(ctx, operation)
	if err != nil {
		return answer{}, err
	}
	if a, ok := f.instead(); ok {
		return a, nil
	}
	if err := s.view(ctx, view); err != nil {
		return answer{}, err
	}
	return f.bend(answer{status: http.StatusOK, body: body}), nil
}

// hasFault keeps reads from waiting for the writer's turn as long as there is
// no fault to use up.
func hasFault(ctx context.Context, tx *sql.Tx, operation string) (bool, error) {
	var set bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM faults WHERE operation = ?)`, operation).Scan(&set)
	if err != nil {
		return false, fmt.Errorf("look for a fault of %s: %w", operation, err)
	}
	return set, nil
}

// meet takes the fault of a read, which another process may have used up since
// it was seen.
func (s *Sandbox) meet(ctx context.Context, operation string) (Fault, error) {
	var f Fault
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		f, err = takeFault(ctx, tx, operation)
		return err
	})
	return f, err
}

// account is GET /v1/account.
func (s *Sandbox) account(w http.ResponseWriter, r *http.Request, _ string) {
	ctx := context.WithoutCancel(r.Context())
	body := struct {
		Account      string                `json:"account"`
		Environment  string                `json:"environment"`
		Capabilities map[string]capability `json:"capabilities"`
	}{Environment: "sandbox", Capabilities: s.declared}
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		if err := admit(ctx, tx, accountHeader(r)); err != nil {
			return err
		}
		body.Account, err = accountOf(ctx, tx)
		return err
	})
	s.deliver(w, r, s.settled(answer{status: http.StatusOK, body: body}, err))
}

// shown is the look of a list of this kind at now.
func (s *Sandbox) shown(k kind, now int64) glance {
	return glance{now: now, listDelay: s.declared[k.collection].listDelay}
}

// seen are the arguments of "lands_at <= ? AND visible_at <= ?".
func (g glance) seen() []any {
	return []any{g.now - int64(g.listDelay), g.now}
}
