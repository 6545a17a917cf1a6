package intent

import "fmt"

// refusalWord is how a refusal before the claim reads.
type refusalWord struct {
	verdict, note, customer string
	retry                   Retry
}

const working = "We are working on it and will come back to you."

// refusalWords are the words of a reason where the operation gives none of its
// own. They speak of this call only.
func refusalWords(reason Reason) refusalWord {
	switch reason {
	case ReasonInvalidArguments:
		return refusalWord{"Nothing was sent: the arguments are not valid.", "Correct the arguments and ask again.", "", RetryFix}
	case ReasonUnknownID:
		return refusalWord{"Nothing was sent: there is no such order, item or ticket.", "Read the ticket, take the ids from it and ask again.", "", RetryFix}
	case ReasonNotOnTicket:
		return refusalWord{"Nothing was sent: that order is not on this ticket.", "Take an order that the ticket lists.", "", RetryFix}
	case ReasonExceedsPaid:
		return refusalWord{"Nothing was sent: that is more than was paid.", "Ask for no more than what is left.", "", RetryFix}
	case ReasonAcknowledge:
		return refusalWord{"Nothing was sent: something has been done here before that this call does not name.", "Read what has been done, then name it and ask again only if more is due.", "", RetryFix}
	case ReasonBlockedByOpen:
		return refusalWord{"Nothing was sent: another act on the same thing is still open.", "Wait for that one.", working, RetryNever}
	case ReasonApproval:
		return refusalWord{"Nothing was sent: a person has to allow it.", "Do not ask again; a person decides.", "A colleague has to look at this; we will come back to you.", RetryNever}
	case ReasonDeclined:
		return refusalWord{"Nothing was sent: a person declined it.", "Do not ask again; only a person can re-open it.", "", RetryNever}
	case ReasonCapReached:
		return refusalWord{"Nothing was sent: a limit has been reached.", "Do not ask again; hand over to a person.", working, RetryNever}
	case ReasonPaused:
		return refusalWord{"Nothing was sent: this tool is switched off at the moment.", "Do not ask again; hand over to a person.", working, RetryNever}
	case ReasonUnreachable:
		return refusalWord{"This call has sent nothing: the marketplace could not be read.", "Ask again with the same arguments after the pause.", working, RetryWait}
	case ReasonRepeatNotAllowed:
		return refusalWord{"Nothing was sent: no person has allowed a repeat of that effect.", "Do not ask again; a person has to allow it for that effect first.", "", RetryNever}
	case ReasonCancelled:
		return refusalWord{"This call has sent nothing: it was withdrawn, or the server is stopping.", "Ask again with the same arguments if it is still wanted.", working, RetryWait}
	case ReasonLedger:
		return refusalWord{"This call has sent nothing: the ledger cannot be used.", "Ask again after the pause; if it stays so, tell a person to run counterfoil doctor, which names the cause.", working, RetryWait}
	case ReasonInternal:
		return refusalWord{"This call has sent nothing: an internal error came first.", "Ask again once after the pause; if it stays so, hand over to a person.", working, RetryWait}
	case ReasonNotSent, ReasonAbsent, ReasonRefused, ReasonExhausted, ReasonLookupDown, ReasonLookupWeak,
		ReasonInFlight, ReasonMismatch, ReasonQueued:
	}
	return refusalWord{"Nothing was sent.", "Do not ask again.", working, RetryNever}
}

// phrase puts verdict, note and the word for the customer on an answer that
// speaks of a row.
func phrase(r *Result, row Row, d Description, class Class, figures string) {
	switch r.Outcome {
	case Performed, AlreadyPerformed:
		phraseDone(r, d)
		if class == ClassHandoff && r.Outcome == AlreadyPerformed {
			r.Note = "A person has this handoff already; the summary of this call was not passed on. Anything new goes with another reason."
		}
	case NotPerformed:
		phraseNotDone(r, row, d, figures)
	case Unknown:
		phraseUnknown(r, d, class)
	}
	if r.Recorded != nil {
		r.Note += " This could not be written to the ledger; tell a person."
	}
}

func phraseDone(r *Result, d Description) {
	id := r.effectID()
	pending := r.Status == "pending"
	r.TellCustomer = d.Done
	if pending {
		r.TellCustomer = d.Pending
	}
	switch {
	case r.Status == "cancelled" && r.Outcome == AlreadyPerformed && d.Undone != "":
		r.Verdict = fmt.Sprintf("Already done earlier, and taken back since: the %s existed as %s and is cancelled. Nothing was sent now.", d.What, id)
		r.Note = fmt.Sprintf("If it is wanted once more, ask with again_after %s.", id)
		r.TellCustomer = d.Undone
	case r.Outcome == Performed && pending:
		r.Verdict = fmt.Sprintf("Accepted, not yet paid out: the %s exists as %s and is pending.", d.What, id)
		r.Note = "Do not ask again; the provider completes it, and what becomes of it is looked up."
	case r.Outcome == Performed:
		r.Verdict = fmt.Sprintf("Done, once: the %s exists as %s.", d.What, id)
		r.Note = "Do not ask again."
	case pending:
		r.Verdict = fmt.Sprintf("Already accepted earlier, not yet paid out: the %s exists as %s and is pending. Nothing was sent now.", d.What, id)
		r.Note = "Tell the customer of this one only; do not ask again."
	default:
		r.Verdict = fmt.Sprintf("Already done earlier: the %s exists as %s. Nothing was sent now.", d.What, id)
		r.Note = "Tell the customer of this one only; do not ask again."
	}
}

// phraseUnseen speaks of an effect that may have been undone since it was seen.
func phraseUnseen(r *Result, d Description) {
	r.Verdict = fmt.Sprintf("Already done earlier: the %s existed as %s when it was last seen. Whether it still stands could not be looked up. Nothing was sent now.", d.What, r.effectID())
	r.Note = "Do not ask to have it done anew. The same call, later, says how it stands."
	r.TellCustomer = d.Working
}

func phraseNotDone(r *Result, row Row, d Description, figures string) {
	r.TellCustomer = d.Working
	switch {
	case r.Reason == ReasonAbsent:
		phraseAbsent(r, row, d)
	case r.Reason == ReasonNotSent:
		r.Verdict = fmt.Sprintf("Not sent: the provider could not be reached, and nothing of the %s left this machine.", d.What)
		r.Note = "Ask again with the same arguments after the pause."
	case r.Reason == ReasonRefused:
		phraseRefused(r, row, d)
	case r.Reason == ReasonApproval:
		r.Verdict = fmt.Sprintf("Nothing was sent: a person has to allow the %s (%s).", d.What, figures)
		r.Note = "Do not ask again, and not for another amount either. " + whoKnows(r.Escalation)
		r.TellCustomer = "A colleague has to look at this; we will come back to you."
	case r.Reason == ReasonDeclined:
		r.Verdict = fmt.Sprintf("Nothing was sent: a person declined the %s.", d.What)
		r.Note = "Do not ask again; only a person can re-open it."
	default:
		words := refusalWords(r.Reason)
		r.Verdict, r.Note = words.verdict, words.note
	}
}

func phraseAbsent(r *Result, row Row, d Description) {
	r.Verdict = fmt.Sprintf("Not done as far as is known: no %s is recorded under this key.", d.Noun)
	if r.Retry == RetryWait {
		why := "asking again uses the same key"
		if row.Closed {
			why = "nothing can come of the earlier attempt any more"
		}
		r.Note = fmt.Sprintf("Ask again with the same arguments after the pause; %s, so it cannot %s.", why, d.Twice)
		return
	}
	r.Verdict = fmt.Sprintf("Not done: no %s is recorded under this key, and none can come of the earlier attempts any more.", d.Noun)
	r.Note = "Do not ask again; a person has to re-open it first. " + whoKnows(r.Escalation)
}

func phraseRefused(r *Result, row Row, d Description) {
	switch {
	case r.effectID() != "":
		r.Verdict = fmt.Sprintf("Not done in the end: the %s was accepted as %s and has come to nothing; its status is %s.", d.What, r.effectID(), r.Status)
		r.Note = fmt.Sprintf("Do not ask again now. Once a person has allowed a repeat, ask with again_after %s. ", r.effectID()) + whoKnows(r.Escalation)
		if row.RepeatAllowed {
			r.Note = fmt.Sprintf("Do not ask again in the same words. A person has allowed one repeat: ask with again_after %s.", r.effectID())
		}
	case r.Retry == RetryWait:
		r.Verdict = fmt.Sprintf("Not done: the provider turned the %s away for now.", d.What)
		r.Note = "Ask again with the same arguments after the pause."
	default:
		r.Verdict = fmt.Sprintf("Not done: the provider refused the %s for good.", d.What)
		r.Note = "Do not ask again. " + whoKnows(r.Escalation)
	}
}

func phraseUnknown(r *Result, d Description, class Class) {
	r.TellCustomer = d.Working
	switch {
	case r.Reason == ReasonInFlight:
		r.Verdict = fmt.Sprintf("Unknown for now: the %s has been started and is not settled yet. Do not ask again.", d.What)
		r.Note = "It is settled by a lookup; list_effects with this intent_key shows how it ends."
	case r.Reason == ReasonQueued:
		r.Verdict = "Not known to be delivered: the handoff is kept in the outbox on this machine."
		r.Note = "Do not ask again."
		if r.Escalation != nil {
			r.Note += " " + whoKnows(r.Escalation)
		}
	case r.Reason == ReasonMismatch:
		r.Verdict = fmt.Sprintf("Unknown: the provider has %s under this key, but it is not the %s. Do not ask again.", r.effectID(), d.What)
		r.Note = whoKnows(r.Escalation)
	default:
		r.Verdict = fmt.Sprintf("Unknown whether the %s happened. Do not ask again, in no other form either.", d.What)
		r.Note = whoKnows(r.Escalation)
	}
	if class == ClassHandoff {
		r.TellCustomer = "A colleague will look at this."
	}
}

// whoKnows says whether a person has been told, and no more than is true.
func whoKnows(esc *EscalationResult) string {
	if esc == nil {
		return "Nobody has been told yet: hand over to a person with escalate_to_human."
	}
	return esc.known
}

// queuedWords say who knows of an escalation that the desk does not have. It is
// sure that nobody does only while no try may have arrived: an answer may have
// been lost on its way back.
func (e *Engine) queuedWords(esc Escalation) string {
	switch {
	case !esc.NotifiedAt.IsZero() && e.o.NotifyBy != "":
		return fmt.Sprintf("A person has been notified (by %s), the handoff itself is kept on this machine.", e.o.NotifyBy)
	case !esc.NotifiedAt.IsZero():
		return "A person has been notified, the handoff itself is kept on this machine."
	case esc.Tries == 0:
		return "A message to a person is queued on this machine, nobody has been notified."
	}
	return "A message to a person is queued on this machine; nothing shows yet that it has reached anybody."
}

// blockedWords name an open sibling.
func blockedWords(by Row) (verdict, note string) {
	verdict = fmt.Sprintf("Nothing was sent: %s on the same thing is still open (%s).", by.Tool, by.State)
	switch by.State {
	case StateInFlight, StateReady:
		return verdict, "Wait for that one: ask list_effects with its intent_key after the pause."
	case StateNotPerformed:
		return verdict, "An earlier attempt of that one may still land. Ask for that same act again, or wait until it is ruled out; another amount or wording is not a way round it."
	case StateUnknown, StateAwaiting, StateQueued, StatePerformed:
	}
	return verdict, "Do not ask again: that one waits for a person."
}

// effectID is the id of whichever effect the answer bears.
func (r *Result) effectID() string {
	for _, id := range []string{r.RefundID, r.MessageID, r.BookingID, r.ReplacementID, r.HandoffID} {
		if id != "" {
			return id
		}
	}
	return ""
}
