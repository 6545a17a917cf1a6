package ledgertest

import (
	"testing"
	"time"

	"counterfoil/intent"
)

func aroundNewestFirst(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	for n := range 5 {
		commit(t, l, claim(claimed(n, scope(""), createdAt(-n)), order))
	}
	commit(t, l, claim(claimed(9, scope("")), other))
	change(t, l, find(t, l, keyOf(0)), performed)
	around := func(limit int) []intent.Key { return keys(must[[]intent.Row](t)(ls.Second.Around(ctx, order, limit))) }
	same(t, "all, in the order of their making", around(10), keysOf(4, 3, 2, 1, 0))
	same(t, "at most two", around(2), keysOf(4, 3))
	same(t, "none", around(0), nil)
}

func listOpenFirst(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	commit(t, l, claim(claimed(1, scope(""), createdAt(10), performed)))
	commit(t, l, claim(claimed(2, scope(""), createdAt(5))))
	commit(t, l, claim(claimed(3, scope(""), createdAt(7), watched)))
	commit(t, l, claim(claimed(4, scope(""), createdAt(20), in(intent.StateNotPerformed))))
	commit(t, l, claim(claimed(5, scope(""), createdAt(1), func(r *intent.Row) { performed(r); r.Final = false })))
	commit(t, l, claim(claimed(6, scope(""), createdAt(7))))
	list := func(limit int) []intent.Key { return keys(must[[]intent.Row](t)(ls.Second.List(ctx, limit))) }
	same(t, "all", list(10), keysOf(6, 3, 2, 5, 4, 1))
	same(t, "at most five", list(5), keysOf(6, 3, 2, 5, 4))
	same(t, "none", list(0), nil)
}

func dueLongestFirst(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	commit(t, l, claim(claimed(1, scope(""), dueAt(at(30)))))
	commit(t, l, claim(claimed(2, scope(""), dueAt(at(10)))))
	commit(t, l, claim(claimed(3, scope(""), dueAt(time.Time{}))))
	commit(t, l, claim(claimed(4, scope(""), performed, dueAt(at(20)))))
	commit(t, l, claim(claimed(5, scope(""), dueAt(at(10)))))
	due := func(now time.Time, limit int) []intent.Key {
		return keys(must[[]intent.Row](t)(ls.Second.Due(ctx, now, limit)))
	}
	same(t, "before all", due(at(10).Add(-time.Millisecond), 10), nil)
	same(t, "at the moment", due(at(10), 10), keysOf(2, 5))
	same(t, "later", due(at(100), 10), keysOf(2, 5, 4, 1))
	same(t, "at most three", due(at(100), 3), keysOf(2, 5, 4))
	change(t, l, find(t, l, keyOf(2)), dueAt(time.Time{}))
	same(t, "after a look", due(at(100), 10), keysOf(5, 4, 1))
}

func outboxLongestFirst(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	for n, due := range []time.Time{at(30), at(10), {}, at(10)} {
		commit(t, l, intent.Change{Escalate: []intent.Escalation{{Key: keyOf(n), Cause: intent.CauseUnknown, DueAt: due}}})
	}
	outbox := func(now time.Time, limit int) (ks []intent.Key) {
		for _, e := range must[[]intent.Escalation](t)(ls.Second.Outbox(ctx, now, limit)) {
			ks = append(ks, e.Key)
		}
		return ks
	}
	same(t, "without a time: at once", outbox(at(0), 10), keysOf(2))
	same(t, "at the moment", outbox(at(10), 10), keysOf(2, 1, 3))
	same(t, "later, at most three", outbox(at(99), 3), keysOf(2, 1, 3))
	commit(t, l, intent.Change{Update: &intent.Escalation{Key: keyOf(1), HandoffID: "H-1", DeliveredAt: at(11)}})
	same(t, "after a delivery", outbox(at(99), 10), keysOf(2, 3, 0))
}

func orphansOfTheDead(t *testing.T, ls Ledgers) {
	ctx := t.Context()
	commit(t, ls.Second, claim(claimed(1, scope(""), ownedBy(ls.Second.Owner()))))
	commit(t, ls.First, claim(claimed(2, scope(""), ownedBy(ls.First.Owner()))))
	commit(t, ls.First, claim(claimed(3, scope(""), ownedBy(""))))
	commit(t, ls.First, claim(claimed(4, scope(""), ownedBy("nobody-that-ever-ran"))))
	commit(t, ls.Second, claim(claimed(5, scope(""), ownedBy(ls.Second.Owner()))))
	commit(t, ls.Second, claim(claimed(6, scope(""), ownedBy(ls.Second.Owner()), in(intent.StateUnknown))))
	orphans := func(limit int) []intent.Key { return keys(must[[]intent.Row](t)(ls.First.Orphans(ctx, limit))) }

	for _, owner := range []string{ls.First.Owner(), ls.Second.Owner()} {
		if !ls.First.Alive(owner) || !ls.Second.Alive(owner) {
			t.Errorf("owner %s is alive", owner)
		}
	}
	same(t, "while both live", orphans(10), keysOf(3, 4))
	ls.KillSecond()
	if ls.First.Alive(ls.Second.Owner()) {
		t.Error("the second process is dead")
	}
	if ls.First.Alive("") || ls.First.Alive("nobody-that-ever-ran") || ls.First.Alive("../x") {
		t.Error("nobody is not alive")
	}
	if !ls.First.Alive(ls.First.Owner()) {
		t.Error("the first process is alive")
	}
	same(t, "after the second has died", orphans(10), keysOf(1, 3, 4, 5))
	same(t, "at most two", orphans(2), keysOf(1, 3))
}

func bothSee(t *testing.T, ls Ledgers) {
	row := commit(t, ls.First, claim(claimed(1)))
	for n := range 20 {
		row = change(t, ls.First, row, cents(int64(n)))
		same(t, "the row that the other sees", find(t, ls.Second, row.Key), row)
		row = change(t, ls.Second, row, cents(int64(-n)))
		same(t, "the row that the one sees", find(t, ls.First, row.Key), row)
	}
}
