package intent_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"counterfoil/intent"
)

// simPeople are those who decide, and who act in the provider's own books.
type simPeople struct {
	w   *simWorld
	rng *rand.Rand
	n   int
}

// work has a person look at the ledger now and then.
func (p *simPeople) work() {
	defer p.w.threads.Add(-1)
	for range p.rng.IntN(8) {
		<-time.After(time.Duration(p.rng.IntN(200))*time.Second + 321*time.Millisecond)
		if p.w.broken() {
			return
		}
		if p.rng.IntN(8) == 0 {
			p.refundByHand()
			continue
		}
		p.decide()
	}
}

// decide takes a row that something can be done about.
func (p *simPeople) decide() {
	rows, err := p.w.ledger().List(p.w.ctx, 50)
	if err != nil || len(rows) == 0 {
		return
	}
	row := rows[p.rng.IntN(len(rows))]
	for _, r := range rows { // what waits comes first, mostly
		if (r.State == intent.StateAwaiting || r.State == intent.StateUnknown) && p.rng.IntN(2) == 0 {
			row = r
			break
		}
	}
	p.n++
	l := p.w.lane(900_000+p.n, "H", p.w.start(true))
	defer p.w.kill(l.proc)
	p.w.run(l, func(ctx context.Context) { p.verb(ctx, l, row) })
}

// verb does what suits a row.
func (p *simPeople) verb(ctx context.Context, l *simLane, row intent.Row) {
	who, e := intent.Person{Name: "lead"}, l.proc
	var err error
	verb := ""
	switch n := p.rng.IntN(4); {
	case row.State == intent.StateAwaiting && n < 3:
		verb = "approve"
		p.w.approve(row.Key)
		_, err = e.Approve(ctx, row.Key, who)
	case row.State == intent.StateAwaiting:
		verb = "decline"
		if _, err = e.Decline(ctx, row.Key, who); err == nil {
			p.w.decided(row.Key, true)
		}
	case row.State == intent.StateUnknown || row.State == intent.StateInFlight || row.State == intent.StateNotPerformed && row.OnWatch():
		if n == 0 {
			verb = "release"
			_, err = e.Release(ctx, row.Key, who)
			break
		}
		verb, err = p.resolve(ctx, l, row)
	case row.State == intent.StateNotPerformed:
		verb = "reopen"
		p.w.decided(row.Key, false)
		_, err = e.Reopen(ctx, row.Key, who)
	case row.State == intent.StatePerformed:
		verb = "allow-repeat"
		p.w.allow(row)
		_, err = e.AllowRepeat(ctx, row.Key, who)
	}
	if err == nil && verb != "" {
		p.w.cover.event("person: " + strings.Fields(verb)[0])
	}
	var notNow *intent.NotNowError
	p.w.logf(l, "person: %s %s: %v", verb, p.w.short(row.Key), err)
	if err != nil && !errors.As(err, &notNow) {
		p.w.logf(l, "a person's verb: %v", err)
	}
}

// resolve says what became of an unknown: what the books say, once nothing can
// land any more; in some histories, now and then, the contrary.
func (p *simPeople) resolve(ctx context.Context, l *simLane, row intent.Row) (verb string, err error) {
	w := p.w
	w.mu.Lock()
	op, key, now := w.opOf(row.Tool), row.Key.String(), time.Now()
	op.deliver(now)
	ref, pending := "", false
	if found := op.under(key, now); len(found) > 0 && found[0].stands() && !found[0].byHand {
		ref = found[0].id
		pending = found[0].status == "pending"
	}
	facts := w.factsOf(key, row.Tool)
	facts.decided++
	facts.last, facts.declined = nil, false // whoever decides knows
	facts.decidedSeq = w.tick()
	wrong := w.liars && p.rng.IntN(3) == 0
	switch {
	case wrong && ref == "":
		ref = "NO-SUCH"
	case wrong:
		ref = ""
	case pending, ref == "" && (op.coming(key, now) || row.State == intent.StateInFlight):
		wrong = true // true now, and not for ever
	}
	facts.lied, w.misled = facts.lied || wrong, w.misled || wrong
	w.mu.Unlock()
	w.logf(l, "a person looks at %s and finds %q (wrong %v)", w.short(row.Key), ref, wrong)
	_, err = l.proc.Resolve(ctx, row.Key, intent.Person{Name: "lead"}, ref)
	w.mu.Lock()
	facts.last = nil // nor does what was said while they looked bind them
	w.mu.Unlock()
	return "resolve " + ref, err
}

// refundByHand is a refund in the provider's own books, without our key.
func (p *simPeople) refundByHand() {
	w := p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.refunds
	order := w.orders[p.rng.IntN(len(w.orders))]
	item := order.Items[p.rng.IntN(len(order.Items))]
	under := p.keyToUse()
	e := &simEffect{
		id: o.prefix + simNth(len(o.effects)+1), order: order.OrderID, item: item.ItemID, cents: 1000,
		lands: time.Now(), shows: time.Now(), status: "succeeded", byHand: true,
		intent: under, facts: "by hand",
	}
	o.effects = append(o.effects, e)
	w.cover.event(map[bool]string{true: "by hand", false: "by hand under our key"}[under == ""])
	w.logf(nil, "a person refunds %d of %s by hand: %s", e.cents, e.item, e.id)
}

// keyToUse is the key of a refund of ours that a person's refund bears by
// mistake, now and then: our key with other facts.
func (p *simPeople) keyToUse() string {
	if p.rng.IntN(3) > 0 {
		return ""
	}
	rows, err := p.w.ledger().List(p.w.ctx, 50)
	if err != nil {
		return ""
	}
	for _, row := range rows {
		if key := row.Key.String(); row.Tool == "issue_refund" {
			p.w.factsOf(key, row.Tool).mixed = true
			return key
		}
	}
	return ""
}
