package intent_test

import (
	"slices"
	"strings"
	"time"

	"counterfoil/intent"
)

// simKeyFacts are what the simulation knows of an intent.
type simKeyFacts struct {
	tool     string
	lied     bool // a person said what was not so, or not so for good
	approved bool
	declined bool
	mixed    bool // an effect with other facts bears the key
	repeat   bool // a deliberate one, of another effect
	decided  int  // a person's words that open the way to another send

	decidedSeq int       // the last such word
	looks      []simLook // answered lookups
	last       *simPromise
	promises   []simPromise

	// When it was claimed last, truly and by our clock: what lands after either
	// may be of that send as well, as far as we know, and contradicts nobody.
	claimed, claimedOurs time.Time
}

// simPromise is what an answer said, and up to which moment it knew.
type simPromise struct {
	intent.Result
	seq   int
	at    time.Time
	epoch int
	lane  *simLane
}

// factsOf are the facts of a key. Under mu.
func (w *simWorld) factsOf(key, tool string) *simKeyFacts {
	f := w.facts[key]
	if f == nil {
		f = &simKeyFacts{tool: tool}
		w.facts[key] = f
	}
	return f
}

func (w *simWorld) approve(key intent.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.factsOf(key.String(), "issue_refund").approved = true
}

// decided remembers that a person closed, or opened, the way to a send.
func (w *simWorld) decided(key intent.Key, declined bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.factsOf(key.String(), "")
	f.declined, f.last = declined, nil
	if !declined {
		f.decided++
		f.decidedSeq = w.tick()
	}
}

// allow remembers that a person allowed a repeat of an effect.
func (w *simWorld) allow(row intent.Row) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed[row.EffectID] = true
}

// forget drops what only the ledger that is gone could have kept.
func (w *simWorld) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.facts {
		f.last, f.declined = nil, false
	}
}

// check holds one answer against the authority's books.
func (w *simWorld) check(l *simLane, ask simAsk, r intent.Result, began time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, o := range w.ops() {
		o.deliver(now)
	}
	key, _ := intent.ParseKey(r.IntentKey)
	w.logf(l, "answer %s: %s %s %s, effect %q, attempts %d, evidence %s, escalation %v", w.short(key), r.Outcome, r.Reason, r.Retry,
		simEffectID(r), r.Attempts, r.Evidence, simTold(r))
	w.cover.answer(r)
	if took := now.Sub(began); took > answerWithin+w.slack(r) && !l.slept {
		w.violate("budget", "%s answered after %v", r.IntentKey, took)
	}
	w.checkShape(r)
	w.checkTold(r)
	w.row(33, l.proc.leaving && l.reads > 0 && r.Reason == intent.ReasonCancelled)
	if r.IntentKey == "" {
		return
	}
	facts := w.factsOf(r.IntentKey, ask.tool)
	promise := simPromise{Result: r, seq: l.decided[r.IntentKey], at: now, epoch: w.epoch, lane: l}
	op := w.opOf(ask.tool)
	facts.repeat = facts.repeat || ask.args["again_after"] != nil
	w.seeAnswer(op, l, ask, r)
	w.checkOnce(op, r.IntentKey, facts)
	w.checkLeave(ask, r)
	done := r.Outcome == intent.Performed || r.Outcome == intent.AlreadyPerformed
	id, own := l.answered[r.IntentKey]
	if made := op.byID(id); own && !done && op != w.desk && (made == nil || made.stands()) {
		w.violate("true", "%s: the authority answered this call with %s, and it reads %s %s", r.IntentKey, id, r.Outcome, r.Reason)
	}
	switch r.Outcome {
	case intent.Performed, intent.AlreadyPerformed:
		w.checkPerformed(op, l, r, facts, began)
	case intent.NotPerformed:
		w.checkNotPerformed(op, l, r, facts, promise)
	case intent.Unknown:
		if !l.slept { // a read of the outbox has run out of its time
			w.checkUnknown(op, l, r)
		}
	}
	w.checkAttempts(op, promise, facts)
	w.checkStable(op, facts, promise)
	facts.promises = append(facts.promises, promise)
	if simSpeaks(r) {
		facts.last = &promise
	}
}

// slack is by how much an answer may miss its budget: the engine leaves no time
// for a ledger that refuses, and a joiner whose own budget is over may still try
// to deliver what is queued.
func (w *simWorld) slack(r intent.Result) time.Duration {
	slack := 10 * time.Millisecond
	if w.everFull {
		slack += time.Second
	}
	if r.Escalation != nil {
		slack += providerTimeout / 2
	}
	return slack
}

// simSpeaks reports whether an answer says how the act stands, and not only
// what this call did not do.
func simSpeaks(r intent.Result) bool {
	return slices.Contains([]intent.Reason{
		"", intent.ReasonAbsent, intent.ReasonRefused, intent.ReasonNotSent, intent.ReasonDeclined, intent.ReasonApproval,
		intent.ReasonExhausted, intent.ReasonMismatch, intent.ReasonLookupDown, intent.ReasonLookupWeak,
	}, r.Reason)
}

func simEffectID(r intent.Result) string {
	return r.RefundID + r.MessageID + r.BookingID + r.ReplacementID + r.HandoffID
}

func simTold(r intent.Result) string {
	if r.Escalation == nil {
		return "none"
	}
	return r.Escalation.State
}

// checkShape is what holds of every answer.
func (w *simWorld) checkShape(r intent.Result) {
	never := r.Retry == intent.RetryNever || r.Retry == intent.RetryNotNeeded
	switch {
	case r.DoNotRetry != never:
		w.violate("shape", "%s do_not_retry %v with retry %s", r.IntentKey, r.DoNotRetry, r.Retry)
	case (r.RetryAfterSeconds > 0) != (r.Retry == intent.RetryWait):
		w.violate("shape", "%s retry_after_seconds %d with retry %s", r.IntentKey, r.RetryAfterSeconds, r.Retry)
	case r.Verdict == "" || r.Note == "":
		w.violate("shape", "%s no verdict or no note", r.IntentKey)
	case r.Outcome == intent.Unknown && strings.Contains(strings.ToLower(r.Verdict+r.Note+r.TellCustomer), "fail"):
		w.violate("shape", "%s an unknown speaks of failing: %s %s", r.IntentKey, r.Verdict, r.Note)
	case r.Reason == intent.ReasonInternal:
		w.violate("shape", "%s a fault of ours: %s", r.IntentKey, r.Verdict)
	case (r.Outcome == intent.NotPerformed || r.Outcome == intent.Unknown) && r.Reason == "":
		w.violate("shape", "%s no reason", r.IntentKey)
	case r.Outcome == intent.Unknown && r.Retry != intent.RetryNever:
		w.violate("shape", "%s is unknown, with %s", r.IntentKey, r.Retry)
	case r.Retry == intent.RetryNotNeeded && r.Outcome != intent.Performed && r.Outcome != intent.AlreadyPerformed:
		w.violate("shape", "%s %s with not_needed", r.IntentKey, r.Outcome)
	}
}

// checkTold: where an answer says that a person has been told, the desk has it.
func (w *simWorld) checkTold(r intent.Result) {
	if r.Escalation != nil && r.Escalation.State == "delivered" {
		if e := w.desk.byID(r.Escalation.ID); e == nil || e.lands.After(time.Now()) {
			w.violate("told", "%s says that the desk has %s", r.IntentKey, r.Escalation.ID)
		}
	}
}

// guarded reports whether the design promises one effect here.
func (w *simWorld) guarded(o *simOp, facts *simKeyFacts) bool {
	switch {
	case facts.lied || facts.mixed || o == w.desk:
		return false
	case w.epoch == 0:
		return o.seeing()
	}
	return o.outlives() && o.caps.Lookup == intent.LookupReadAfterWrite
}

// checkOnce: at most one effect an intent where the authority lets that be
// known; elsewhere at most one send that may have acted, a ledger and a
// person's word.
func (w *simWorld) checkOnce(o *simOp, key string, facts *simKeyFacts) {
	effects := o.under(key, time.Now())
	if w.guarded(o, facts) && len(effects) > 1 {
		w.violate("once", "%s has %d effects: %s and %s", key, len(effects), effects[0].id, effects[1].id)
	}
	sends, unsure := 0, 0
	for _, s := range o.sends {
		if s.intent == key && s.acted {
			sends++
		}
		if s.intent == key && s.unsure {
			unsure++
		}
	}
	if most := 2 * (1 + w.epoch + facts.decided); unsure > most && (o == w.refunds || o == w.messages) {
		w.violate("once", "%s has %d ambiguous sends: at most %d", key, unsure, most)
	}
	if o.seeing() || o == w.desk {
		return
	}
	if most := 1 + w.epoch + facts.decided; sends > most {
		w.violate("once", "%s was sent %d times and cannot be looked up: at most %d", key, sends, most)
	}
}

func (w *simWorld) checkPerformed(o *simOp, l *simLane, r intent.Result, facts *simKeyFacts, began time.Time) {
	id := simEffectID(r)
	if facts.lied {
		return
	}
	if e := o.byID(id); e != nil && e.byHand {
		w.violate("true", "%s %s %s, which a person made with other facts", r.IntentKey, r.Outcome, id)
	}
	for _, e := range o.under(r.IntentKey, time.Now()) {
		if e.id != id {
			continue
		}
		if e.cents != r.Cents {
			w.violate("true", "%s %s %s of %d cents, and it has %d", r.IntentKey, r.Outcome, id, r.Cents, e.cents)
		}
		if !e.stands() && r.Status != "pending" {
			w.violate("true", "%s %s %s, status %s, and it is %s", r.IntentKey, r.Outcome, id, r.Status, e.status)
		}
		if o == w.desk {
			return
		}
		mine := e.lane == l
		if r.Outcome == intent.Performed && !mine && !l.sent[r.IntentKey] || r.Outcome == intent.AlreadyPerformed && mine && r.Attempts == 1 {
			w.violate("true", "%s %s %s; sent by this call: %v", r.IntentKey, r.Outcome, id, mine)
		}
		return
	}
	w.violate("true", "%s %s %q, which is not in the books", r.IntentKey, r.Outcome, id)
}

// checkNotPerformed: no effect stands that this call could have known of.
func (w *simWorld) checkNotPerformed(o *simOp, l *simLane, r intent.Result, facts *simKeyFacts, p simPromise) {
	if facts.lied || facts.mixed || w.epoch > 0 && !simSpeaks(r) {
		return
	}
	looked, asked := l.looked[r.IntentKey]
	if facts.decided == 0 && r.Reason == intent.ReasonAbsent && r.Evidence == intent.EvidenceLookup && o.caps.Lookup == intent.LookupDelayed {
		for _, s := range o.sends {
			if s.intent == r.IntentKey && s.epoch == w.epoch && s.seq < p.seq && !facts.shown(s, o.caps.LookupDelay, p.seq) {
				w.violate("true", "%s is called absent by a lookup that could not show it yet", r.IntentKey)
			}
		}
	}
	for _, e := range o.under(r.IntentKey, time.Now()) {
		if !e.stands() {
			continue
		}
		seen := asked && e.sentSeq < looked.seq && !e.shows.After(looked.at)
		if seen || w.forGood(r) && e.sentSeq < p.seq && e.epoch == p.epoch && !w.outlivedBy(o, e, p, facts) {
			w.violate("true", "%s not_performed (%s, %s), and %s stands", r.IntentKey, r.Reason, r.Retry, e.id)
		}
	}
}

// outlivedBy: where nothing keeps a lost ledger's effect and a newer one apart, the
// newer one's failure is told as long as no lookup shows the older.
func (w *simWorld) outlivedBy(o *simOp, e *simEffect, p simPromise, facts *simKeyFacts) bool {
	named := o.byID(simEffectID(p.Result))
	shown := slices.ContainsFunc(facts.looks, func(l simLook) bool { return l.seq < p.seq && !l.at.Before(e.shows) })
	return named != nil && named.lands.After(e.lands) && !w.guarded(o, facts) && !shown
}

// shown reports whether anybody's lookup, up to a moment, could have shown what a
// send brought: who answers may speak of what another process has seen.
func (f *simKeyFacts) shown(s simSend, delay time.Duration, until int) bool {
	return slices.ContainsFunc(f.looks, func(l simLook) bool {
		return s.seq < l.seq && l.seq <= until && !l.at.Before(s.at.Add(delay))
	})
}

// forGood reports whether an answer says that nothing has come of the act and
// nothing already sent can still bring it.
func (w *simWorld) forGood(r intent.Result) bool {
	return r.Outcome == intent.NotPerformed && r.Retry == intent.RetryNever && simSpeaks(r)
}

// checkUnknown: a person is told, and no lookup could have told.
func (w *simWorld) checkUnknown(o *simOp, l *simLane, r intent.Result) {
	if o.caps.Lookup == intent.LookupReadAfterWrite && r.Reason == intent.ReasonLookupDown && !l.deaf && r.Evidence != intent.EvidenceLedger {
		w.violate("true", "%s is unknown (%s), and no lookup went wrong at the authority", r.IntentKey, r.Reason)
	}
	told := r.Reason == intent.ReasonInFlight || r.Reason == intent.ReasonQueued || r.Recorded != nil
	if !told && r.Escalation == nil && !w.full.Load() {
		w.violate("told", "%s is unknown (%s) and nobody is told", r.IntentKey, r.Reason)
	}
}

// checkAttempts: what is counted is at least what went out under this ledger.
func (w *simWorld) checkAttempts(o *simOp, r simPromise, facts *simKeyFacts) {
	if !simSpeaks(r.Result) || o == w.desk || w.epoch > 0 {
		return
	}
	sends := 0
	for _, s := range o.sends {
		if s.intent == r.IntentKey && s.seq < r.seq {
			sends++
		}
	}
	if unrecorded := r.Recorded != nil; r.Attempts < sends && !facts.lied && !w.everFull && !unrecorded {
		w.violate("attempts", "%s counts %d, and %d were sent", r.IntentKey, r.Attempts, sends)
	}
}

// checkStable: an answer that contradicts an earlier one has reached a person,
// or waits in the outbox.
func (w *simWorld) checkStable(o *simOp, facts *simKeyFacts, now simPromise) {
	was := facts.last
	if was == nil || was.epoch != now.epoch || was.Recorded != nil || facts.lied || !simSpeaks(now.Result) {
		return
	}
	if now.Evidence == intent.EvidencePerson {
		return // whoever decided knows
	}
	done := func(p *simPromise) bool { return p.Outcome == intent.Performed || p.Outcome == intent.AlreadyPerformed }
	contradicts := false
	switch {
	case done(was) && !done(&now):
		contradicts = now.seq > was.seq
	case was.Outcome == intent.NotPerformed && done(&now):
		e := o.byID(simEffectID(now.Result))
		contradicts = e != nil && e.sentSeq < was.seq && was.seq > facts.decidedSeq && e.epoch == was.epoch && (facts.claimed.Before(was.at) || e.lands.Before(minTime(facts.claimed, facts.claimedOurs)))
	}
	if contradicts && !w.toldOf(now.IntentKey) { // whoever else is at it may be about to tell: looked at once all is quiet
		w.contradicted = append(w.contradicted, simContradiction{was: was.Result, now: now.Result})
	}
}

// simContradiction is an outcome that was contradicted by a later one.
type simContradiction struct{ was, now intent.Result }

// checkContradictions: each reached a person, or is on its way there.
func (w *simWorld) checkContradictions() {
	for _, c := range w.contradicted {
		if !w.toldOf(c.now.IntentKey) {
			w.violate("stable", "%s was %s (%s), is %s (%s), and nobody is told", c.now.IntentKey, c.was.Outcome, c.was.Reason, c.now.Outcome, c.now.Reason)
		}
	}
}

// toldOf reports whether any escalation speaks of an intent, also one that the
// ledger could not take yet.
func (w *simWorld) toldOf(key string) bool {
	all := w.escalations()
	for _, spilled := range w.book.spilled() {
		all = append(all, spilled.Escalate...)
	}
	for _, e := range all {
		if e.Subject.String() == key && e.Cause != intent.CauseApproval {
			return true
		}
	}
	return false
}

// escalations are all that the ledger's outbox has, delivered or not.
func (w *simWorld) escalations() (all []intent.Escalation) {
	for _, known := range w.outbox {
		e, ok, err := w.ledger().Escalation(w.ctx, known.Key)
		if err != nil {
			w.t.Error(err)
		}
		if ok {
			all = append(all, e)
		}
	}
	return all
}
