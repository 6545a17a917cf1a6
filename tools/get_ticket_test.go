package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
	"counterfoil/tools"
)

func TestGetTicket(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ticket = func(string) provider.Read[provider.Ticket] {
		return got(provider.Ticket{
			TicketID: "T-4127", BuyerID: "B-2203", OrderIDs: []string{"SU-88421"}, Subject: "Broken shelf", Status: "open",
			Messages: []provider.TicketMessage{{ID: "M-1", From: "B-2203", At: at(t, "2026-03-17T09:00:00Z"), Text: "It arrived <broken>."}},
		})
	}
	subject := "Broken shelf"
	want := &tools.ReadResult{
		Verdict: "Ticket T-4127: open, about order SU-88421. 1 message.", Outcome: tools.OutcomeFound,
		TicketID: "T-4127", BuyerID: "B-2203", OrderIDs: []string{"SU-88421"}, Subject: &subject, Status: "open",
		Messages:    []tools.Message{{ID: "M-1", From: "B-2203", At: "2026-03-17T09:00:00.000Z", Text: "It arrived <broken>."}},
		Environment: "sandbox",
	}
	if diff := cmp.Diff(read(t, r.call(t, "get_ticket", `{"ticket_id":"T-4127"}`)), want); diff != "" {
		t.Errorf("answer (-got +want):\n%s", diff)
	}
}

func TestGetTicketVerdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answer  provider.Read[provider.Ticket]
		outcome tools.ReadOutcome
		verdict string
	}{
		{"about nothing", got(provider.Ticket{TicketID: "T-1", Status: "open"}), tools.OutcomeFound, "Ticket T-1: open, about no order. 0 messages."},
		{"about two", got(provider.Ticket{TicketID: "T-1", Status: "closed", OrderIDs: []string{"A", "B"}}), tools.OutcomeFound, "Ticket T-1: closed, about orders A, B. 0 messages."},
		{"missing", provider.Read[provider.Ticket]{State: provider.Missing}, tools.OutcomeNotFound, "No ticket has this id. Check it and ask again."},
		{"down", provider.Read[provider.Ticket]{}, tools.OutcomeUnreachable, "The ticket could not be read just now; this call changed nothing. Ask again."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ticket = func(string) provider.Read[provider.Ticket] { return tt.answer }
			answer := read(t, r.call(t, "get_ticket", `{"ticket_id":"T-1"}`))
			if answer.Outcome != tt.outcome || answer.Verdict != tt.verdict {
				t.Errorf("got %s %q\nwant %s %q", answer.Outcome, answer.Verdict, tt.outcome, tt.verdict)
			}
		})
	}
}
