package ledgertest

import (
	"context"
	"testing"
	"time"

	"counterfoil/intent"
)

func emptyHasNothing(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	same(t, "account", l.Account(), Account)
	if l.Owner() == "" || l.Owner() == ls.Second.Owner() {
		t.Errorf("owners %q and %q: each process has an id of its own", l.Owner(), ls.Second.Owner())
	}
	if _, ok, err := l.Find(ctx, keyOf(1)); ok || err != nil {
		t.Errorf("find: %v, %v", ok, err)
	}
	if _, ok, err := l.Recognise(ctx, ticket, fingerprintOf(1)); ok || err != nil {
		t.Errorf("recognise: %v, %v", ok, err)
	}
	if _, ok, err := l.Escalation(ctx, keyOf(1)); ok || err != nil {
		t.Errorf("escalation: %v, %v", ok, err)
	}
	if _, err := l.Act(ctx, keyOf(1)); err == nil {
		t.Error("the act of no intent: want an error")
	}
	if m := mark(t, l); m < 1 {
		t.Errorf("mark %d: 0 means that there is none", m)
	}
	same(t, "list", must[[]intent.Row](t)(l.List(ctx, 10)), nil)
	same(t, "totals", must[map[intent.Resource]intent.Total](t)(l.Totals(ctx, []intent.Resource{seller}, "USD", intent.Key{})),
		map[intent.Resource]intent.Total{seller: {}})
}

// fullRow is a row in which no field is zero.
func fullRow() intent.Row {
	return intent.Row{
		Key: keyOf(1), Tool: "issue_refund", Step: 1, Parent: keyOf(2), State: intent.StateNotPerformed,
		Reason: intent.ReasonAbsent, Retry: intent.RetryWait, Evidence: intent.EvidenceLookup, Version: 7,
		Scope: "remedy:a", Released: true, Ticket: "T-1", Cents: 11800, Currency: "USD", EffectID: "re_1",
		Status: "pending", Final: true, EffectAt: at(1), Sends: 2, Ambiguous: 1, Ordinal: 3, OrdinalAt: at(2), Closed: true,
		Stored: true, Owner: "somebody", Principal: "ines", Nonce: "n-1", ClaimedAt: at(3), ClaimedUp: intent.Uptime{Boot: 5, Since: 6 * time.Millisecond}, SendBy: at(4), SenderDone: true,
		WatchUntil: at(5), RetryAt: at(6), DueAt: at(7), Sweeps: 4, Reopened: true, RepeatAllowed: true,
		CreatedAt: at(8), UpdatedAt: at(9), ConfirmedAt: at(10),
	}
}

func rowComesBack(t *testing.T, ls Ledgers) {
	want := fullRow()
	full(t, want)
	got := commit(t, ls.First, claim(want))
	want.Version = got.Version
	same(t, "the row that commit returns", got, want)
	same(t, "the row that is found", find(t, ls.First, want.Key), want)

	bare := intent.Row{Key: want.Key, State: intent.StateQueued}
	got = commit(t, ls.First, intent.Change{Row: &bare, Seen: want.Version})
	bare.Version = got.Version
	same(t, "the row, emptied", find(t, ls.Second, want.Key), bare)

	for i, s := range intent.States() {
		commit(t, ls.First, claim(claimed(100+i, in(s))))
		same(t, "state", find(t, ls.First, keyOf(100+i)).State, s)
	}
	for i, r := range intent.Reasons() {
		commit(t, ls.First, claim(claimed(200+i, in(intent.StateUnknown), func(row *intent.Row) { row.Reason = r })))
		same(t, "reason", find(t, ls.First, keyOf(200+i)).Reason, r)
	}
}

func timesComeBack(t *testing.T, ls Ledgers) {
	cet := time.FixedZone("CET", 3600)
	row := claimed(1, func(r *intent.Row) {
		r.ClaimedAt = time.Date(2026, time.March, 17, 15, 32, 7, 123_999_999, cet)
		r.SendBy = time.Time{}
		r.RetryAt = time.UnixMilli(0)
		r.CreatedAt = time.Date(1969, time.December, 31, 23, 59, 59, 999_000_000, time.UTC)
	})
	got := commit(t, ls.First, claim(row))
	same(t, "the row that is found", find(t, ls.First, row.Key), got)
	same(t, "another zone, finer than milliseconds", got.ClaimedAt, start)
	if got.ClaimedAt.Location() != time.UTC {
		t.Errorf("location %v, want UTC", got.ClaimedAt.Location())
	}
	same(t, "no time", got.SendBy, time.Time{})
	same(t, "1970", got.RetryAt, time.UnixMilli(0).UTC())
	same(t, "before 1970", got.CreatedAt, row.CreatedAt)
}

func nonsenseIsRefused(t *testing.T, ls Ledgers) {
	row := claimed(1)
	changes := map[string]intent.Change{
		"a new row that touches nothing": {Row: &row},
		"no key":                         claim(claimed(1, func(r *intent.Row) { r.Key = intent.Key{} })),
		"no state":                       claim(claimed(1, in(""))),
		"a state that is none":           claim(claimed(1, in("done"))),
		"a reason that is none":          claim(claimed(1, func(r *intent.Row) { r.Reason = "because" })),
		"an attempt of no row":           {Attempt: &intent.Attempt{}},
		"a delivery of nothing":          {Update: &intent.Escalation{Key: keyOf(1)}},
		"an escalation without a key":    {Escalate: []intent.Escalation{{Cause: intent.CauseHandoff}}},
	}
	for name, c := range changes {
		if _, err := ls.First.Commit(t.Context(), c); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	same(t, "list", must[[]intent.Row](t)(ls.First.List(t.Context(), 10)), nil)

	// What a refused change was the first to name may be named again.
	c := everything(claimed(1, in("done"), ownedBy("somebody new")), 0)
	if _, err := ls.First.Commit(t.Context(), c); err == nil {
		t.Error("a state that is none: want an error")
	}
	c.Row.State = intent.StateInFlight
	same(t, "owner", commit(t, ls.First, c).Owner, "somebody new")
	same(t, "owner", find(t, ls.Second, c.Row.Key).Owner, "somebody new")
}

func actIsKept(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	first := intent.Act{
		Arguments: intent.Arguments(`{"text":"a <b> & c","n":1}`), Payload: []byte{0, 1, 0xff}, Request: []byte("body"),
		Figures: `{"cents":1}`, Policy: "p1",
	}
	full(t, first)
	c := claim(claimed(1))
	c.Act = &first
	row := commit(t, l, c)
	same(t, "the act", must[intent.Act](t)(l.Act(ctx, row.Key)), first)

	row = change(t, l, row, in(intent.StateUnknown))
	same(t, "the act after a change without one", must[intent.Act](t)(l.Act(ctx, row.Key)), first)

	second := intent.Act{Arguments: intent.Arguments(`{}`)}
	commit(t, l, intent.Change{Row: &row, Seen: row.Version, Act: &second})
	same(t, "the act after it was replaced", must[intent.Act](t)(l.Act(ctx, row.Key)), second)

	commit(t, l, claim(claimed(2)))
	same(t, "the act of a row that came without", must[intent.Act](t)(l.Act(ctx, keyOf(2))), intent.Act{})
}

func keyIsWonOnce(t *testing.T, ls Ledgers) {
	first := commit(t, ls.First, claim(claimed(1)))
	_, err := ls.Second.Commit(t.Context(), claim(claimed(1, cents(999))))
	refusedStale(t, err, first)
	same(t, "the row", find(t, ls.Second, first.Key), first)
}

func staleIsRefused(t *testing.T, ls Ledgers) {
	first := commit(t, ls.First, claim(claimed(1)))
	second := change(t, ls.Second, first, in(intent.StateUnknown))
	for _, seen := range []int64{first.Version, second.Version + 1} {
		r := first
		_, err := ls.First.Commit(t.Context(), intent.Change{Row: &r, Seen: seen})
		refusedStale(t, err, second)
	}
	nobody := claimed(2)
	_, err := ls.First.Commit(t.Context(), intent.Change{Row: &nobody, Seen: 5, Resources: []intent.Resource{ticket}})
	refusedStale(t, err, intent.Row{})
}

func versionsRise(t *testing.T, ls Ledgers) {
	last := mark(t, ls.First)
	var row intent.Row
	for n := range 10 {
		l := []intent.Ledger{ls.First, ls.Second}[n%2]
		if n%3 == 0 {
			row = commit(t, l, claim(claimed(n, scope(""))))
		} else {
			row = change(t, l, row, cents(int64(n)))
		}
		if row.Version <= last {
			t.Errorf("version %d after %d", row.Version, last)
		}
		last = row.Version
		if m := mark(t, ls.Second); m < last {
			t.Errorf("mark %d after version %d", m, last)
		}
	}
}

func movedIsSeen(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	try := func(n int, since int64, rs ...intent.Resource) error {
		c := claim(claimed(n, scope("")), rs...)
		c.Since = since
		_, err := l.Commit(ctx, c)
		return err
	}
	before := mark(t, l)
	row := commit(t, ls.Second, claim(claimed(1, scope("")), ticket, seller))
	refusedMoved(t, try(2, before, order, seller))
	if err := try(3, before, order, other); err != nil {
		t.Errorf("resources that nobody touched: %v", err)
	}
	now := mark(t, l)
	if err := try(4, now, ticket, seller); err != nil {
		t.Errorf("nothing since the mark: %v", err)
	}
	now = mark(t, l)
	row = change(t, ls.Second, row, performed)
	refusedMoved(t, try(5, now, ticket))

	// A row that is there needs no list: the ledger knows what it touches.
	now = mark(t, l)
	commit(t, ls.Second, claim(claimed(6, scope("")), seller))
	_, err := l.Commit(ctx, intent.Change{Row: &row, Seen: row.Version, Since: now})
	refusedMoved(t, err)

	// What touches none of the resources does not count, a delivery neither.
	now = mark(t, l)
	commit(t, ls.Second, claim(claimed(7, scope("")), other))
	commit(t, ls.Second, intent.Change{Escalate: []intent.Escalation{{Key: keyOf(8), Cause: intent.CauseUnknown}}})
	if _, err := l.Commit(ctx, intent.Change{Row: &row, Seen: row.Version, Since: now}); err != nil {
		t.Errorf("others moved: %v", err)
	}
}

func growingRow(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	row := commit(t, l, claim(claimed(1), ticket))
	row = commit(t, l, intent.Change{Row: &row, Seen: row.Version, Resources: []intent.Resource{ticket, seller}})
	same(t, "around the new resource", must[[]intent.Row](t)(l.Around(ctx, seller, 5)), []intent.Row{row})
	same(t, "around the first one", must[[]intent.Row](t)(l.Around(ctx, ticket, 5)), []intent.Row{row})
	same(t, "totals", must[map[intent.Resource]intent.Total](t)(l.Totals(ctx, []intent.Resource{seller, ticket}, "USD", intent.Key{})),
		map[intent.Resource]intent.Total{seller: {Open: 100, Spent: 100}, ticket: {Open: 100, Spent: 100}})
}

func siblingBlocks(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	exclusive := func(r intent.Row, seen int64) error {
		c := claim(r)
		c.Seen, c.Exclusive = seen, true
		_, err := l.Commit(ctx, c)
		return err
	}
	if err := exclusive(claimed(1), 0); err != nil {
		t.Fatalf("alone in the scope: %v", err)
	}
	first := find(t, l, keyOf(1))
	refusedBlocked(t, exclusive(claimed(2), 0), first)
	if err := exclusive(claimed(3, scope("remedy:elsewhere")), 0); err != nil {
		t.Errorf("another scope: %v", err)
	}
	if err := exclusive(claimed(4, scope("")), 0); err != nil {
		t.Errorf("no scope: %v", err)
	}
	if err := exclusive(claimed(5, scope("")), 0); err != nil {
		t.Errorf("no scope is not a scope: %v", err)
	}
	if err := exclusive(first, first.Version); err != nil {
		t.Errorf("an intent blocks itself: %v", err)
	}
	commit(t, l, claim(claimed(6))) // not exclusive
	change(t, l, find(t, l, first.Key), performed)
	refusedBlocked(t, exclusive(claimed(2), 0), find(t, l, keyOf(6)))
	change(t, l, find(t, l, keyOf(6)), in(intent.StateNotPerformed))
	if err := exclusive(claimed(2), 0); err != nil {
		t.Errorf("all siblings are settled: %v", err)
	}
}

func whatBlocks(t *testing.T, ls Ledgers) {
	tests := []struct {
		name   string
		change func(*intent.Row)
	}{
		{"in flight", in(intent.StateInFlight)},
		{"unknown", in(intent.StateUnknown)},
		{"awaiting approval", in(intent.StateAwaiting)},
		{"ready", in(intent.StateReady)},
		{"queued", in(intent.StateQueued)},
		{"not performed", in(intent.StateNotPerformed)},
		{"not performed, on watch", watched},
		{"performed", performed},
		{"performed, pending", func(r *intent.Row) { performed(r); r.Final = false }},
		{"unknown, released", func(r *intent.Row) { r.State = intent.StateUnknown; r.Released = true }},
		{"on watch, released", func(r *intent.Row) { watched(r); r.Released = true }},
	}
	for i, tt := range tests {
		row := commit(t, ls.First, claim(claimed(i, scope(tt.name), tt.change)))
		c := claim(claimed(1000+i, scope(tt.name)))
		c.Exclusive = true
		_, err := ls.Second.Commit(t.Context(), c)
		if got, want := err != nil, row.Blocks(); got != want {
			t.Errorf("%s: blocks is %v (%v), want %v", tt.name, got, err, want)
		}
		if row.Blocks() {
			refusedBlocked(t, err, row)
		}
	}
}

func orderOfRefusals(t *testing.T, ls Ledgers) {
	m := mark(t, ls.First)
	first := commit(t, ls.First, claim(claimed(1)))
	c := claim(claimed(1))
	c.Exclusive, c.Since = true, m
	_, err := ls.First.Commit(t.Context(), c)
	refusedStale(t, err, first)
	c.Row = new(claimed(2))
	_, err = ls.First.Commit(t.Context(), c)
	refusedBlocked(t, err, first)
	c.Exclusive = false
	_, err = ls.First.Commit(t.Context(), c)
	refusedMoved(t, err)
}

func refusedLeavesNothing(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	row := commit(t, l, claim(claimed(1)))
	m := mark(t, l)
	c := everything(claimed(1, performed), 99)
	if _, err := l.Commit(ctx, c); err == nil {
		t.Fatal("want an error")
	}
	same(t, "mark", mark(t, l), m)
	same(t, "rows", must[[]intent.Row](t)(l.List(ctx, 10)), []intent.Row{row})
	same(t, "act", must[intent.Act](t)(l.Act(ctx, row.Key)), intent.Act{})
	same(t, "attempts", must[[]intent.Attempt](t)(l.Attempts(ctx, row.Key)), nil)
	same(t, "decisions", must[[]intent.Decision](t)(l.Decisions(ctx, row.Key)), nil)
	same(t, "outbox", must[[]intent.Escalation](t)(l.Outbox(ctx, at(1e6), 10)), nil)
	if _, ok, err := l.Recognise(ctx, ticket, fingerprintOf(1)); ok || err != nil {
		t.Errorf("recognise: %v, %v", ok, err)
	}
}

// everything is a change with one of each.
func everything(r intent.Row, seen int64) intent.Change {
	c := claim(r, ticket, order, seller)
	c.Seen = seen
	c.Act = &intent.Act{Arguments: intent.Arguments(`{"n":1}`), Request: []byte("body")}
	c.Fingerprints = []intent.Fingerprint{fingerprintOf(1)}
	c.Attempt = &intent.Attempt{Owner: "somebody", ProviderKey: "pk", StartedAt: at(1), EndedAt: at(2), Answer: "performed"}
	c.Escalate = []intent.Escalation{{Key: intent.EscalationKey(r.Key, intent.CauseUnknown, 0), Subject: r.Key, Cause: intent.CauseUnknown, CreatedAt: at(1), DueAt: at(1)}}
	c.Decision = &intent.Decision{Verb: "resolve", Who: "ines", At: at(3)}
	c.Followers = []intent.Follower{{Row: claimed(50, in(intent.StateReady), scope("")), Act: intent.Act{Payload: []byte("p")}, Resources: []intent.Resource{order}}}
	return c
}

func cancelledStillCommits(t *testing.T, ls Ledgers) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := claimed(1)
	row, err := ls.First.Commit(ctx, claim(r))
	if err != nil {
		t.Fatalf("a cancelled caller: %v", err)
	}
	same(t, "the row", find(t, ls.Second, r.Key), row)
}
