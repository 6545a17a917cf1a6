package ledgertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"counterfoil/intent"
)

// asTheModelDoes makes the same random changes to the ledger and to the model,
// and compares every answer and all that can be read.
func asTheModelDoes(t *testing.T, ls Ledgers) {
	const steps = 160
	random := rand.New(rand.NewPCG(17, 3)) //nolint:gosec // a test that can be repeated
	model := NewMemory(Account)
	d := &dice{Rand: random}
	for step := range steps {
		c := d.change(model)
		want, wantErr := model.Commit(t.Context(), c)
		got, gotErr := []intent.Ledger{ls.First, ls.Second}[step%2].Commit(t.Context(), c)
		if kind(gotErr) != kind(wantErr) {
			t.Fatalf("step %d: error %v, the model's: %v", step, gotErr, wantErr)
		}
		same(t, fmt.Sprintf("step %d: row", step), got, want)
		if step%8 == 7 {
			compareSums(t, fmt.Sprintf("step %d: ", step), ls.First, model)
		}
		if t.Failed() {
			return
		}
	}
	compareAll(t, ls.Second, model)
}

// kind is what a caller can tell of an error.
func kind(err error) string {
	var stale *intent.StaleError
	var blocked *intent.BlockedError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &stale):
		return fmt.Sprintf("stale: %+v", stale.Current)
	case errors.As(err, &blocked):
		return fmt.Sprintf("blocked: %+v", blocked.By)
	case errors.Is(err, intent.ErrMoved):
		return "moved"
	}
	return "other"
}

// dice makes changes out of few keys, scopes and resources, so that they meet.
type dice struct{ *rand.Rand }

func (d *dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d *dice, from ...T) T { return from[d.IntN(len(from))] }

func (d *dice) time() time.Time {
	if d.chance(30) {
		return time.Time{}
	}
	return at(d.IntN(100))
}

func (d *dice) change(model *Memory) (c intent.Change) {
	if d.chance(10) {
		return intent.Change{Update: &intent.Escalation{Key: keyOf(100 + d.IntN(6)), Tries: d.IntN(9), DueAt: d.time(), DeliveredAt: d.time(), NotifiedAt: d.time()}}
	}
	row := d.row(d.IntN(12))
	if e := model.book.byKey[row.Key]; e != nil && d.chance(90) {
		c.Seen = e.row.Version
	}
	c.Row = &row
	c.Exclusive = d.chance(30)
	if d.chance(30) {
		c.Since = max(1, model.book.seq-int64(d.IntN(4)))
	}
	if c.Seen == 0 || d.chance(10) {
		c.Resources = d.resources()
	}
	if d.chance(50) {
		c.Act = &intent.Act{Arguments: intent.Arguments(fmt.Sprint(d.IntN(9))), Policy: fmt.Sprint(d.IntN(9))}
	}
	if d.chance(50) {
		c.Fingerprints = []intent.Fingerprint{fingerprintOf(d.IntN(6)), fingerprintOf(d.IntN(6))}
	}
	if d.chance(30) {
		c.Attempt = &intent.Attempt{StartedAt: d.time(), Answer: "ambiguous", Owner: pick(d, "", "a", "b"), Principal: pick(d, "", "ines", "ole")}
	}
	if d.chance(30) {
		c.Escalate = []intent.Escalation{{Key: keyOf(100 + d.IntN(6)), Subject: row.Key, Cause: intent.CauseUnknown, DueAt: d.time()}}
	}
	if d.chance(20) {
		c.Decision = &intent.Decision{Verb: "release", At: d.time()}
	}
	if d.chance(10) {
		c.Followers = []intent.Follower{{Row: d.row(50 + d.IntN(4)), Resources: d.resources()}}
	}
	return c
}

func (d *dice) row(n int) intent.Row {
	return intent.Row{
		Key: keyOf(n), Tool: "issue_refund", State: pick(d, intent.States()...), Scope: pick(d, "", "a", "b", "c"),
		Released: d.chance(20), Cents: int64(d.IntN(5)), Currency: pick(d, "USD", "USD", "EUR", ""), EffectID: pick(d, "", "re_1", "re_2"),
		Final: d.chance(50), Owner: pick(d, "", "a", "b"), Principal: pick(d, "", "ines", "ole"), WatchUntil: d.time(), DueAt: d.time(), CreatedAt: at(d.IntN(9)),
	}
}

func (d *dice) resources() (rs []intent.Resource) {
	for range 1 + d.IntN(3) {
		rs = append(rs, pick(d, ticket, order, seller, other))
	}
	return rs
}

// both reads the same of the ledger and of the model.
func both[T any](t *testing.T, what string, got, want intent.Ledger, read func(l intent.Ledger) (T, error)) {
	t.Helper()
	g, gErr := read(got)
	w, wErr := read(want)
	if (gErr == nil) != (wErr == nil) {
		t.Errorf("%s: error %v, the model's: %v", what, gErr, wErr)
	}
	same(t, what, g, w)
}

// compareSums compares what is kept beside the rows, and so might go astray.
func compareSums(t *testing.T, what string, got, want intent.Ledger) {
	t.Helper()
	ctx := t.Context()
	all := []intent.Resource{ticket, order, seller, other}
	both(t, what+"mark", got, want, func(l intent.Ledger) (int64, error) { return l.Mark(ctx) })
	both(t, what+"list", got, want, func(l intent.Ledger) ([]intent.Row, error) { return l.List(ctx, 9) })
	both(t, what+"due", got, want, func(l intent.Ledger) ([]intent.Row, error) { return l.Due(ctx, at(50), 5) })
	both(t, what+"outbox", got, want, func(l intent.Ledger) ([]intent.Escalation, error) { return l.Outbox(ctx, at(50), 5) })
	for _, currency := range []string{"USD", "EUR", ""} {
		for _, except := range []intent.Key{{}, keyOf(1)} {
			both(t, what+"totals", got, want, func(l intent.Ledger) (map[intent.Resource]intent.Total, error) {
				return l.Totals(ctx, all, currency, except)
			})
		}
	}
}

// found is a row, or that there is none.
type found struct {
	Row intent.Row
	OK  bool
}

// compareAll reads both through and through.
func compareAll(t *testing.T, got, want intent.Ledger) {
	t.Helper()
	ctx := t.Context()
	for _, r := range []intent.Resource{ticket, order, seller, other} {
		both(t, "around", got, want, func(l intent.Ledger) ([]intent.Row, error) { return l.Around(ctx, r, 7) })
		for n := range 6 {
			both(t, "recognise", got, want, func(l intent.Ledger) (f found, err error) {
				f.Row, f.OK, err = l.Recognise(ctx, r, fingerprintOf(n))
				return f, err
			})
		}
		both(t, "by effect", got, want, func(l intent.Ledger) (f found, err error) {
			f.Row, f.OK, err = l.ByEffect(ctx, r, "issue_refund", "re_1")
			return f, err
		})
	}
	for n := range 12 {
		both(t, "find", got, want, func(l intent.Ledger) (f found, err error) {
			f.Row, f.OK, err = l.Find(ctx, keyOf(n))
			return f, err
		})
		both(t, "act", got, want, func(l intent.Ledger) (intent.Act, error) { return l.Act(ctx, keyOf(n)) })
		both(t, "attempts", got, want, func(l intent.Ledger) ([]intent.Attempt, error) { return l.Attempts(ctx, keyOf(n)) })
		both(t, "decisions", got, want, func(l intent.Ledger) ([]intent.Decision, error) { return l.Decisions(ctx, keyOf(n)) })
	}
}
