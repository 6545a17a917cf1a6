package ledgertest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"counterfoil/intent"
)

// start is when everything in these tests begins.
var start = time.Date(2026, time.March, 17, 14, 32, 7, 123_000_000, time.UTC)

// at is start plus n seconds.
func at(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

// keyOf is the key of the n-th intent.
func keyOf(n int) intent.Key {
	return intent.DeriveKey(Account, "issue_refund", []intent.Fact{intent.IntFact("n", int64(n))})
}

func fingerprintOf(n int) intent.Fingerprint {
	return intent.DeriveFingerprint(Account, "issue_refund", []intent.Fact{intent.IntFact("n", int64(n))})
}

var (
	ticket = intent.Resource{Kind: "ticket", ID: "T-4127"}
	order  = intent.Resource{Kind: "order", ID: "SU-88421"}
	seller = intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}
	other  = intent.Resource{Kind: "order", ID: "SU-88510"}
)

// claimed is the n-th intent as it looks when it has just been claimed.
func claimed(n int, changes ...func(*intent.Row)) intent.Row {
	r := intent.Row{
		Key: keyOf(n), Tool: "issue_refund", State: intent.StateInFlight, Scope: intent.Scope("remedy", "SU-88421", "item"),
		Ticket: ticket.ID, Cents: 100, Currency: "USD", Sends: 1,
		Nonce: "nonce", ClaimedAt: at(n), SendBy: at(n + 5), DueAt: at(n + 30), CreatedAt: at(n), UpdatedAt: at(n),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// performed makes a row one whose effect exists.
func performed(r *intent.Row) {
	r.State, r.Evidence, r.EffectID, r.Status, r.Final = intent.StatePerformed, intent.EvidenceResponse, "re_1", "succeeded", true
	r.SenderDone, r.DueAt = true, time.Time{}
}

func in(s intent.State) func(*intent.Row)    { return func(r *intent.Row) { r.State = s } }
func scope(s string) func(*intent.Row)       { return func(r *intent.Row) { r.Scope = s } }
func cents(c int64) func(*intent.Row)        { return func(r *intent.Row) { r.Cents = c } }
func createdAt(n int) func(*intent.Row)      { return func(r *intent.Row) { r.CreatedAt = at(n) } }
func dueAt(t time.Time) func(*intent.Row)    { return func(r *intent.Row) { r.DueAt = t } }
func ownedBy(owner string) func(*intent.Row) { return func(r *intent.Row) { r.Owner = owner } }
func effect(id string) func(*intent.Row)     { return func(r *intent.Row) { r.EffectID = id } }
func watched(r *intent.Row)                  { r.State, r.WatchUntil = intent.StateNotPerformed, at(30) }

// claim is the change that makes a row new.
func claim(r intent.Row, rs ...intent.Resource) intent.Change {
	if len(rs) == 0 {
		rs = []intent.Resource{ticket, order}
	}
	return intent.Change{Row: &r, Resources: rs}
}

// commit makes a change that must succeed.
func commit(t *testing.T, l intent.Ledger, c intent.Change) intent.Row {
	t.Helper()
	row, err := l.Commit(t.Context(), c)
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return row
}

// change commits a row that is there, changed.
func change(t *testing.T, l intent.Ledger, r intent.Row, changes ...func(*intent.Row)) intent.Row {
	t.Helper()
	for _, c := range changes {
		c(&r)
	}
	return commit(t, l, intent.Change{Row: &r, Seen: r.Version})
}

// find reads a row that must be there.
func find(t *testing.T, l intent.Ledger, key intent.Key) intent.Row {
	t.Helper()
	row, ok, err := l.Find(t.Context(), key)
	if err != nil || !ok {
		t.Fatalf("find: %v, %v", ok, err)
	}
	return row
}

func mark(t *testing.T, l intent.Ledger) int64 {
	t.Helper()
	m, err := l.Mark(t.Context())
	if err != nil {
		t.Fatalf("mark: %v", err)
	}
	return m
}

// must takes the value of a read that must succeed.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// same compares; no difference is made between none and empty.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refusedStale checks an error to be *intent.StaleError, and what it shows.
func refusedStale(t *testing.T, err error, current intent.Row) {
	t.Helper()
	var stale *intent.StaleError
	if !errors.As(err, &stale) {
		t.Fatalf("got error %v, want a StaleError", err)
	}
	same(t, "the row that a StaleError shows", stale.Current, current)
}

func refusedBlocked(t *testing.T, err error, by intent.Row) {
	t.Helper()
	var blocked *intent.BlockedError
	if !errors.As(err, &blocked) {
		t.Fatalf("got error %v, want a BlockedError", err)
	}
	same(t, "the row that a BlockedError shows", blocked.By, by)
}

func refusedMoved(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, intent.ErrMoved) {
		t.Fatalf("got error %v, want ErrMoved", err)
	}
}

// full reports fields that a sample leaves at zero, so that a field that is
// added later must be added here.
func full(t *testing.T, sample any) {
	t.Helper()
	v := reflect.ValueOf(sample)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the sample of %T has no %s", sample, v.Type().Field(i).Name)
		}
	}
}

func keys(rows []intent.Row) []intent.Key {
	ks := make([]intent.Key, len(rows))
	for i, r := range rows {
		ks[i] = r.Key
	}
	return ks
}

func keysOf(ns ...int) []intent.Key {
	ks := make([]intent.Key, len(ns))
	for i, n := range ns {
		ks[i] = keyOf(n)
	}
	return ks
}
