package tools

import (
	"context"
	"fmt"
	"slices"

	"counterfoil/intent"
	"counterfoil/provider"
)

// mostEffects bounds the list; mostRows what it is chosen from.
const (
	mostEffects = 50
	mostRows    = 500
)

// EffectsLedger is what list_effects needs of a ledger.
type EffectsLedger interface {
	Find(ctx context.Context, key intent.Key) (intent.Row, bool, error)
	Around(ctx context.Context, r intent.Resource, limit int) ([]intent.Row, error)
}

// EffectsOf answers list_effects from the ledger alone, so that it answers while
// an authority hangs.
func EffectsOf(ledger EffectsLedger, m provider.Marketplace) func(context.Context, ListEffects) ReadResult {
	return func(ctx context.Context, args ListEffects) ReadResult {
		if args.IntentKey != "" {
			return effectOfKey(ctx, ledger, args.IntentKey)
		}
		rows, err := ledger.Around(ctx, ticketResource(m, args.TicketID), mostRows)
		if err != nil {
			return Unreachable("The ledger")
		}
		return effectsFound(rows)
	}
}

func effectOfKey(ctx context.Context, ledger EffectsLedger, text string) ReadResult {
	key, err := intent.ParseKey(text)
	if err != nil {
		return notFound("intent")
	}
	row, ok, err := ledger.Find(ctx, key)
	switch {
	case err != nil:
		return Unreachable("The ledger")
	case !ok:
		return notFound("intent")
	}
	return effectsFound([]intent.Row{row})
}

// effectsFound lists rows, open ones first, then the newest.
func effectsFound(rows []intent.Row) ReadResult {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r intent.Row) bool { return r.Step > 0 })
	slices.SortStableFunc(rows, func(a, b intent.Row) int { return rank(a) - rank(b) })
	open := 0
	for _, row := range rows {
		open += 1 - rank(row)
	}
	shown := rows[:min(len(rows), mostEffects)]
	effects := make([]Effect, len(shown))
	for i, row := range shown {
		effects[i] = effectOf(row)
	}
	verdict := fmt.Sprintf("%s recorded here, %d still open.", counted(len(rows), "act"), open)
	if len(rows) == 0 {
		verdict = "Nothing has been done or tried here, as far as this ledger knows."
	}
	if len(rows) > len(shown) {
		verdict += fmt.Sprintf(" The first %d are shown.", len(shown))
	}
	return ReadResult{Verdict: verdict, Outcome: OutcomeFound, Effects: effects}
}

// rank is 0 for an open row, 1 for any other.
func rank(r intent.Row) int {
	if r.Open() {
		return 0
	}
	return 1
}

func effectOf(row intent.Row) Effect {
	related := intent.Relate(row)
	return Effect{
		IntentKey: related.IntentKey, Tool: row.Tool, Outcome: related.Outcome, Reason: intent.ReasonOf(row),
		Status: row.Status, EffectID: row.EffectID, Cents: row.Cents, Currency: row.Currency, At: related.At,
		Attempts: row.Sends, RepeatGets: intent.RepeatGets(row),
	}
}
