package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/store"
)

var now = time.Date(2026, time.March, 17, 14, 32, 7, 0, time.UTC)

func options(path string) store.Options {
	return store.Options{
		Path: path, Account: ledgertest.Account, NewID: uuid.NewString, Now: func() time.Time { return now },
	}
}

// open opens a ledger that is closed at the end of the test.
func open(t testing.TB, path string) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), options(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "acct.ledger.db") }

func TestLedger(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Ledgers {
		path := newPath(t)
		t.Cleanup(func() { // once they are closed
			if h := store.Examine(context.Background(), store.Examination{Path: path, Full: true}); h.Unreadable != nil || h.Damage != nil {
				t.Errorf("what is left: %v %v", h.Unreadable, h.Damage)
			}
		})
		first, second := open(t, path), open(t, path)
		return ledgertest.Ledgers{
			First:  first,
			Second: second,
			KillSecond: func() {
				if err := second.Kill(); err != nil {
					t.Fatal(err)
				}
			},
			Reopen: func() intent.Ledger {
				for _, l := range []*store.Ledger{first, second} {
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
				}
				return open(t, path)
			},
		}
	})
}

func key(n int) intent.Key {
	return intent.DeriveKey(ledgertest.Account, "issue_refund", []intent.Fact{intent.IntFact("n", int64(n))})
}

// claim is a claim as an engine makes it.
func claim(n int) intent.Change {
	at := now.Add(time.Duration(n) * time.Second)
	return intent.Change{
		Row: &intent.Row{
			Key: key(n), Tool: "issue_refund", State: intent.StateInFlight, Scope: intent.Scope("remedy", uuid.NewString()),
			Ticket: "T-4127", Cents: 11800, Currency: "USD", Sends: 1, Nonce: uuid.NewString(),
			ClaimedAt: at, SendBy: at.Add(5 * time.Second), DueAt: at.Add(30 * time.Second), CreatedAt: at, UpdatedAt: at,
		},
		Resources: []intent.Resource{
			{Kind: "order", ID: "SU-" + key(n).String()[:12]},
			{Kind: "seller", ID: "S-ASHCOMBE"},
			{Kind: "buyer", ID: "B-" + key(n).String()[:10]},
			{Kind: "ticket", ID: "T-" + key(n).String()[:12]},
		},
		Exclusive:    true,
		Fingerprints: []intent.Fingerprint{fingerprint(n)},
		Act: &intent.Act{
			Arguments: intent.Arguments(`{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4","amount_cents":11800}`),
			Payload:   []byte(`{"order":"SU-88421","item":"SHELF-OAK-4","units":[1],"cents":11800,"currency":"USD"}`),
			Request:   []byte(`{"order":"SU-88421","item":"SHELF-OAK-4","cents":11800,"currency":"USD"}`),
			Policy:    "1",
		},
	}
}

// record is the change that ends an act well.
func record(row intent.Row) intent.Change {
	seen := row.Version
	row.State, row.Evidence, row.EffectID, row.Status, row.Final = intent.StatePerformed, intent.EvidenceResponse, "re_"+row.Nonce, "succeeded", true
	row.SenderDone, row.DueAt, row.ConfirmedAt = true, time.Time{}, row.UpdatedAt
	return intent.Change{Row: &row, Seen: seen, Attempt: &intent.Attempt{
		Owner: row.Owner, ProviderKey: "0123456789abcdef0123456789abcdef", StartedAt: row.ClaimedAt, EndedAt: row.UpdatedAt,
		Answer: "performed", Settled: "performed", Evidence: intent.EvidenceResponse, EffectID: row.EffectID,
	}}
}

func fingerprint(n int) intent.Fingerprint {
	return intent.DeriveFingerprint(ledgertest.Account, "issue_refund", []intent.Fact{intent.IntFact("n", int64(n))})
}

// commit makes a change that must succeed.
func commit(t testing.TB, l intent.Ledger, c intent.Change) intent.Row {
	t.Helper()
	row, err := l.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func find(t testing.TB, l intent.Ledger, k intent.Key) (intent.Row, bool) {
	t.Helper()
	row, ok, err := l.Find(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return row, ok
}
