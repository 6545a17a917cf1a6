package intent_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"counterfoil/intent"
)

// The ways in which a send can end.
var simFaults = []string{
	"not sent", "lost", "answer lost", "late", "queued", "500 acted", "500", "refused", "refused for now",
	"wrong echo", "twice", "dropped", "pending", "pending then failed",
}

// fault draws how a send ends; empty: as it should.
func (o *simOp) fault(rng *rand.Rand) string {
	if o.w.calm || rng.Float64() >= o.hostile {
		return ""
	}
	fault := simFaults[rng.IntN(len(simFaults))]
	switch fault {
	case "twice":
		if o.caps.Dedupe == 0 {
			return "answer lost"
		}
	case "pending", "pending then failed":
		if !o.pending {
			return "late"
		}
	}
	return fault
}

// send puts one request on the wire. The gate comes first: at or after SendBy
// nothing leaves.
func (o *simOp) send(ctx context.Context, order intent.Order, facts simFacts) intent.Answer {
	l := simLaneOf(ctx)
	o.w.sched.gate(l, "send")
	o.w.mu.Lock()
	now := time.Now()
	if !o.w.now().Before(order.SendBy) || ctx.Err() != nil {
		o.w.row(23, l.slept)
		o.w.logf(l, "%s: not sent, too late", o.name)
		o.w.mu.Unlock()
		return intent.AnsweredNotSent{Detail: "too late"}
	}
	o.deliver(now)
	fault := o.fault(l.rng)
	o.w.logf(l, "send %s %s under %s: %s", o.name, o.w.short(order.Intent), order.Key[:6], fault)
	o.w.cover.send(cmp.Or(fault, "as it should"))
	if fault == "not sent" {
		o.w.mu.Unlock()
		return intent.AnsweredNotSent{Detail: "refused connection"}
	}
	r := simRequest{order: order, facts: facts, lane: l, sentSeq: o.w.tick(), epoch: o.w.epoch}
	l.sent[order.Intent.String()] = true
	if l.again {
		o.w.factsOf(order.Intent.String(), "").repeat = true
	}
	n := len(o.sends)
	o.checkSend(order, now)
	o.sends = append(o.sends, simSend{
		intent: order.Intent.String(), epoch: o.w.epoch, seq: r.sentSeq, key: order.Key, at: now, acted: true,
	})
	answer, wait := o.act(fault, r, now)
	switch a := answer.(type) {
	case intent.AnsweredRefused:
		o.sends[n].acted = false
		if a.Code == "already_done" {
			o.w.rows.refused[order.Intent.String()] = true
		}
	case intent.AnsweredAmbiguous:
		o.sends[n].unsure = true
	case intent.AnsweredPerformed:
		if a.Effect.Status != "failed" {
			l.answered[order.Intent.String()] = a.Effect.ID
		}
	case intent.AnsweredNotSent:
	}
	o.w.mu.Unlock()
	o.w.spend(ctx, wait)
	return answer
}

// act is what the authority makes of a request, and how long its answer takes.
func (o *simOp) act(fault string, r simRequest, now time.Time) (intent.Answer, time.Duration) {
	rng, soon, never := r.lane.rng, o.w.latency(r.lane.rng), time.Hour
	gone := func(detail string) intent.Answer { return intent.AnsweredAmbiguous{Detail: detail} }
	broken := intent.AnsweredAmbiguous{Detail: "http 500", Stored: o.caps.ErrorsStored}
	if kept := o.kept(r.order.Key, now); kept != nil && fault != "lost" && fault != "late" {
		return o.replay(kept, fault, now, soon)
	}
	switch fault {
	case "lost":
		return gone("timeout"), never
	case "late":
		o.transit = append(o.transit, simTransit{arrives: now.Add(o.late(rng)), req: r})
		if rng.IntN(3) == 0 {
			return gone("connection reset"), soon
		}
		return gone("timeout"), never
	case "500":
		if o.caps.ErrorsStored {
			o.keep(r.order.Key, &simKept{first: now, stored: broken})
		}
		return broken, soon
	case "refused":
		answer := intent.AnsweredRefused{Permanent: true, Code: "disputed", Because: "the payment is disputed"}
		if o.caps.ErrorsStored {
			o.keep(r.order.Key, &simKept{first: now, stored: answer})
		}
		return answer, soon
	case "refused for now":
		answer := intent.AnsweredRefused{Code: "busy", RetryAfter: time.Duration(rng.IntN(8)) * time.Second}
		if o.caps.ErrorsStored {
			o.keep(r.order.Key, &simKept{first: now, stored: answer})
		}
		return answer, soon
	}
	lag := time.Duration(0)
	last := o.caps.ErrorsStored && o.caps.Lookup == intent.LookupReadAfterWrite // a stored error is its last word, and what it did shows
	if fault == "queued" || fault == "500 acted" && !last && rng.IntN(2) == 0 {
		lag = o.late(rng)
	}
	e, replayed, _ := o.accept(r, now, lag)
	if e == nil {
		return intent.AnsweredRefused{Permanent: true, Code: "no such booking", Because: "there is nothing to cancel"}, soon
	}
	switch fault {
	case "queued", "answer lost":
		return gone("timeout"), never
	case "dropped":
		return gone("connection reset"), soon
	case "500 acted":
		if kept := o.keys[r.order.Key]; kept != nil && o.caps.ErrorsStored {
			kept.stored = broken
		}
		return broken, soon
	case "wrong echo":
		return gone("another order in the answer"), soon
	case "twice":
		o.transit = append(o.transit, simTransit{arrives: now.Add(min(o.late(rng), o.caps.Dedupe*9/10)), req: r})
	case "pending":
		e.status, e.turns, e.turnsTo = "pending", now.Add(o.late(rng)+time.Minute), "succeeded"
	case "pending then failed":
		e.status, e.turns, e.turnsTo = "pending", now.Add(o.late(rng)+time.Minute), "failed"
	}
	return intent.AnsweredPerformed{Effect: o.view(e), Replayed: replayed}, soon
}

// replay answers a key that the authority knows.
func (o *simOp) replay(kept *simKept, fault string, now time.Time, soon time.Duration) (intent.Answer, time.Duration) {
	switch {
	case kept.stored != nil:
		return kept.stored, soon
	case kept.effect.lands.After(now):
		if fault != "" { // still in its queue
			return intent.AnsweredAmbiguous{Detail: "http 409"}, soon
		}
		kept.effect.lands = now
		kept.effect.shows = minTime(kept.effect.shows, now.Add(o.caps.LookupDelay))
	case strings.HasPrefix(fault, "refused"), strings.HasPrefix(fault, "500"): // of one that does not replay, it refuses
		return intent.AnsweredRefused{Permanent: true, Code: "already_done", Because: "it has been done"}, soon
	case fault == "answer lost", fault == "dropped":
		return intent.AnsweredAmbiguous{Detail: "connection reset"}, soon
	}
	return intent.AnsweredPerformed{Effect: o.view(kept.effect), Replayed: true}, soon
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// lookup looks for the effect of an intent.
func (o *simOp) lookup(ctx context.Context, s intent.Subject, facts string) intent.Finding {
	l := simLaneOf(ctx)
	switch {
	case o.caps.Lookup == intent.LookupWebhook && o.naive: // of an adapter that looks all the same
		return intent.Absent{}
	case !o.seeing():
		return intent.LookupUnsupported{}
	}
	o.w.align(ctx, l)
	o.w.sched.gate(l, "lookup")
	down := !o.w.calm && (l.rng.Float64() < o.deaf || time.Now().Before(o.w.deafUntil))
	wait := o.w.latency(l.rng)
	if down && l.rng.IntN(3) == 0 {
		wait = time.Hour
	}
	l.deaf = l.deaf || down || wait > time.Second
	if !o.w.spend(ctx, wait) || down {
		o.w.undecided(ctx, l, true)
		o.w.logf(l, "lookup %s %s: down", o.name, o.w.short(s.Intent))
		return intent.LookupFailed{Detail: "http 503"}
	}
	finding := o.find(l, s, facts)
	if _, absent := finding.(intent.Absent); absent && o.caps.Lookup != intent.LookupReadAfterWrite {
		o.w.undecided(ctx, l, false)
	} else {
		l.inner, l.outer, l.notBefore = 0, 0, time.Time{}
	}
	return finding
}

func (o *simOp) find(l *simLane, s intent.Subject, asked string) intent.Finding {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	now, key := time.Now(), s.Intent.String()
	o.deliver(now)
	o.lookups++
	l.looked[key] = simLook{seq: o.w.tick(), at: now}
	l.decided[key] = o.w.seq
	facts := o.w.factsOf(key, "")
	facts.looks = append(facts.looks, l.looked[key])
	var best *simEffect
	for _, e := range o.effects {
		if e.intent != key || e.shows.After(now) {
			continue
		}
		if best == nil || o.undone(best) && !o.undone(e) || o.undone(best) == o.undone(e) && e.id == s.EffectID {
			best = e
		}
	}
	switch {
	case best == nil:
		o.w.logf(l, "lookup %s %s: absent", o.name, o.w.short(s.Intent))
		return intent.Absent{}
	case best.facts != asked:
		o.w.logf(l, "lookup %s %s: other facts, %s", o.name, o.w.short(s.Intent), best.id)
		return intent.FoundOther{Effect: o.view(best)}
	}
	o.w.logf(l, "lookup %s %s: found %s %s", o.name, o.w.short(s.Intent), best.id, best.status)
	return intent.Found{Effect: o.view(best)}
}

// latency draws how long the authority takes to answer.
func (w *simWorld) latency(rng *rand.Rand) time.Duration {
	if !w.calm && rng.IntN(25) == 0 {
		return time.Second + time.Duration(rng.IntN(4000))*time.Millisecond + 137*time.Microsecond
	}
	return 5*time.Millisecond + time.Duration(rng.IntN(200_000))*time.Microsecond
}

// spend lets simulated time pass; false: the context ended first.
func (w *simWorld) spend(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// undecided remembers that a lookup decided nothing, so that align can absorb
// the jitter of the engine's pause before the next one: that jitter is not
// seeded, and a history has to be. Where the pause may or may not fit into what
// is left of a bound, the answer takes until the end of it.
func (w *simWorld) undecided(ctx context.Context, l *simLane, down bool) {
	over := ctx.Err() != nil
	if down && !over && l.inner < 3 {
		bound := 50 * time.Millisecond << l.inner
		if until, ok := ctx.Deadline(); ok && time.Until(until) <= bound+time.Millisecond {
			<-ctx.Done()
			over = true
		} else {
			l.inner++
			l.notBefore = time.Now().Add(bound)
			return
		}
	}
	if over {
		l.roundUp(ctx)
	}
	l.inner, l.bound = 0, min(200*time.Millisecond<<min(l.outer, 5), 2*time.Second)
	l.outer++
	if rest := time.Until(l.began.Add(answerWithin - providerTimeout/2)); rest > 0 && rest <= l.bound+time.Millisecond {
		<-time.After(rest)
	}
	l.notBefore = time.Now().Add(l.bound)
}

// roundUp waits until the engine's bound on one run of reads would have ended
// had its jittered pause before that run been the longest. The bounds of the
// whole call are not jittered.
func (l *simLane) roundUp(ctx context.Context) {
	until, _ := ctx.Deadline()
	end := l.readFrom.Add(providerTimeout)
	near := func(t time.Time) bool { return until.Sub(t).Abs() < 2*time.Millisecond }
	if near(l.began.Add(answerWithin-providerTimeout/2)) || near(l.began.Add(answerWithin-providerTimeout/8)) {
		return
	}
	if !until.After(end.Add(time.Millisecond)) && until.After(end.Add(-l.readSlack-2*time.Millisecond)) {
		<-time.After(time.Until(end))
	}
}

func (w *simWorld) align(ctx context.Context, l *simLane) {
	if l == nil {
		return
	}
	w.spend(ctx, time.Until(l.notBefore))
	if l.inner == 0 {
		l.readFrom, l.readSlack = time.Now(), l.bound
		l.bound = 0
	}
}
