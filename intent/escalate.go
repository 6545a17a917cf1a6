package intent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// deskStates of an escalation in an answer.
const (
	deskDelivered = "delivered"
	deskQueued    = "queued"
)

// escalation is the outbox entry for a cause; due is false where the ledger has
// it already, so that a person is told of one cause once.
func (e *Engine) escalation(ctx context.Context, op Operation, row Row, act Act, cause Cause) (esc Escalation, due bool) {
	key, now := e.escalationKey(ctx, row, cause), e.clock.now()
	ctx, cancel := recording(ctx)
	defer cancel()
	if _, there, err := e.o.Ledger.Escalation(ctx, key); err == nil && there {
		return Escalation{}, false
	}
	reason, summary := summarise(op.Describe(act), row, act, cause)
	if cause == CauseLateLanding {
		summary += e.saidSince(ctx, row)
	}
	return Escalation{
		Key: key, Subject: row.Key, Cause: cause, Ticket: row.Ticket,
		Reason: reason, Summary: summary, CreatedAt: now, DueAt: now,
	}, true
}

// escalationKey is the key of a row's escalation for a cause, in the present
// episode: the number of decisions that changed where the intent stands.
func (e *Engine) escalationKey(ctx context.Context, row Row, cause Cause) Key {
	episode := 0
	if row.Version != 0 { // a row that is not written yet has no decisions
		reads, cancel := recording(ctx)
		defer cancel()
		decisions, err := e.o.Ledger.Decisions(reads, row.Key)
		e.fault("decisions", err)
		for _, d := range decisions {
			if d.Verb == VerbDecline || d.Verb == VerbResolve || d.Verb == VerbReopen {
				episode++
			}
		}
	}
	return EscalationKey(row.Key, cause, episode)
}

// saidSince is what the buyer has been told since an intent was first tried.
func (e *Engine) saidSince(ctx context.Context, row Row) string {
	if e.o.Told == nil {
		return ""
	}
	told := e.o.Told(ctx, row.Ticket, row.CreatedAt)
	if len(told) == 0 {
		return " Nothing has been said to the buyer since, as far as this ledger knows."
	}
	said := " Said to the buyer since:"
	for _, t := range told {
		said += fmt.Sprintf(" %q (%s, %s)", t.Text, t.MessageID, t.At)
	}
	return said
}

// raise tells a person of a row for a cause, once, and returns how that stands.
func (e *Engine) raise(ctx context.Context, op Operation, row Row, act Act, cause Cause) *EscalationResult {
	if esc, due := e.escalation(ctx, op, row, act, cause); due {
		if _, err := e.commit(ctx, Change{Escalate: []Escalation{esc}}); err != nil {
			e.fault("write an escalation", err)
		}
		return e.escalationResult(e.deliver(ctx, esc))
	}
	return e.standing(ctx, e.escalationKey(ctx, row, cause))
}

// standing is how an escalation stands now; one that is still queued is tried
// once more where it is due.
func (e *Engine) standing(ctx context.Context, key Key) *EscalationResult {
	esc, ok, err := e.o.Ledger.Escalation(ctx, key)
	if err != nil || !ok {
		e.fault("read an escalation", err)
		return nil
	}
	return e.escalationResult(e.deliverIfDue(ctx, esc))
}

// deliverIfDue tries an escalation once more where it is queued and due.
func (e *Engine) deliverIfDue(ctx context.Context, esc Escalation) Escalation {
	if esc.DeliveredAt.IsZero() && !e.clock.now().Before(esc.DueAt) {
		return e.deliver(ctx, esc)
	}
	return esc
}

// tellFirst tries each new escalation once and returns the first.
func (e *Engine) tellFirst(ctx context.Context, escalations []Escalation) *Escalation {
	var first *Escalation
	for _, esc := range escalations {
		told := e.deliver(ctx, esc)
		if first == nil {
			first = &told
		}
	}
	return first
}

// escalationOf is the escalation that speaks of a row's present state, if any.
func (e *Engine) escalationOf(ctx context.Context, row Row) *Escalation {
	var cause Cause
	switch row.State {
	case StateUnknown:
		cause = CauseUnknown
	case StateAwaiting, StateReady:
		cause = CauseApproval
	case StateNotPerformed:
		cause = CauseRefused
		switch {
		case row.EffectID != "":
			cause = CauseLateFailure
		case row.Reason == ReasonAbsent:
			cause = CauseUnknown
		}
	case StateQueued:
		cause = CauseHandoff
	case StateInFlight, StatePerformed:
		return nil
	}
	key := row.Key
	if cause != CauseHandoff {
		key = e.escalationKey(ctx, row, cause)
	}
	esc, ok, err := e.o.Ledger.Escalation(ctx, key)
	if err != nil || !ok {
		return nil
	}
	esc = e.deliverIfDue(ctx, esc)
	return &esc
}

func (e *Engine) escalationResult(esc Escalation) *EscalationResult {
	if esc.DeliveredAt.IsZero() {
		return &EscalationResult{ID: esc.Key.String(), State: deskQueued, known: e.queuedWords(esc)}
	}
	return &EscalationResult{ID: esc.HandoffID, State: deskDelivered, known: fmt.Sprintf("A person has been told (%s).", esc.HandoffID)}
}

// deliver tries once to tell the desk, under the escalation's own key, and
// records how that went. A try that may have reached the desk is looked up
// before the next one. Without a desk a person is notified instead.
func (e *Engine) deliver(ctx context.Context, esc Escalation) Escalation {
	return e.deliverWithin(ctx, esc, e.reserve()/2)
}

// deliverWithin bounds the send to the desk, and as long again for the lookup
// of one whose answer was lost.
func (e *Engine) deliverWithin(ctx context.Context, esc Escalation, within time.Duration) Escalation {
	switch {
	case !esc.DeliveredAt.IsZero():
		return esc
	case e.o.Desk == nil:
		return e.notifyInstead(ctx, esc, within)
	}
	ctx, cancel := e.detach(ctx, e.clock.now().Add(2*within))
	defer cancel()
	e.at(PointBeforeTell)
	next, effect, evidence := e.tell(ctx, esc, within)
	e.at(PointTold)
	next.Tries++
	next.DueAt = e.nextTry(next)
	if effect != nil {
		next.HandoffID, next.DeliveredAt, next.DueAt = effect.ID, e.clock.now(), time.Time{}
	}
	if _, err := e.commit(ctx, e.delivered(ctx, next, effect, evidence)); err != nil {
		e.fault("record a delivery", err)
	}
	return next
}

// tell sends an escalation to the desk; the effect is nil where it is not known
// to be there. A stored answer is left behind only by a new ordinal, and only
// after a lookup found nothing.
func (e *Engine) tell(ctx context.Context, esc Escalation, within time.Duration) (Escalation, *Effect, Evidence) {
	payload, err := json.Marshal(Handoff{TicketID: esc.Ticket, Reason: esc.Reason, Summary: esc.Summary})
	if err != nil {
		e.fault("put an escalation into words", err)
		return esc, nil, ""
	}
	subject := Subject{Intent: esc.Key, Payload: payload}
	if esc.Tries > 0 {
		if found, ok := e.o.Desk.Lookup(ctx, subject).(Found); ok {
			return esc, &found.Effect, EvidenceLookup
		}
	}
	request, err := e.o.Desk.Request(esc.Key, payload)
	if err != nil {
		e.fault("build an escalation", err)
		return esc, nil, ""
	}
	sending, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer := e.o.Desk.Send(sending, Order{
		Intent: esc.Key, Request: request, Payload: payload,
		Key:    ProviderKey(e.o.Secret, esc.Key, esc.Ordinal, e.o.Desk.Provider(), e.o.Ledger.Account(), 0),
		SendBy: e.clock.now().Add(within),
	})
	switch a := answer.(type) {
	case AnsweredPerformed:
		return esc, &a.Effect, EvidenceResponse
	case AnsweredAmbiguous:
		switch found := e.o.Desk.Lookup(ctx, subject).(type) {
		case Found:
			return esc, &found.Effect, EvidenceLookup
		case Absent:
			if a.Stored && e.o.Desk.Capabilities().Lookup == LookupReadAfterWrite {
				esc.Ordinal++
			}
		case FoundOther, LookupFailed, LookupUnsupported:
		}
	case AnsweredRefused, AnsweredNotSent:
	}
	return esc, nil, ""
}

// delivered is the commit of a try; the delivery of a handoff performs its
// intent.
func (e *Engine) delivered(ctx context.Context, esc Escalation, effect *Effect, evidence Evidence) Change {
	c := Change{Update: &esc}
	if esc.Cause != CauseHandoff {
		return c
	}
	row, ok, err := e.o.Ledger.Find(ctx, esc.Subject)
	if err != nil || !ok || row.State != StateQueued {
		return c
	}
	c.Row, c.Seen = &row, row.Version
	row.Sends, row.UpdatedAt = esc.Tries, e.clock.now()
	if effect == nil {
		return c
	}
	row = withEffect(row, *effect)
	row.State, row.Reason, row.Evidence = StatePerformed, "", evidence
	row.ConfirmedAt, row.DueAt = row.UpdatedAt, time.Time{}
	return c
}

// summarise puts what a person has to know and may do into words.
func summarise(d Description, row Row, act Act, cause Cause) (reason, summary string) {
	key := row.Key.String()
	switch cause {
	case CauseUnknown:
		return "technical_problem", fmt.Sprintf("It is not known whether the %s happened (%s). Look in the provider's books for this key, then run: counterfoil resolve %s --performed --ref ID, or --not-performed.", d.What, row.Reason, key)
	case CauseApproval:
		return "approval_needed", fmt.Sprintf("The %s is over a limit and waits for you. Figures: %s. Run: counterfoil approvals approve %s, or: counterfoil approvals decline %s.", d.What, act.Figures, key, key)
	case CauseRefused:
		return "technical_problem", fmt.Sprintf("The %s was refused for good by the provider; nothing was done. Run counterfoil reopen %s if it may be tried again.", d.What, key)
	case CauseRepeat:
		return "approval_needed", fmt.Sprintf("A repeat of the %s (%s) was asked for. Run counterfoil allow-repeat %s if it is right.", d.What, row.EffectID, key)
	case CauseLateLanding:
		return "technical_problem", fmt.Sprintf("The %s exists after all (%s), although it had been reported as not done. Check what the customer was told since. Key: %s.", d.What, row.EffectID, key)
	case CauseLateFailure:
		return "technical_problem", fmt.Sprintf("The %s (%s) had been accepted and has come to nothing: its status is now %s. Run counterfoil allow-repeat %s if it may be made again.", d.What, row.EffectID, row.Status, key)
	case CauseFigures:
		return "approval_needed", fmt.Sprintf("The %s was approved on figures that have changed since, so nothing was sent and it waits for you again. Figures now: %s. Run: counterfoil approvals approve %s, or: counterfoil approvals decline %s.", d.What, act.Figures, key, key)
	case CauseSecondEffect:
		return "technical_problem", fmt.Sprintf("Two effects are known for one %s: the ledger holds %s, and the provider has another under the same key. Look at both in the provider's books. Key: %s.", d.Noun, row.EffectID, key)
	case CauseStillUnknown:
		return "technical_problem", fmt.Sprintf("It is still not known whether the %s happened, and nothing else can be done on the same thing. Run counterfoil resolve %s, or: counterfoil release %s.", d.What, key, key)
	case CauseHandoff:
	}
	return "other", d.What
}
