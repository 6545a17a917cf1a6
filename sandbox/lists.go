package sandbox

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
)

const (
	defaultLimit = 50
	maxLimit     = 100
)

type page struct {
	Data    []object `json:"data"`
	HasMore bool     `json:"has_more"`
}

// list is GET of a collection: the effects that show, oldest first, all of them
// or those of one intent, order or ticket.
func (s *Sandbox) list(k kind) reader {
	return func(ctx context.Context, tx *sql.Tx, q query) (any, error) {
		g := s.shown(k, q.now)
		condition, args := "kind = ? AND lands_at <= ? AND visible_at <= ?", append([]any{k.name}, g.seen()...)
		if q.params.Has("intent") {
			if !s.declared[k.collection].listable {
				return nil, refuse(http.StatusNotFound, "lookup_unsupported", "this marketplace cannot look up "+k.collection+" by intent")
			}
			clause, more, err := byIntent(k, g, q.params.Get("intent"))
			if err != nil {
				return nil, err
			}
			condition, args = condition+clause, append(args, more...)
		}
		if q.params.Has(k.by) {
			condition, args = condition+" AND "+k.by+" = ?", append(args, named(q.params.Get(k.by)))
		}
		after, err := startingAfter(ctx, tx, k, q)
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(q)
		if err != nil {
			return nil, err
		}
		effects, err := queryEffects(ctx, tx, condition+" AND seq > ? ORDER BY seq LIMIT ?", append(args, after, limit+1)...)
		if err != nil {
			return nil, err
		}
		return paged(effects, limit, g), nil
	}
}

// byIntent finds a booking by the intent that cancelled it too, as soon as the
// cancellation shows.
func byIntent(k kind, g glance, intent string) (string, []any, error) {
	if intent == "" {
		return "", nil, malformed("intent is empty")
	}
	if k != pickupKind {
		return " AND intent = ?", []any{intent}, nil
	}
	args := append([]any{intent, intent}, g.seen()...)
	return " AND (intent = ? OR (cancel_intent = ? AND cancel_lands_at <= ? AND cancel_visible_at <= ?))", args, nil
}

func startingAfter(ctx context.Context, tx *sql.Tx, k kind, q query) (int64, error) {
	if !q.params.Has("starting_after") {
		return 0, nil
	}
	e, ok, err := effectByID(ctx, tx, k.name, q.params.Get("starting_after"))
	if err == nil && !ok {
		err = malformed("starting_after names nothing of this list")
	}
	return e.seq, err
}

func limitOf(q query) (int, error) {
	if !q.params.Has("limit") {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(q.params.Get("limit"))
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, malformed("limit must be from 1 to " + strconv.Itoa(maxLimit))
	}
	return limit, nil
}

func paged(effects []effect, limit int, g glance) page {
	p := page{Data: []object{}, HasMore: len(effects) > limit}
	for _, e := range effects[:min(limit, len(effects))] {
		p.Data = append(p.Data, e.object(g))
	}
	return p
}

// get is GET of one effect. It shows no more than the list would.
func (s *Sandbox) get(k kind) reader {
	return func(ctx context.Context, tx *sql.Tx, q query) (any, error) {
		e, ok, err := effectByID(ctx, tx, k.name, q.id)
		if err != nil {
			return nil, err
		}
		g := s.shown(k, q.now)
		if !ok || !g.sees(e.landsAt, e.visibleAt) {
			return nil, unknown(k.called)
		}
		return e.object(g), nil
	}
}
