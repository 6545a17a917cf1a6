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
	key := EscalationKey(row.Key, cause)
	ctx, cancel := recording(ctx)
	defer cancel()
	if _, there, err := e.o.Ledger.Escalation(ctx, key); err == nil && there {
		return Escalation{}, false
	}
	reason, summary := summarise(op.Describe(act), row, act, cause)
	return Escalation{
		Key: key, Subject: row.Key, Cause: cause, Ticket: row.Ticket,
		Reason: reason, Summary: summary, CreatedAt: e.clock.now(), DueAt: e.clock.now(),
	}, true
}

// raise tells a person of a row for a cause, once, and returns how that stands.
func (e *Engine) raise(ctx context.Context, op Operation, row Row, act Act, cause Cause) *EscalationResult {
	if esc, due := e.escalation(ctx, op, row, act, cause); due {
		if _, err := e.commit(ctx, Change{Escalate: []Escalation{esc}}); err != nil {
			e.fault("write an escalation", err)
		}
		return escalationResult(e.deliver(ctx, esc))
	}
	return e.standing(ctx, EscalationKey(row.Key, cause))
}

// standing is how an escalation stands now; one that is still queued is tried
// once more where it is due.
func (e *Engine) standing(ctx context.Context, key Key) *EscalationResult {
	esc, ok, err := e.o.Ledger.Escalation(ctx, key)
	if err != nil || !ok {
		e.fault("read an escalation", err)
		return nil
	}
	if esc.DeliveredAt.IsZero() && !e.clock.now().Before(esc.DueAt) {
		esc = e.deliver(ctx, esc)
	}
	return escalationResult(esc)
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
	key := EscalationKey(row.Key, cause)
	if cause == CauseHandoff {
		key = row.Key
	}
	esc, ok, err := e.o.Ledger.Escalation(ctx, key)
	if err != nil || !ok {
		return nil
	}
	if esc.DeliveredAt.IsZero() && !e.clock.now().Before(esc.DueAt) {
		esc = e.deliver(ctx, esc)
	}
	return &esc
}

func escalationResult(esc Escalation) *EscalationResult {
	if esc.DeliveredAt.IsZero() {
		return &EscalationResult{ID: esc.Key.String(), State: deskQueued}
	}
	return &EscalationResult{ID: esc.HandoffID, State: deskDelivered}
}

// deliver tries once to tell the desk, under the escalation's own key, and
// records how that went. A try that may have reached the desk is looked up
// before the next one.
func (e *Engine) deliver(ctx context.Context, esc Escalation) Escalation {
	return e.deliverWithin(ctx, esc, e.reserve()/2)
}

// deliverWithin bounds the send to the desk, and as long again for the lookup
// of one whose answer was lost.
func (e *Engine) deliverWithin(ctx context.Context, esc Escalation, within time.Duration) Escalation {
	if e.o.Desk == nil || !esc.DeliveredAt.IsZero() {
		return esc
	}
	ctx, cancel := e.detach(ctx, e.clock.now().Add(2*within))
	defer cancel()
	e.at(PointBeforeTell)
	next, effect := e.tell(ctx, esc, within)
	e.at(PointTold)
	next.Tries++
	next.DueAt = e.clock.now().Add(sweepAfter(next.Tries - 1))
	if effect != nil {
		next.HandoffID, next.DeliveredAt, next.DueAt = effect.ID, e.clock.now(), time.Time{}
	}
	if _, err := e.commit(ctx, e.delivered(ctx, next, effect)); err != nil {
		e.fault("record a delivery", err)
	}
	return next
}

// tell sends an escalation to the desk; the effect is nil where it is not known
// to be there. A stored answer is left behind only by a new ordinal, and only
// after a lookup found nothing.
func (e *Engine) tell(ctx context.Context, esc Escalation, within time.Duration) (Escalation, *Effect) {
	payload, err := json.Marshal(Handoff{TicketID: esc.Ticket, Reason: esc.Reason, Summary: esc.Summary})
	if err != nil {
		e.fault("put an escalation into words", err)
		return esc, nil
	}
	subject := Subject{Intent: esc.Key, Payload: payload}
	if esc.Tries > 0 {
		if found, ok := e.o.Desk.Lookup(ctx, subject).(Found); ok {
			return esc, &found.Effect
		}
	}
	request, err := e.o.Desk.Request(esc.Key, payload)
	if err != nil {
		e.fault("build an escalation", err)
		return esc, nil
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
		return esc, &a.Effect
	case AnsweredAmbiguous:
		switch found := e.o.Desk.Lookup(ctx, subject).(type) {
		case Found:
			return esc, &found.Effect
		case Absent:
			if a.Stored {
				esc.Ordinal++
			}
		case FoundOther, LookupFailed, LookupUnsupported:
		}
	case AnsweredRefused, AnsweredNotSent:
	}
	return esc, nil
}

// delivered is the commit of a try; the delivery of a handoff performs its
// intent.
func (e *Engine) delivered(ctx context.Context, esc Escalation, effect *Effect) Change {
	c := Change{Update: &esc}
	if effect == nil || esc.Cause != CauseHandoff {
		return c
	}
	row, ok, err := e.o.Ledger.Find(ctx, esc.Subject)
	if err != nil || !ok || row.State != StateQueued {
		return c
	}
	c.Seen = row.Version
	row = withEffect(row, *effect)
	row.State, row.Reason, row.Evidence = StatePerformed, "", EvidenceResponse
	row.ConfirmedAt, row.UpdatedAt, row.DueAt = e.clock.now(), e.clock.now(), time.Time{}
	row.Sends = esc.Tries
	c.Row = &row
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
	case CauseHandoff:
	}
	return "other", d.What
}
