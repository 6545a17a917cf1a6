package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/store"
)

const aboutErase = `Erases the texts of one ticket from the ledger: messages, free-text reasons,
summaries, the names in them, and what people noted. What was done stays: keys,
amounts, ids, outcomes and times, so that a repeat is still recognised.

A ticket of which something is open cannot be erased, and what was erased can no
longer be looked up at the provider. Backups, and what the provider and the desk
have of the ticket, are theirs to erase. Erasing once more does no harm.`

// erasure is what was erased of a ticket.
type erasure struct {
	TicketID  string   `json:"ticket_id"`
	Acts      int      `json:"acts"`      // of the ticket
	Texts     int      `json:"texts"`     // acts that lost theirs
	Notes     int      `json:"notes"`     // of decisions
	Summaries int      `json:"summaries"` // that people were told
	Remains   []string `json:"remains"`   // where a text may still lie
}

func (s *shell) ledgerErase() *cobra.Command {
	var f personFlags
	var ticket string
	cmd := &cobra.Command{
		Use: "erase --ticket ID", Short: "Erase the texts of one ticket", Long: aboutErase, Args: takes(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(ticket) == "" {
				return misused("ledger erase: name the ticket with --ticket")
			}
			person, err := f.person(s)
			if err != nil {
				return err
			}
			return s.withEngine(cmd, (*works).openAnyway, func(asked context.Context, w *works) error {
				if w.broken != nil {
					return w.broken
				}
				if person.Secret, err = s.showSecret(asked, w, intent.VerbErase, f.secretFile); err != nil {
					return err
				}
				return s.eraseTicket(asked, w, ticket, person, f.asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&ticket, "ticket", "", "the ticket's id")
	f.add(cmd)
	return cmd
}

func (s *shell) eraseTicket(ctx context.Context, w *works, id string, p intent.Person, asJSON bool) error {
	ledger, ok := w.ledger.(interface {
		Erase(ctx context.Context, ticket intent.Resource, d intent.Decision) (store.Erased, error)
	})
	if !ok {
		return errors.New("this ledger cannot erase")
	}
	ticket := intent.Resource{Kind: "ticket", ID: w.market.Tickets.Spelling(id)}
	got, err := ledger.Erase(ctx, ticket, intent.Decision{Verb: intent.VerbErase, Who: p.Name, Note: p.Note, Secret: p.Secret, At: w.now()})
	if err != nil {
		return unfinished(id, err)
	}
	if got.Intents == 0 {
		return fmt.Errorf("the ledger has nothing of ticket %s", id)
	}
	e := erasure{
		TicketID: id, Acts: got.Intents, Texts: got.Texts, Notes: got.Notes, Summaries: got.Summaries,
		Remains: append([]string{}, got.Remains...),
	}
	if asJSON {
		return printJSON(s.Out, e)
	}
	s.printErasure(e)
	return nil
}

// unfinished makes one clear sentence of why a ticket cannot be erased.
func unfinished(ticket string, err error) error {
	var open *store.OpenError
	switch {
	case !errors.As(err, &open):
		return err
	case open.Untold:
		return fmt.Errorf("ticket %s cannot be erased yet: %w; counterfoil sweep tries to tell them now", ticket, open)
	}
	return fmt.Errorf("ticket %s cannot be erased yet: %w; see counterfoil ledger show %s", ticket, open, open.Row.Key)
}

func (s *shell) printErasure(e erasure) {
	if e.Texts+e.Notes+e.Summaries == 0 {
		fmt.Fprintf(s.Out, "Ticket %s: nothing was left to erase in %s.\n", e.TicketID, counted(e.Acts, "act"))
	} else {
		fmt.Fprintf(s.Out, "Ticket %s: erased the texts of %s, %s and %s. Keys, amounts, ids, outcomes and times stay.\n",
			e.TicketID, counted(e.Texts, "act"), counted(e.Notes, "note"), countedAs(e.Summaries, "summary", "summaries"))
	}
	for _, place := range e.Remains {
		fmt.Fprintf(s.Out, "A text may still lie in %s. Erase once more when that is done.\n", place)
	}
}

func countedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
