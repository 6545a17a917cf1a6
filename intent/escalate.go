package intent

import (
	"context"
	"fmt"
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
	if until := e.stillWatched(row); cause == CauseUnknown && !until.IsZero() {
		summary += fmt.Sprintf(" What was sent may still arrive until %s: look after that.", Timestamp(until))
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
		return "technical_problem", fmt.Sprintf("Two effects are known for one %s: the ledger holds %s, and another one was named by a person or is with the provider under the same key. Look at both in the provider's books. Key: %s.", d.Noun, row.EffectID, key)
	case CauseStillUnknown:
		return "technical_problem", fmt.Sprintf("It is still not known whether the %s happened, and nothing else can be done on the same thing. Run counterfoil resolve %s, or: counterfoil release %s.", d.What, key, key)
	case CauseHandoff:
	}
	return "other", d.What
}
