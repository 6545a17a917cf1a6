package sandbox_test

import (
	"strings"
	"testing"

	"counterfoil/intent"
	"counterfoil/provider"
)

// Every fact of every kind is looked at, in an answer and in a list alike.
func TestEveryFactIsChecked(t *testing.T) {
	t.Parallel()

	k := key("ours")
	const at = `"created_at":"2026-03-17T14:32:08.123Z"`
	common := `"intent":"` + k.String() + `",` + at + `}`
	tests := map[string]struct {
		act   func(*testing.T, *provider.Marketplace) act
		whole string
		facts map[string]string // what another request would have instead
	}{
		"message": {
			func(t *testing.T, m *provider.Marketplace) act {
				return actOf(t, m.Messages, provider.Message{TicketID: "T-4127", To: "S-ASHCOMBE", Text: "cracked"})
			},
			`{"id":"msg_1","to":"S-ASHCOMBE","ticket_id":"T-4127","text":"cracked","status":"sent",` + common,
			map[string]string{"S-ASHCOMBE": "S-NORTHLOOM", "T-4127": "T-4201", "cracked": "lost"},
		},
		"pickup": {
			func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Pickups, aPickup) },
			`{"id":"BK-1","order_id":"SU-88421","ticket_id":"T-4127","date":"2026-03-20","status":"booked",` + common,
			map[string]string{"SU-88421": "SU-88510", "T-4127": "T-4201", "2026-03-20": "2026-03-21"},
		},
		"cancellation": {
			func(t *testing.T, m *provider.Marketplace) act {
				return actOf(t, m.Cancellations, provider.Cancellation{TicketID: "T-4127", OrderID: "SU-88421", BookingID: "bk-1"})
			},
			`{"id":"BK-1","order_id":"SU-88421","ticket_id":"T-4201","date":"2026-03-20","status":"cancelled",` +
				`"intent":"` + key("booked").String() + `","cancel_intent":"` + k.String() + `","cancel_ticket_id":"T-4127",` +
				`"cancelled_at":"2026-03-17T15:00:00.000Z",` + at + `}`,
			map[string]string{"BK-1": "BK-2", "SU-88421": "SU-88510", "T-4127": "T-4201"},
		},
		"replacement": {
			func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Replacements, aReplacement) },
			`{"id":"RP-1","order_id":"SU-88510","item_id":"RUG-JUTE-2","ticket_id":"T-4188","units":[1,2],"status":"ordered",` + common,
			map[string]string{"SU-88510": "SU-88421", "RUG-JUTE-2": "LAMP-BRASS-1", "T-4188": "T-4201", "[1,2]": "[1]"},
		},
		"handoff": {
			func(t *testing.T, m *provider.Marketplace) act { return actOf(t, m.Desk, aHandoff) },
			`{"id":"esc_1","ticket_id":"T-4127","reason":"unclear_facts","summary":"another one","status":"open",` + common,
			map[string]string{"T-4127": "T-4201", "unclear_facts": "safety"},
		},
	}
	const declaration = `{"dedupe":"24h","lookup":"read_after_write","lands_within":"30s","errors_stored":true}`
	account := `{"account":"sandbox-00","environment":"sandbox","capabilities":{"messages":` + declaration +
		`,"pickups":` + declaration + `,"replacements":` + declaration + `,"escalations":` + declaration + `}}`

	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(body, what string, ours bool) {
				t.Helper()
				m, _ := fake(t, account, raw{status: 200, body: body}, list(false, body))
				a := tt.act(t, m)
				answer := a.send(k, orderKey)
				if _, performed := answer.(intent.AnsweredPerformed); performed != ours {
					t.Errorf("%s: answer %#v, want performed: %v", what, answer, ours)
				}
				finding := a.lookup(k)
				_, found := finding.(intent.Found)
				if _, other := finding.(intent.FoundOther); found != ours || other == ours {
					t.Errorf("%s: finding %#v, want ours: %v", what, finding, ours)
				}
			}
			check(tt.whole, "all ours", true)
			for from, to := range tt.facts {
				changed := strings.ReplaceAll(tt.whole, from, to)
				if changed == tt.whole {
					t.Fatalf("%s is not in the object", from)
				}
				check(changed, to+" instead of "+from, false)
			}
		})
	}
}
