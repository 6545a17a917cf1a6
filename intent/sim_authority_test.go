package intent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"counterfoil/intent"
)

// simOp is one kind of write at a hostile authority. It may lose, delay,
// duplicate and refuse, but it keeps what it declares.
type simOp struct {
	w       *simWorld
	name    string
	prefix  string
	caps    intent.Capabilities
	hostile float64 // how often a send goes wrong
	deaf    float64 // how often a lookup does
	pending bool    // its effects may be pending first
	naive   bool    // a lookup that can prove nothing says "absent"

	keys    map[string]*simKept
	effects []*simEffect
	transit []simTransit
	sends   []simSend
	lookups int
}

// simKept is what the authority keeps under a provider key.
type simKept struct {
	first  time.Time
	effect *simEffect
	stored intent.Answer // replayed instead of acting
}

// simEffect is an effect in the authority's books.
type simEffect struct {
	id, intent, key, facts string
	order, item            string
	cents                  int64
	sentSeq, epoch         int
	lane                   *simLane
	lands, shows           time.Time
	status                 string
	turns                  time.Time // when a pending one turns
	turnsTo                string
	byHand                 bool
}

// simTransit is a request that is still on its way.
type simTransit struct {
	arrives time.Time
	req     simRequest
}

// simRequest is one request as the authority reads it.
type simRequest struct {
	order   intent.Order
	facts   simFacts
	lane    *simLane
	sentSeq int
	epoch   int // of the ledger that its sender knew
}

// simFacts are what a request asks for.
type simFacts struct {
	text        string // what two requests must share to be the same
	order, item string
	booking     string // of a cancellation
	cents       int64
}

// simSend is a request that has passed the gate.
type simSend struct {
	intent string
	epoch  int
	seq    int
	key    string
	at     time.Time
	acted  bool // as its sender must believe: not refused
	unsure bool // its answer decides nothing
}

// drawCaps draws what an operation declares.
func drawCaps(rng *rand.Rand) intent.Capabilities {
	var c intent.Capabilities
	switch n := rng.IntN(10); {
	case n < 6:
		c.Dedupe = 24 * time.Hour
	case n < 8:
		c.Dedupe = []time.Duration{10 * time.Second, 2 * time.Minute, time.Hour}[rng.IntN(3)]
	}
	switch n := rng.IntN(10); {
	case n < 6:
		c.Lookup = intent.LookupReadAfterWrite
	case n < 8:
		c.Lookup = intent.LookupDelayed
		c.LookupDelay = []time.Duration{4 * time.Second, time.Minute, 2 * time.Hour}[rng.IntN(3)]
	case n < 9:
		c.Lookup = intent.LookupWebhook
	}
	if rng.IntN(8) > 0 {
		c.LandsWithin = []time.Duration{5 * time.Second, 30 * time.Second, 20 * time.Minute}[rng.IntN(3)]
	}
	c.ErrorsStored = c.Dedupe > 0 && rng.IntN(2) == 0
	return c
}

func (o *simOp) describe() string {
	c := o.caps
	return fmt.Sprintf("%s: dedupe %v, lookup %q %v, lands within %v, errors stored %v, hostile %.2f, deaf %.2f",
		o.name, c.Dedupe, c.Lookup, c.LookupDelay, c.LandsWithin, c.ErrorsStored, o.hostile, o.deaf)
}

// usable reports whether a lookup can ever prove an absence.
func (o *simOp) usable() bool {
	return (o.caps.Lookup == intent.LookupReadAfterWrite || o.caps.Lookup == intent.LookupDelayed) && o.caps.LandsWithin > 0
}

// seeing reports whether effects can be looked up by intent.
func (o *simOp) seeing() bool {
	return o.caps.Lookup == intent.LookupReadAfterWrite || o.caps.Lookup == intent.LookupDelayed
}

// outlives reports whether a key is deduplicated for longer than a request under it can land.
func (o *simOp) outlives() bool {
	return o.caps.LandsWithin > 0 && o.caps.Dedupe > o.caps.LandsWithin
}

// late draws how long after its send a request may still land.
func (o *simOp) late(rng *rand.Rand) time.Duration {
	most := o.caps.LandsWithin
	if most == 0 {
		most = time.Hour
	}
	return time.Duration(float64(most) * 0.98 * rng.Float64())
}

// deliver lets the requests arrive whose time has come, in their order.
func (o *simOp) deliver(now time.Time) {
	for {
		next := -1
		for i, t := range o.transit {
			if !t.arrives.After(now) && (next < 0 || t.arrives.Before(o.transit[next].arrives)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		t := o.transit[next]
		o.transit = slices.Delete(o.transit, next, next+1)
		e, replayed, stored := o.accept(t.req, t.arrives, 0)
		switch {
		case stored != nil:
			o.w.logf(t.req.lane, "%s arrives late: replayed %T", o.name, stored)
		case e == nil:
			o.w.logf(t.req.lane, "%s arrives late: turned away", o.name)
		default:
			o.w.logf(t.req.lane, "%s arrives late: %s (replayed %v)", o.name, e.id, replayed)
		}
	}
	for _, e := range o.effects {
		if !e.turns.IsZero() && !now.Before(e.turns) {
			e.status, e.turns = e.turnsTo, time.Time{}
			o.w.logf(nil, "%s turns %s", e.id, e.status)
		}
	}
}

// accept acts on a request, unless its key is known. lag keeps the effect from
// landing for so long.
func (o *simOp) accept(r simRequest, at time.Time, lag time.Duration) (e *simEffect, replayed bool, stored intent.Answer) {
	kept := o.kept(r.order.Key, at)
	switch {
	case kept != nil && kept.stored != nil:
		return kept.effect, true, kept.stored
	case kept != nil:
		return kept.effect, true, nil
	}
	e = o.make(r, at.Add(lag))
	if e == nil {
		return nil, false, nil
	}
	o.keep(r.order.Key, &simKept{first: at, effect: e})
	return e, false, nil
}

// make puts an effect into the books; nil where the world has no room for it.
func (o *simOp) make(r simRequest, lands time.Time) *simEffect {
	id := o.prefix + simNth(len(o.effects)+1)
	if o.name == "cancel" {
		booking := o.w.pickups.byID(r.facts.booking)
		if booking == nil || booking.status != "booked" {
			return nil
		}
		id = booking.id
		booking.status = "cancelled"
	}
	e := &simEffect{
		id: id, intent: r.order.Intent.String(), key: r.order.Key, facts: r.facts.text,
		order: r.facts.order, item: r.facts.item, cents: r.facts.cents,
		sentSeq: r.sentSeq, epoch: r.epoch, lane: r.lane, lands: lands, shows: lands, status: o.done(),
	}
	if o.caps.Lookup == intent.LookupDelayed {
		e.shows = lands.Add(time.Duration(float64(o.caps.LookupDelay) * 0.98 * o.w.fates.Float64()))
	}
	o.effects = append(o.effects, e)
	return e
}

// done is the final word for an effect that stands.
func (o *simOp) done() string {
	switch o.name {
	case "pickup":
		return "booked"
	case "cancel":
		return "cancelled"
	case "replacement":
		return "shipped"
	case "desk":
		return "open"
	}
	return "succeeded"
}

func (o *simOp) kept(key string, at time.Time) *simKept {
	kept := o.keys[key]
	if o.caps.Dedupe == 0 || kept == nil || !at.Before(kept.first.Add(o.caps.Dedupe)) {
		return nil
	}
	return kept
}

func (o *simOp) keep(key string, k *simKept) {
	if o.caps.Dedupe > 0 {
		o.keys[key] = k
	}
}

func (o *simOp) byID(id string) *simEffect {
	for _, e := range o.effects {
		if e.id == id {
			return e
		}
	}
	return nil
}

// under are the effects of an intent that have landed, with those that the
// provider's own people made under its key.
func (o *simOp) under(key string, now time.Time) []*simEffect {
	var found []*simEffect
	for _, e := range o.effects {
		if e.intent == key && !e.lands.After(now) {
			found = append(found, e)
		}
	}
	return found
}

// coming reports whether a request of an intent may still land.
func (o *simOp) coming(key string, now time.Time) bool {
	for _, t := range o.transit {
		if t.req.order.Intent.String() == key {
			return true
		}
	}
	for _, e := range o.effects {
		if e.intent == key && e.lands.After(now) {
			return true
		}
	}
	return false
}

// view is an effect as an adapter declares it.
func (o *simOp) view(e *simEffect) intent.Effect {
	v := intent.Effect{ID: e.id, Status: e.status, Final: e.status != "pending", At: e.lands.UTC().Truncate(time.Millisecond)}
	v.Undone = o.undone(e)
	if e.cents > 0 {
		v.Cents, v.Currency = e.cents, o.w.currencyOf(e.order)
	}
	return v
}

func (o *simOp) undone(e *simEffect) bool {
	return e.status == "failed" || o.name == "pickup" && e.status == "cancelled"
}

func (e *simEffect) stands() bool { return e.status != "failed" }

func (w *simWorld) currencyOf(order string) string {
	for _, o := range w.orders {
		if o.OrderID == order {
			return o.Currency
		}
	}
	return ""
}
