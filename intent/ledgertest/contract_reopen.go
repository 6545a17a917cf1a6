package ledgertest

import (
	"testing"

	"counterfoil/intent"
)

func allThereAfterReopening(t *testing.T, ls Ledgers) {
	ctx := t.Context()
	first := commit(t, ls.First, everything(claimed(1, ownedBy(ls.First.Owner())), 0))
	m := mark(t, ls.First)
	act := must[intent.Act](t)(ls.First.Act(ctx, first.Key))
	attempts := must[[]intent.Attempt](t)(ls.First.Attempts(ctx, first.Key))
	decisions := must[[]intent.Decision](t)(ls.First.Decisions(ctx, first.Key))
	outbox := must[[]intent.Escalation](t)(ls.First.Outbox(ctx, at(99), 9))
	follower := find(t, ls.First, keyOf(50))

	l := ls.Reopen()
	same(t, "row", find(t, l, first.Key), first)
	same(t, "follower", find(t, l, follower.Key), follower)
	same(t, "mark", mark(t, l), m)
	same(t, "act", must[intent.Act](t)(l.Act(ctx, first.Key)), act)
	same(t, "attempts", must[[]intent.Attempt](t)(l.Attempts(ctx, first.Key)), attempts)
	same(t, "decisions", must[[]intent.Decision](t)(l.Decisions(ctx, first.Key)), decisions)
	same(t, "outbox", must[[]intent.Escalation](t)(l.Outbox(ctx, at(99), 9)), outbox)
	same(t, "orphans", must[[]intent.Row](t)(l.Orphans(ctx, 9)), []intent.Row{first})
	if l.Alive(first.Owner) || !l.Alive(l.Owner()) {
		t.Error("the first process is dead, the new one alive")
	}
}

func spill(t *testing.T, l intent.Ledger, c intent.Change) {
	t.Helper()
	if err := l.Spill(c); err != nil {
		t.Fatalf("spill: %v", err)
	}
}

func spillReadFirst(t *testing.T, ls Ledgers) {
	ctx := t.Context()
	row := commit(t, ls.First, claim(claimed(1), ticket, order, seller))
	c := everything(row, row.Version)
	performed(c.Row)
	c.Act.Arguments = intent.Arguments(`{"text": "<&>", "n": 1.0}`)
	spill(t, ls.First, c)
	spill(t, ls.Second, intent.Change{Escalate: []intent.Escalation{fullEscalation()}})
	same(t, "the row before", find(t, ls.First, row.Key), row)

	l := ls.Reopen()
	got := find(t, l, row.Key)
	want := *c.Row
	want.Version = got.Version
	same(t, "the row", got, want)
	same(t, "the act", must[intent.Act](t)(l.Act(ctx, row.Key)), *c.Act)
	attempt := *c.Attempt
	attempt.N = 1
	same(t, "attempts", must[[]intent.Attempt](t)(l.Attempts(ctx, row.Key)), []intent.Attempt{attempt})
	same(t, "decisions", must[[]intent.Decision](t)(l.Decisions(ctx, row.Key)), []intent.Decision{*c.Decision})
	same(t, "outbox", must[[]intent.Escalation](t)(l.Outbox(ctx, at(99), 9)), c.Escalate)
	find(t, l, keyOf(50))
	for key, want := range map[intent.Key]intent.Escalation{c.Escalate[0].Key: c.Escalate[0], fullEscalation().Key: fullEscalation()} {
		e, ok, err := l.Escalation(ctx, key)
		if !ok || err != nil {
			t.Fatalf("escalation: %v, %v", ok, err)
		}
		same(t, "escalation", e, want)
	}
	if row, ok, err := l.Recognise(ctx, ticket, fingerprintOf(1)); !ok || err != nil || row != got {
		t.Errorf("recognise: %v, %v", ok, err)
	}
}

func spilledEvidenceWins(t *testing.T, ls Ledgers) {
	ctx := t.Context()
	lateTold := func(n int) intent.Change {
		row := commit(t, ls.First, claim(claimed(n, scope(""))))
		told := row
		performed(&told)
		told.Cents, told.ConfirmedAt, told.UpdatedAt = 777, at(100), at(100)
		a := intent.Attempt{Owner: "somebody", ProviderKey: "pk", StartedAt: at(1), Answer: "performed"}
		return intent.Change{Row: &told, Seen: row.Version, Attempt: &a, Late: []intent.Escalation{
			late(row.Key, intent.CauseLateLanding), late(row.Key, intent.CauseSecondEffect),
		}}
	}
	// That it would be refused as a new act does not count: it has happened.
	settled := lateTold(1)
	settled.Row.Scope, settled.Exclusive, settled.Since = "remedy:a", true, 1
	commit(t, ls.First, claim(claimed(9, scope("remedy:a"))))
	spill(t, ls.First, settled)
	now := change(t, ls.Second, find(t, ls.Second, keyOf(1)), in(intent.StateNotPerformed), func(r *intent.Row) {
		r.Scope = "remedy:a"
		r.Reason, r.Retry, r.Sends, r.Reopened, r.UpdatedAt = intent.ReasonAbsent, intent.RetryNever, 3, true, at(200)
	})

	found := lateTold(2)
	spill(t, ls.First, found)
	spill(t, ls.First, found) // as a crash in mid-replay would have it
	byLookup := change(t, ls.Second, find(t, ls.Second, keyOf(2)), performed, effect("re_found"))

	l := ls.Reopen()
	got := find(t, l, keyOf(1))
	want := now
	performed(&want)
	want.Version, want.Reason, want.Retry = got.Version, "", ""
	want.Cents, want.ConfirmedAt = 777, at(100)
	same(t, "a row that had been settled otherwise", got, want)

	got = find(t, l, keyOf(2))
	byLookup.Version = got.Version
	same(t, "a row that was performed already", got, byLookup)
	if n := len(must[[]intent.Attempt](t)(l.Attempts(ctx, keyOf(2)))); n != 1 {
		t.Errorf("%d attempts, want the spilled one, once", n)
	}
	same(t, "who is told", must[[]intent.Escalation](t)(l.Outbox(ctx, at(99), 9)), []intent.Escalation{
		late(keyOf(1), intent.CauseLateLanding), late(keyOf(2), intent.CauseSecondEffect),
	})
}

// late is what a person is told of an effect that was spilled.
func late(key intent.Key, cause intent.Cause) intent.Escalation {
	return intent.Escalation{Key: intent.EscalationKey(key, cause, 0), Subject: key, Cause: cause, CreatedAt: at(1), DueAt: at(1)}
}

func spilledEvidenceMakesARow(t *testing.T, ls Ledgers) {
	told := claimed(1, performed)
	spill(t, ls.First, intent.Change{Row: &told, Seen: 17})
	l := ls.Reopen()
	got := find(t, l, told.Key)
	told.Version = got.Version
	same(t, "the row", got, told)
	same(t, "around its ticket", must[[]intent.Row](t)(l.Around(t.Context(), ticket, 5)), []intent.Row{got})
}

func otherSpillMustFit(t *testing.T, ls Ledgers) {
	fits := commit(t, ls.First, claim(claimed(1, scope(""))))
	stale := commit(t, ls.First, claim(claimed(2, scope(""))))
	for _, r := range []intent.Row{fits, stale} {
		r.State, r.Reason = intent.StateUnknown, intent.ReasonLookupDown
		spill(t, ls.First, intent.Change{Row: &r, Seen: r.Version})
	}
	now := change(t, ls.Second, stale, in(intent.StateNotPerformed))
	l := ls.Reopen()
	same(t, "a row that had not changed", find(t, l, fits.Key).State, intent.StateUnknown)
	same(t, "a row that had changed", find(t, l, stale.Key), now)
}
