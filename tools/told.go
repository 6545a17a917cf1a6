package tools

import (
	"context"
	"slices"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

// shownOfText bounds what is shown of a reply, in characters.
const shownOfText = 200

// ToldLedger is what ToldBy needs of a ledger.
type ToldLedger interface {
	Around(ctx context.Context, r intent.Resource, limit int) ([]intent.Row, error)
	Act(ctx context.Context, key intent.Key) (intent.Act, error)
}

// ToldBy gives the replies that reached the buyer on a ticket since a time,
// oldest first, so that what was said can be reconciled with what was done.
func ToldBy(ledger ToldLedger, m provider.Marketplace) func(context.Context, string, time.Time) []intent.Told {
	return func(ctx context.Context, ticket string, since time.Time) []intent.Told {
		rows, err := ledger.Around(ctx, ticketResource(m, ticket), mostRows)
		if err != nil {
			return nil
		}
		var told []intent.Told
		for _, row := range slices.Backward(rows) {
			if row.Tool != "reply_to_buyer" || row.State != intent.StatePerformed || row.EffectAt.Before(since) {
				continue
			}
			act, err := ledger.Act(ctx, row.Key)
			if err != nil {
				continue
			}
			message, err := decodePayload[provider.Message](act.Payload)
			if err != nil {
				continue
			}
			told = append(told, intent.Told{MessageID: row.EffectID, At: intent.Timestamp(row.EffectAt), Text: firstOf(message.Text, shownOfText)})
		}
		return told
	}
}

// firstOf is the first n characters of a text.
func firstOf(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), n)])
}
