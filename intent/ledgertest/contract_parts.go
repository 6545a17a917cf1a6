package ledgertest

import (
	"testing"
	"time"

	"counterfoil/intent"
)

func attemptsAppended(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	a := intent.Attempt{
		N: 77, Step: 1, Ordinal: 2, Owner: l.Owner(), Principal: "ines", ProviderKey: "pk", StartedAt: at(1), EndedAt: at(2),
		Answer: "ambiguous", Detail: "timeout", Settled: "unknown lookup_unavailable", Evidence: intent.EvidenceLookup, EffectID: "re_1",
	}
	full(t, a)
	c := claim(claimed(1))
	c.Attempt = &a
	row := commit(t, l, c)
	b := intent.Attempt{Answer: "none"}
	commit(t, ls.Second, intent.Change{Row: &row, Seen: row.Version, Attempt: &b})
	elsewhere := claim(claimed(2))
	elsewhere.Attempt = &intent.Attempt{Answer: "refused"}
	commit(t, l, elsewhere)

	a.N, b.N = 1, 2
	same(t, "attempts", must[[]intent.Attempt](t)(l.Attempts(ctx, row.Key)), []intent.Attempt{a, b})
	same(t, "attempts of another", must[[]intent.Attempt](t)(l.Attempts(ctx, keyOf(2))), []intent.Attempt{{N: 1, Answer: "refused"}})
}

func decisionsKept(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	first := intent.Decision{Verb: "approve", Who: "ines", Note: "seen", Secret: true, At: at(1)}
	full(t, first)
	second := intent.Decision{Verb: "reopen", Who: "ole"}
	c := claim(claimed(1))
	c.Decision = &first
	row := commit(t, l, c)
	commit(t, l, intent.Change{Row: &row, Seen: row.Version, Decision: &second})
	same(t, "decisions", must[[]intent.Decision](t)(l.Decisions(ctx, row.Key)), []intent.Decision{first, second})
}

func followersOnce(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	step := claimed(2, in(intent.StateReady), scope(""), func(r *intent.Row) { r.Step, r.Parent = 1, keyOf(1) })
	c := claim(claimed(1))
	c.Followers = []intent.Follower{{Row: step, Act: intent.Act{Payload: []byte("p")}, Resources: []intent.Resource{seller}}}
	row := commit(t, l, c)
	made := find(t, l, step.Key)
	step.Version = made.Version
	same(t, "the follower", made, step)
	same(t, "its act", must[intent.Act](t)(l.Act(ctx, step.Key)), intent.Act{Payload: []byte("p")})
	same(t, "around its resource", keys(must[[]intent.Row](t)(l.Around(ctx, seller, 5))), keysOf(2))

	other := step
	other.Cents = 5
	commit(t, l, intent.Change{Row: &row, Seen: row.Version, Followers: []intent.Follower{{Row: other, Act: intent.Act{Payload: []byte("q")}}}})
	same(t, "the follower, named again", find(t, l, step.Key), made)
	same(t, "its act", must[intent.Act](t)(l.Act(ctx, step.Key)), intent.Act{Payload: []byte("p")})
}

func fullEscalation() intent.Escalation {
	return intent.Escalation{
		Key: keyOf(10), Subject: keyOf(1), Cause: intent.CauseUnknown, Ticket: ticket.ID, Reason: "technical_problem",
		Summary: "look it up", CreatedAt: at(1), Tries: 1, Ordinal: 1, DueAt: at(2), HandoffID: "H-1", DeliveredAt: at(3),
		NotifiedAt: at(4),
	}
}

func escalationOnce(t *testing.T, ls Ledgers) {
	l := ls.First
	e := fullEscalation()
	full(t, e)
	c := claim(claimed(1))
	c.Escalate = []intent.Escalation{e}
	row := commit(t, l, c)
	got, ok, err := l.Escalation(t.Context(), e.Key)
	if !ok || err != nil {
		t.Fatalf("escalation: %v, %v", ok, err)
	}
	same(t, "the escalation", got, e)

	again, second := e, e
	again.Summary, again.Tries = "another", 9
	second.Key = keyOf(11)
	commit(t, l, intent.Change{Row: &row, Seen: row.Version, Escalate: []intent.Escalation{again, second}})
	got, _, _ = l.Escalation(t.Context(), e.Key)
	same(t, "the escalation, told again", got, e)
	if _, ok, err := l.Escalation(t.Context(), second.Key); !ok || err != nil {
		t.Errorf("the new one beside it: %v, %v", ok, err)
	}
}

func deliveredStays(t *testing.T, ls Ledgers) {
	l := ls.First
	e := fullEscalation()
	e.Tries, e.Ordinal, e.HandoffID, e.DeliveredAt, e.NotifiedAt = 0, 0, "", time.Time{}, time.Time{}
	commit(t, l, intent.Change{Escalate: []intent.Escalation{e}})
	update := func(u intent.Escalation) intent.Escalation {
		t.Helper()
		u.Key, u.Cause, u.Summary = e.Key, "ignored", "ignored"
		if row := commit(t, l, intent.Change{Update: &u}); row != (intent.Row{}) {
			t.Errorf("a delivery returned the row %+v", row)
		}
		got, _, err := l.Escalation(t.Context(), e.Key)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	e.Tries, e.Ordinal, e.DueAt = 1, 1, at(60)
	same(t, "after a try", update(e), e)
	e.NotifiedAt = at(65)
	same(t, "after a notification", update(e), e)
	later, never := e, e
	later.NotifiedAt, never.NotifiedAt = at(66), time.Time{}
	same(t, "after another notification", update(later), e)
	same(t, "after a try that knows of none", update(never), e)
	e.Tries, e.DueAt, e.HandoffID, e.DeliveredAt = 2, time.Time{}, "H-1", at(70)
	same(t, "after the delivery", update(e), e)
	same(t, "after a late try of another process", update(intent.Escalation{Tries: 3, DueAt: at(90)}), e)
	same(t, "outbox", must[[]intent.Escalation](t)(l.Outbox(t.Context(), at(1e6), 10)), nil)
}

func recognised(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	with := func(n int, tk intent.Resource, fps ...int) intent.Row {
		c := claim(claimed(n, scope("")), tk)
		for _, fp := range fps {
			c.Fingerprints = append(c.Fingerprints, fingerprintOf(fp))
		}
		return commit(t, l, c)
	}
	first := with(1, ticket, 1, 2)
	second := with(2, ticket, 3, 2)
	with(3, order, 4)
	tests := []struct {
		name string
		fp   intent.Fingerprint
		want intent.Row
	}{
		{"one of them", fingerprintOf(1), first},
		{"that of two, the newest", fingerprintOf(2), second},
		{"that of another ticket", fingerprintOf(4), intent.Row{}},
		{"none", fingerprintOf(5), intent.Row{}},
		{"across two", straddling(fingerprintOf(1), fingerprintOf(2)), intent.Row{}},
	}
	for _, tt := range tests {
		row, ok, err := ls.Second.Recognise(ctx, ticket, tt.fp)
		if err != nil || ok != (tt.want != intent.Row{}) {
			t.Errorf("%s: %v, %v", tt.name, ok, err)
		}
		same(t, tt.name, row, tt.want)
	}

	first = commit(t, l, intent.Change{Row: &first, Seen: first.Version, Fingerprints: []intent.Fingerprint{fingerprintOf(1), fingerprintOf(6)}})
	row, _, err := l.Recognise(ctx, ticket, fingerprintOf(6))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one that was added", row, first)
}

// straddling is the end of one fingerprint and the beginning of the next.
func straddling(a, b intent.Fingerprint) (fp intent.Fingerprint) {
	copy(fp[copy(fp[:], a[5:]):], b[:])
	return fp
}

func byEffect(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	commit(t, l, claim(claimed(1, performed, effect("re_1"), scope("")), ticket))
	newest := commit(t, l, claim(claimed(2, performed, effect("re_1"), scope("")), ticket))
	commit(t, l, claim(claimed(5, performed, effect("re_1"), scope(""), func(r *intent.Row) { r.Tool = "another" }), ticket))
	commit(t, l, claim(claimed(3, performed, effect("re_3"), scope("")), order))
	commit(t, l, claim(claimed(4, scope("")), ticket))
	for id, want := range map[string]intent.Row{"re_1": newest, "re_3": {}, "": {}} {
		row, ok, err := l.ByEffect(ctx, ticket, "issue_refund", id)
		if err != nil || ok != (want != intent.Row{}) {
			t.Errorf("effect %q: %v, %v", id, ok, err)
		}
		same(t, "effect "+id, row, want)
	}
}

func totals(t *testing.T, ls Ledgers) {
	l, ctx := ls.First, t.Context()
	commit(t, l, claim(claimed(1, cents(1), scope("")), order, seller))
	commit(t, l, claim(claimed(2, cents(20), scope(""), in(intent.StateAwaiting)), seller))
	commit(t, l, claim(claimed(3, cents(300), scope(""), performed), seller))
	commit(t, l, claim(claimed(4, cents(4000), scope(""), in(intent.StateNotPerformed)), seller))
	commit(t, l, claim(claimed(5, cents(50000), scope(""), func(r *intent.Row) { r.Currency = "JPY" }), seller))
	commit(t, l, claim(claimed(6, cents(600000), scope(""), func(r *intent.Row) { performed(r); r.Final = false }), seller))
	commit(t, l, claim(claimed(7, cents(0), scope("")), seller))
	commit(t, l, claim(claimed(8, cents(8000000), scope(""), watched), seller))
	commit(t, l, claim(claimed(9, cents(90000000), scope(""), in(intent.StateUnknown), effect("re_9")), seller))

	all := []intent.Resource{order, seller, other}
	check := func(what, currency string, except intent.Key, want map[intent.Resource]intent.Total) {
		t.Helper()
		same(t, what, must[map[intent.Resource]intent.Total](t)(ls.Second.Totals(ctx, all, currency, except)), want)
	}
	check("all", "USD", intent.Key{}, map[intent.Resource]intent.Total{
		order: {Open: 1, Spent: 1}, seller: {Open: 8000021, Spent: 98600321}, other: {},
	})
	check("without the first", "USD", keyOf(1), map[intent.Resource]intent.Total{
		order: {}, seller: {Open: 8000020, Spent: 98600320}, other: {},
	})
	check("without one that is elsewhere", "USD", keyOf(3), map[intent.Resource]intent.Total{
		order: {Open: 1, Spent: 1}, seller: {Open: 8000021, Spent: 98600021}, other: {},
	})
	check("without one in another currency", "USD", keyOf(5), map[intent.Resource]intent.Total{
		order: {Open: 1, Spent: 1}, seller: {Open: 8000021, Spent: 98600321}, other: {},
	})
	check("another currency", "JPY", intent.Key{}, map[intent.Resource]intent.Total{
		order: {}, seller: {Open: 50000, Spent: 50000}, other: {},
	})
	change(t, l, find(t, l, keyOf(1)), performed, cents(2))
	change(t, l, find(t, l, keyOf(5)), func(r *intent.Row) { r.Currency = "USD" })
	change(t, l, find(t, l, keyOf(3)), in(intent.StateNotPerformed)) // undone
	check("after changes", "USD", intent.Key{}, map[intent.Resource]intent.Total{
		order: {Spent: 2}, seller: {Open: 8050020, Spent: 98650022}, other: {},
	})
	check("after changes", "JPY", intent.Key{}, map[intent.Resource]intent.Total{order: {}, seller: {}, other: {}})
}

func repeatCosts(t *testing.T, ls Ledgers) {
	row := commit(t, ls.First, claim(claimed(1)))
	m := mark(t, ls.First)
	for range 50 {
		ls.First.CountRepeat(row.Key)
		ls.First.CountRepeat(keyOf(2)) // of no intent: no harm
	}
	same(t, "mark", mark(t, ls.First), m)
	commit(t, ls.First, claim(claimed(3, scope(""))))
	same(t, "the row", find(t, ls.First, row.Key), row)
}
