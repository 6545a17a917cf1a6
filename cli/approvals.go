package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/store"
)

func (s *shell) approvals() *cobra.Command {
	decline := s.decision("decline", "Turn a waiting act down, until somebody re-opens it", "", func(d deciding) (intent.Row, error) {
		return d.engine.Decline(d.asked, d.key, d.person)
	})
	return group("approvals", "Decide on acts that are over a limit", s.approvalsList(), s.approve(), decline)
}

// waiting is an act that waits for a person.
type waiting struct {
	IntentKey string `json:"intent_key"`
	Tool      string `json:"tool"`
	TicketID  string `json:"ticket_id"`
	Scope     string `json:"scope"`
	Cents     int64  `json:"cents"`
	Currency  string `json:"currency"`
	Figures   string `json:"figures"` // what the decision rests on
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

func (s *shell) approvalsList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List what waits for a person", Args: takes(0, ""),
		RunE: s.reading(func(ctx context.Context, ledger *store.Ledger, _ []string) error {
			asked, approved, err := waitingIn(ctx, ledger)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, map[string][]waiting{"approvals": asked})
			}
			s.printWaiting(asked, "Nothing waits for approval.")
			if len(approved) > 0 {
				fmt.Fprintln(s.Out, "Approved, and not done yet:")
				s.printWaiting(approved, "")
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// waitingIn are the acts that wait for a person's word, and those that have it
// and are not done yet.
func waitingIn(ctx context.Context, ledger *store.Ledger) (asked, approved []waiting, err error) {
	asked = []waiting{}
	if ledger == nil {
		return asked, nil, nil
	}
	rows, err := ledger.List(ctx, math.MaxInt32)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		list := &asked
		switch row.State {
		case intent.StateReady:
			list = &approved
		case intent.StateAwaiting:
		case intent.StateInFlight, intent.StatePerformed, intent.StateNotPerformed, intent.StateUnknown, intent.StateQueued:
			continue
		}
		act, err := ledger.Act(ctx, row.Key)
		if err != nil {
			return nil, nil, err
		}
		*list = append(*list, waiting{
			IntentKey: row.Key.String(), Tool: row.Tool, TicketID: row.Ticket, Scope: row.Scope,
			Cents: row.Cents, Currency: row.Currency, Figures: act.Figures,
			CreatedAt: intent.Timestamp(row.CreatedAt), UpdatedAt: intent.Timestamp(row.UpdatedAt),
		})
	}
	return asked, approved, nil
}

func (s *shell) printWaiting(list []waiting, none string) {
	if len(list) == 0 {
		fmt.Fprintln(s.Out, none)
		return
	}
	for _, a := range list {
		fmt.Fprintf(s.Out, "%s\n  %s, %s, on ticket %s, since %s\n  %s\n",
			a.IntentKey, a.Tool, amount(a.Cents, a.Currency), a.TicketID, a.UpdatedAt, a.Figures)
	}
}

// approve allows an act and performs it at once.
func (s *shell) approve() *cobra.Command {
	var f personFlags
	cmd := s.verb("approve", "Allow a waiting act on the figures shown, and do it now", &f, func(d deciding) error {
		var result intent.Result
		var err error
		if !attend(d.asked, d.engine, func(ctx context.Context) { result, err = d.engine.Approve(ctx, d.key, d.person) }) {
			return &exit{exitUnknown, errors.New("left before the answer; what was begun is settled by the next sweep")}
		}
		if err != nil {
			return err
		}
		if result.Reason == intent.ReasonApproval && !f.asJSON {
			return s.printFigures(d)
		}
		if !f.asJSON {
			s.printReady(d)
		}
		return s.printAnswer(&result, f.asJSON)
	})
	cmd.Long = "Allows one waiting act on the figures that approvals list shows, and performs it.\nWhere the figures have changed since, nothing is sent and it waits again.\nExit status as for call."
	return cmd
}

// printReady tells whoever approved that it has not been done yet, and goes on
// without them.
func (s *shell) printReady(d deciding) {
	row, _, err := d.ledger.Find(d.asked, d.key)
	if err != nil || row.State != intent.StateReady {
		return
	}
	fmt.Fprintf(s.Out, "Approved, and not done yet: a running server, or counterfoil sweep, tries it again by itself.\nTo withdraw it: counterfoil approvals decline %s\n", d.key)
}

// printFigures tells whoever approved that it waits again, and on what.
func (s *shell) printFigures(d deciding) error {
	act, err := d.ledger.Act(d.asked, d.key)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "Nothing was sent: the figures have changed since they were shown, so it waits for you again.\nNow: %s.\nApprove it once more if it is still right, or decline it.\n", act.Figures)
	return &exit{code: exitNo}
}
