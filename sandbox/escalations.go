package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
)

type escalationBody struct {
	TicketID string `json:"ticket_id"`
	Reason   string `json:"reason"`
	Summary  string `json:"summary"`
	Intent   string `json:"intent"`
}

func (s *Sandbox) parseEscalation(_ string, body []byte) (command, error) {
	b, err := decode[escalationBody](body)
	if err != nil {
		return nil, err
	}
	if err := required("ticket_id", b.TicketID, "reason", b.Reason); err != nil {
		return nil, err
	}
	draft := effect{ticketID: b.TicketID, reason: b.Reason, summary: b.Summary, intent: b.Intent}
	return &creation{kind: escalationKind, newID: s.newID, draft: draft, check: checkEscalation}, nil
}

func checkEscalation(ctx context.Context, tx *sql.Tx, e *effect) error {
	return spell(ctx, tx, "tickets", "ticket", &e.ticketID)
}

// closeEscalation is what a person at the desk does. It is no operation: no
// fault meets it, no key is kept, and closing twice is closing once.
func (s *Sandbox) closeEscalation(w http.ResponseWriter, r *http.Request, id string) {
	ctx := context.WithoutCancel(r.Context())
	var a answer
	err := s.update(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := admit(ctx, tx, accountHeader(r)); err != nil {
			return err
		}
		e, ok, err := effectByID(ctx, tx, escalationKind.name, id)
		if err != nil {
			return err
		}
		if !ok || e.landsAt > now {
			return unknown(escalationKind.called)
		}
		_, err = tx.ExecContext(ctx, `UPDATE effects SET closed_at = ? WHERE id = ? AND closed_at = 0`, now, e.id)
		if err != nil {
			return fmt.Errorf("close %s: %w", e.id, err)
		}
		a, err = found(ctx, tx, escalationKind, e.id, now)
		return err
	})
	s.deliver(w, r, s.settled(a, err))
}
