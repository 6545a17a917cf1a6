package store_test

import (
	"slices"
	"testing"

	"counterfoil/intent"
	"counterfoil/store"
)

// aroundIs asks for the rows that touch a resource, newest first.
func aroundIs(t *testing.T, l *store.Ledger, r intent.Resource, want ...int) {
	t.Helper()
	rows, err := l.Around(t.Context(), r, 100)
	if err != nil {
		t.Fatal(err)
	}
	var keys []intent.Key
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	var wanted []intent.Key
	for _, n := range want {
		wanted = append(wanted, key(n))
	}
	if !slices.Equal(keys, wanted) {
		t.Errorf("around %s: got %v, want those of %v", r.ID, keys, want)
	}
}

// Intents of several currencies are one list, and the sums stay apart.
func TestAroundInSeveralCurrencies(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	seller := intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}
	for n, currency := range []string{"USD", "EUR", "USD", "EUR", "GBP"} {
		c := claim(n)
		c.Row.Currency = currency
		commit(t, l, c)
	}
	aroundIs(t, l, seller, 4, 3, 2, 1, 0)
	if rows, err := l.Around(t.Context(), seller, 2); len(rows) != 2 || rows[0].Key != key(4) || err != nil {
		t.Errorf("the newest two: %d rows, %v", len(rows), err)
	}
	totals, err := l.Totals(t.Context(), []intent.Resource{seller}, "EUR", key(1))
	if want := int64(11800); err != nil || totals[seller].Open != want {
		t.Errorf("open in EUR beside one: %d, %v; want %d", totals[seller].Open, err, want)
	}
	totals, err = l.Totals(t.Context(), []intent.Resource{seller}, "EUR", key(0))
	if want := int64(2 * 11800); err != nil || totals[seller].Open != want {
		t.Errorf("open in EUR beside one in USD: %d, %v; want %d", totals[seller].Open, err, want)
	}
}

// A row that changes its currency stays where it is in the list, and takes its
// amount along.
func TestAroundAfterTheCurrencyChanged(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	seller := intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}
	first := commit(t, l, claim(0))
	commit(t, l, claim(1))
	changed := record(first)
	changed.Row.Currency, changed.Row.Cents = "EUR", 9000
	commit(t, l, changed)
	c := claim(2)
	c.Row.Currency = "EUR"
	commit(t, l, c)
	aroundIs(t, l, seller, 2, 1, 0)
	for currency, want := range map[string]int64{"USD": 11800, "EUR": 9000 + 11800} {
		totals, err := l.Totals(t.Context(), []intent.Resource{seller}, currency, intent.Key{})
		if err != nil || totals[seller].Spent != want {
			t.Errorf("spent in %s: %d, %v; want %d", currency, totals[seller].Spent, err, want)
		}
	}
}

// An older row that begins to touch a resource takes its place among those that
// do already.
func TestAroundWhatWasTouchedLater(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	courier := intent.Resource{Kind: "seller", ID: "S-LATER"}
	rows := make([]intent.Row, 6)
	for n := range rows {
		rows[n] = commit(t, l, claim(n))
	}
	for _, n := range []int{3, 1, 5, 4, 0, 2, 2} {
		rows[n] = commit(t, l, intent.Change{Row: &rows[n], Seen: rows[n].Version, Resources: []intent.Resource{courier}})
	}
	aroundIs(t, l, courier, 5, 4, 3, 2, 1, 0)
	aroundIs(t, l, intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}, 5, 4, 3, 2, 1, 0)
	totals, err := l.Totals(t.Context(), []intent.Resource{courier}, "USD", rows[2].Key)
	if want := int64(5 * 11800); err != nil || totals[courier].Open != want {
		t.Errorf("open: %d, %v; want %d", totals[courier].Open, err, want)
	}
}

// Where a link leads nowhere, nothing is left out in silence.
func TestAroundABrokenList(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"the newest is gone":        "UPDATE resources SET last = 99 WHERE name = 'S-ASHCOMBE'",
		"the newest is another":     "UPDATE intents SET resources = x'' WHERE id = 3",
		"an older one is another":   "UPDATE intents SET resources = x'' WHERE id = 1",
		"an older one is cut off":   "UPDATE intents SET resources = x'0101' WHERE id = 2",
		"one names itself or newer": "UPDATE intents SET resources = (SELECT resources FROM intents WHERE id = 3) WHERE id = 2",
		"an older one is not there": "UPDATE intents SET id = 7 WHERE id = 1",
		"one names what is not":     "UPDATE intents SET id = 8 WHERE id = 2",
	} {
		l := open(t, newPath(t))
		for n := range 3 {
			c := claim(n)
			c.Act = nil // which would bind the number
			commit(t, l, c)
		}
		if err := l.WriteSQL(change); err != nil {
			t.Fatal(what, err)
		}
		seller := intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}
		if rows, err := l.Around(t.Context(), seller, 100); err == nil {
			t.Errorf("%s: %d rows, error %v", what, len(rows), err)
		}
	}
}
