package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"counterfoil/intent"
	"counterfoil/store"
)

// shown is one intent with all that the ledger has of it.
type shown struct {
	IntentKey   string            `json:"intent_key"`
	Tool        string            `json:"tool"`
	TicketID    string            `json:"ticket_id"`
	Scope       string            `json:"scope"`
	State       intent.State      `json:"state"`
	Reason      intent.Reason     `json:"reason,omitempty"`
	Retry       intent.Retry      `json:"retry,omitempty"`
	Evidence    intent.Evidence   `json:"evidence,omitempty"`
	Sends       int               `json:"sends"` // that may have reached the authority
	EffectID    string            `json:"effect_id"`
	Status      string            `json:"status,omitempty"`
	Cents       int64             `json:"cents"`
	Currency    string            `json:"currency"`
	Figures     string            `json:"figures,omitempty"` // what a person was shown
	Released    bool              `json:"released,omitempty"`
	CreatedAt   string            `json:"created_at"`
	UpdatedAt   string            `json:"updated_at"`
	ConfirmedAt string            `json:"confirmed_at,omitempty"`
	WatchUntil  string            `json:"watch_until,omitempty"`
	Claim       *shownClaim       `json:"claim,omitempty"` // the send that is under way
	Attempts    []shownAttempt    `json:"attempts"`
	Decisions   []shownDecision   `json:"decisions"`
	Escalations []shownEscalation `json:"escalations"`
}

type shownClaim struct {
	Owner      string `json:"owner"`
	Principal  string `json:"principal,omitempty"`
	OwnerAlive bool   `json:"owner_alive"`
	Ordinal    int    `json:"ordinal"`
	ClaimedAt  string `json:"claimed_at"`
	SendBy     string `json:"send_by"`
}

type shownAttempt struct {
	N           int    `json:"n"`
	Ordinal     int    `json:"ordinal"`
	ProviderKey string `json:"provider_key"`
	StartedAt   string `json:"started_at"`
	EndedAt     string `json:"ended_at"`
	Answer      string `json:"answer"`
	Detail      string `json:"detail"`
	Settled     string `json:"settled"`
	Owner       string `json:"owner"`
	Principal   string `json:"principal,omitempty"`
}

type shownDecision struct {
	Verb   string `json:"verb"`
	Who    string `json:"who"`
	Note   string `json:"note"`
	Secret bool   `json:"secret"` // the operator's secret was shown
	At     string `json:"at"`
}

type shownEscalation struct {
	ID          string       `json:"id"`
	Cause       intent.Cause `json:"cause"`
	State       string       `json:"state"` // delivered, queued
	Summary     string       `json:"summary"`
	Tries       int          `json:"tries"`
	CreatedAt   string       `json:"created_at"`
	DeliveredAt string       `json:"delivered_at,omitempty"`
	NotifiedAt  string       `json:"notified_at,omitempty"` // a person, past the desk
}

func (s *shell) ledgerShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show one act with its attempts", Args: takes(1, "one intent key"),
		RunE: s.reading(func(ctx context.Context, ledger *store.Ledger, args []string) error {
			if ledger == nil {
				return noLedgerYet(args[0])
			}
			row, err := findRow(ctx, ledger, args[0])
			if err != nil {
				return err
			}
			view, err := showOf(ctx, ledger, row)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, view)
			}
			return s.printShown(view)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// noLedgerYet is why a key is not known: nothing is.
func noLedgerYet(text string) error {
	if _, err := intent.ParseKey(text); err != nil {
		return misused("%s: %w", text, err)
	}
	return intent.ErrNoIntent
}

func showOf(ctx context.Context, ledger intent.Ledger, row intent.Row) (shown, error) {
	view := shown{
		IntentKey: row.Key.String(), Tool: row.Tool, TicketID: row.Ticket, Scope: row.Scope,
		State: row.State, Reason: intent.ReasonOf(row), Retry: row.Retry, Evidence: row.Evidence,
		Sends: row.Sends, EffectID: row.EffectID, Status: row.Status, Cents: row.Cents, Currency: row.Currency,
		Released: row.Released, CreatedAt: intent.Timestamp(row.CreatedAt), UpdatedAt: intent.Timestamp(row.UpdatedAt),
		ConfirmedAt: intent.Timestamp(row.ConfirmedAt), WatchUntil: intent.Timestamp(row.WatchUntil),
		Attempts: []shownAttempt{}, Decisions: []shownDecision{}, Escalations: []shownEscalation{},
	}
	if row.State == intent.StateInFlight {
		view.Claim = &shownClaim{
			Owner: row.Owner, Principal: row.Principal, OwnerAlive: ledger.Alive(row.Owner), Ordinal: row.Ordinal,
			ClaimedAt: intent.Timestamp(row.ClaimedAt), SendBy: intent.Timestamp(row.SendBy),
		}
	}
	act, err := ledger.Act(ctx, row.Key)
	if err != nil {
		return view, err
	}
	view.Figures = act.Figures
	return view, view.history(ctx, ledger, row.Key)
}

// history adds what happened to the intent.
func (view *shown) history(ctx context.Context, ledger intent.Ledger, key intent.Key) error {
	attempts, err := ledger.Attempts(ctx, key)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		view.Attempts = append(view.Attempts, shownAttempt{
			N: a.N, Ordinal: a.Ordinal, ProviderKey: a.ProviderKey,
			StartedAt: intent.Timestamp(a.StartedAt), EndedAt: intent.Timestamp(a.EndedAt),
			Answer: a.Answer, Detail: a.Detail, Settled: a.Settled, Owner: a.Owner, Principal: a.Principal,
		})
	}
	decisions, err := ledger.Decisions(ctx, key)
	if err != nil {
		return err
	}
	for _, d := range decisions {
		view.Decisions = append(view.Decisions, shownDecision{Verb: d.Verb, Who: d.Who, Note: d.Note, Secret: d.Secret, At: intent.Timestamp(d.At)})
	}
	for _, escalation := range escalationKeys(key, len(decisions)) {
		e, ok, err := ledger.Escalation(ctx, escalation)
		if err != nil {
			return err
		}
		if ok {
			view.Escalations = append(view.Escalations, escalationShown(e))
		}
	}
	return nil
}

// escalationKeys are those that an intent may have: one per cause and episode,
// and its own where it is a handoff.
func escalationKeys(key intent.Key, decisions int) []intent.Key {
	keys := []intent.Key{key}
	for _, cause := range intent.Causes() {
		for episode := range decisions + 1 {
			keys = append(keys, intent.EscalationKey(key, cause, episode))
		}
	}
	return keys
}

func escalationShown(e intent.Escalation) shownEscalation {
	view := shownEscalation{
		ID: e.Key.String(), Cause: e.Cause, State: "queued", Summary: e.Summary, Tries: e.Tries,
		CreatedAt: intent.Timestamp(e.CreatedAt), DeliveredAt: intent.Timestamp(e.DeliveredAt),
		NotifiedAt: intent.Timestamp(e.NotifiedAt),
	}
	if !e.DeliveredAt.IsZero() {
		view.ID, view.State = e.HandoffID, "delivered"
	}
	return view
}

func (s *shell) printShown(view shown) error {
	lines := [][]string{
		{"key", view.IntentKey},
		{"tool", view.Tool},
		{"ticket", view.TicketID},
		{"scope", view.Scope},
		{"state", string(view.State)},
		{"reason", string(view.Reason)},
		{"evidence", string(view.Evidence)},
		{"amount", amount(view.Cents, view.Currency)},
		{"effect", view.EffectID},
		{"status", view.Status},
		{"figures", view.Figures},
		{"sent", fmt.Sprint(view.Sends)},
		{"created", view.CreatedAt},
		{"updated", view.UpdatedAt},
		{"confirmed", view.ConfirmedAt},
		{"watched until", view.WatchUntil},
	}
	var rows [][]string
	for _, line := range lines {
		if line[1] != "" {
			rows = append(rows, line)
		}
	}
	if c := view.Claim; c != nil {
		owner := "its process is gone"
		if c.OwnerAlive {
			owner = "its process runs"
		}
		rows = append(rows, []string{"under way", fmt.Sprintf("since %s, %s", c.ClaimedAt, owner)})
	}
	for _, a := range view.Attempts {
		rows = append(rows, []string{fmt.Sprintf("attempt %d", a.N), fmt.Sprintf("%s answer %s, settled as %s%s", a.StartedAt, detailed(a.Answer, a.Detail), a.Settled, onBehalf(a.Principal))})
		rows = append(rows, []string{"  provider key", a.ProviderKey})
	}
	for _, d := range view.Decisions {
		rows = append(rows, []string{d.Verb, fmt.Sprintf("%s by %s%s", d.At, detailed(d.Who, d.Note), withSecret(d.Secret))})
	}
	for _, e := range view.Escalations {
		state := e.State
		if e.NotifiedAt != "" {
			state += ", notified " + e.NotifiedAt
		}
		rows = append(rows, []string{"told a person", fmt.Sprintf("%s %s (%s): %s", e.CreatedAt, e.ID, state, e.Summary)})
	}
	return table(s.Out, rows)
}

// onBehalf names who asked, where that is known by name.
func onBehalf(principal string) string {
	if principal == "" {
		return ""
	}
	return ", asked by " + principal
}

func withSecret(shown bool) string {
	if shown {
		return ", with the operator's secret"
	}
	return ""
}

func detailed(what, detail string) string {
	if detail == "" {
		return what
	}
	return what + " (" + detail + ")"
}
