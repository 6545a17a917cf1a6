package tools

import (
	"context"
	"fmt"
	"strings"

	"counterfoil/intent"
	"counterfoil/provider"
)

func getTicket(d Deps) Tool {
	return readTool(d, "get_ticket", "Read a ticket",
		"Reads a ticket: its buyer, orders, status and messages.",
		func(ctx context.Context, args GetTicket) ReadResult {
			read := readAgain(ctx, d.Engine, func(ctx context.Context) provider.Read[provider.Ticket] {
				return d.Market.Tickets.Ticket(ctx, args.TicketID)
			})
			switch read.State {
			case provider.Got:
				return ticketFound(read.Value)
			case provider.Missing:
				return notFound("ticket")
			case provider.Down:
			}
			return Unreachable("The ticket")
		})
}

func ticketFound(t provider.Ticket) ReadResult {
	messages := make([]Message, len(t.Messages))
	for i, m := range t.Messages {
		messages[i] = Message{ID: m.ID, From: m.From, At: intent.Timestamp(m.At), Text: m.Text}
	}
	return ReadResult{
		Verdict: ticketVerdict(t),
		Outcome: OutcomeFound,

		TicketID: t.TicketID,
		BuyerID:  t.BuyerID,
		OrderIDs: present(t.OrderIDs),
		Subject:  &t.Subject,
		Status:   t.Status,
		Messages: messages,
	}
}

// ticketVerdict leaves the subject out: it is the buyer's text, not ours.
func ticketVerdict(t provider.Ticket) string {
	about := "no order"
	switch len(t.OrderIDs) {
	case 0:
	case 1:
		about = "order " + t.OrderIDs[0]
	default:
		about = "orders " + strings.Join(t.OrderIDs, ", ")
	}
	return fmt.Sprintf("Ticket %s: %s, about %s. %s.", t.TicketID, t.Status, about, counted(len(t.Messages), "message"))
}
