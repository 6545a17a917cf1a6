package sandbox

import (
	"context"
	"database/sql"
	"strings"
)

type messageBody struct {
	To       string `json:"to"`
	TicketID string `json:"ticket_id"`
	Text     string `json:"text"`
	Intent   string `json:"intent"`
}

func (s *Sandbox) parseMessage(_ string, body []byte) (command, error) {
	b, err := decode[messageBody](body)
	if err != nil {
		return nil, err
	}
	if err := required("to", b.To, "ticket_id", b.TicketID, "text", b.Text); err != nil {
		return nil, err
	}
	draft := effect{to: b.To, ticketID: b.TicketID, text: b.Text, intent: b.Intent}
	return &creation{kind: messageKind, newID: s.newID, draft: draft, check: checkMessage}, nil
}

func checkMessage(ctx context.Context, tx *sql.Tx, e *effect) error {
	table, what := "sellers", "seller"
	if strings.HasPrefix(strings.ToUpper(named(e.to)), "B-") {
		table, what = "buyers", "buyer"
	}
	if err := spell(ctx, tx, table, what, &e.to); err != nil {
		return err
	}
	return spell(ctx, tx, "tickets", "ticket", &e.ticketID)
}
