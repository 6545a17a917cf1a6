package intent

import "time"

// ruling is what one sighting makes of a row: the row as it is to be, and why a
// person is to be told, if so.
type ruling struct {
	row    Row
	causes []Cause
}

// retryAfterAbsence is how long a caller is asked to wait after an absence.
const retryAfterAbsence = 2 * time.Second

// rule decides what a sighting means for a row whose last send has ended or can
// no longer be waited for. It is pure: the whole of what the engine concludes
// from a lookup is here. Evidence that an effect exists wins over any state;
// time and absence never undo it.
func rule(row Row, class Class, caps Capabilities, s sighting) ruling {
	switch f := s.finding.(type) {
	case Found:
		if f.Effect.comeToNothing(class) && s.leavesOpen(row, caps, f.Effect) {
			return ruleOlder(row)
		}
		return ruleFound(row, class, f.Effect, s.asked)
	case FoundOther:
		if row.State == StatePerformed {
			return ruling{row: row} // what has been seen to exist stays so
		}
		return ruleOther(row, f.Effect)
	case Absent:
		switch row.State {
		case StateInFlight, StateUnknown:
			return ruleAbsent(row, class, caps, s)
		case StateNotPerformed:
			if row.Retry != RetryNever {
				return ruleAbsent(row, class, caps, s)
			}
			return ruling{row: closeBy(row, caps, s)} // a decision or a last word stands
		case StateAwaiting, StateReady:
			return ruling{row: closeBy(row, caps, s)}
		case StatePerformed, StateQueued:
		}
		return ruling{row: row}
	case LookupUnsupported:
		if row.State == StateNotPerformed && !s.asked.Before(row.WatchUntil) {
			row.WatchUntil = time.Time{} // nobody can look; the time in which it could land is over
		}
		return ruleBlind(row, ReasonLookupWeak)
	case LookupFailed:
		return ruleBlind(row, ReasonLookupDown)
	}
	return ruleBlind(row, ReasonLookupDown)
}

func ruleFound(row Row, class Class, effect Effect, asked time.Time) ruling {
	before, done := row, row.State == StatePerformed
	var causes []Cause
	switch {
	case row.Belies(effect.ID) == CauseSecondEffect && (row.named() || row.outlivedBy(effect, class, asked)):
		causes = []Cause{CauseSecondEffect} // what the provider shows counts for more than an id that a person named
		row.RepeatAllowed = false           // which was for that one
	case row.Belies(effect.ID) == CauseSecondEffect:
		return ruling{row: row, causes: []Cause{CauseSecondEffect}} // the first stays, a person looks
	case (done || before.EffectID == effect.ID) && asked.Before(before.ConfirmedAt):
		return ruling{row: row} // an older sighting than the one that stands, or that showed it undone
	}
	row = withEffect(row, effect)
	row.Evidence, row.ConfirmedAt = EvidenceLookup, asked
	if effect.comeToNothing(class) {
		return ruleUndone(before, row)
	}
	row.State, row.Reason, row.Retry = StatePerformed, "", ""
	r := ruling{row: row, causes: causes}
	landedLate := before.State == StateInFlight && before.OnWatch() && effect.At.Before(before.ClaimedAt)
	if before.Belies(effect.ID) == CauseLateLanding || landedLate {
		r.causes = append(r.causes, CauseLateLanding)
	}
	return r
}

// ruleUndone: the authority took the act on and it has come to nothing. It is
// remembered as a refusal; only a person opens the way again.
func ruleUndone(before, row Row) ruling {
	row.State, row.Reason, row.Retry = StateNotPerformed, ReasonRefused, RetryNever
	row.Reopened = false
	r := ruling{row: row}
	if before.State != StateNotPerformed {
		r.causes = append(r.causes, CauseLateFailure)
	}
	return r
}

// ruleOlder: an effect that came to nothing is older than what may have been sent
// since, so it says nothing of that.
func ruleOlder(row Row) ruling {
	row.State, row.Reason, row.Retry = StateUnknown, ReasonLookupWeak, ""
	row.Evidence, row.Final = EvidenceLookup, false
	return ruling{row: row, causes: []Cause{CauseUnknown}}
}

func ruleOther(row Row, effect Effect) ruling {
	row.State, row.Reason, row.Retry = StateUnknown, ReasonMismatch, ""
	row.EffectID, row.Status, row.Final = effect.ID, effect.Status, false
	row.Evidence, row.SenderDone = EvidenceLookup, true
	row.WatchUntil, row.DueAt = time.Time{}, time.Time{}
	return ruling{row: row, causes: []Cause{CauseUnknown}}
}

// ruleAbsent: looked for and not there. What that is worth depends on the kind
// of lookup, on whether a send can still land, and on deduplication.
func ruleAbsent(row Row, class Class, caps Capabilities, s sighting) ruling {
	if !s.absenceCounts(row, caps) {
		return ruleInconclusive(row, ReasonLookupWeak)
	}
	exhausted := class.ambiguousLimit() > 0 && row.Ambiguous >= class.ambiguousLimit()
	switch {
	case s.afterLanding(row, caps) && row.SenderDone:
		row.State, row.Reason, row.Retry = StateNotPerformed, ReasonAbsent, RetryWait
		row.WatchUntil, row.Closed = time.Time{}, true
		if exhausted {
			row.Retry, row.Reopened = RetryNever, false
		}
	case exhausted:
		return ruleInconclusive(row, ReasonExhausted)
	case caps.dedupesUntilLanded():
		row.State, row.Reason, row.Retry = StateNotPerformed, ReasonAbsent, RetryWait
		row.WatchUntil = latest(row.WatchUntil, caps.landedBy(row.SendBy))
		row.Closed = row.Closed || row.Stored && caps.Lookup == LookupReadAfterWrite
	default:
		return ruleInconclusive(row, ReasonLookupWeak)
	}
	row.Evidence, row.ConfirmedAt = EvidenceLookup, time.Time{}
	row.RetryAt = s.asked.Add(retryAfterAbsence)
	return ruling{row: row}
}

// ruleInconclusive: nothing is there, and that decides nothing.
func ruleInconclusive(row Row, reason Reason) ruling {
	r := ruleBlind(row, reason)
	if r.row.State == StateUnknown && r.row.Evidence != EvidencePerson {
		r.row.Evidence = EvidenceLookup
	}
	return r
}

// ruleBlind: nothing was seen that decides. A row that is on watch or pending
// stays as it is; one whose send is in doubt becomes, or stays, unknown.
func ruleBlind(row Row, reason Reason) ruling {
	if row.State != StateInFlight && row.State != StateUnknown {
		return ruling{row: row}
	}
	if row.State == StateUnknown && row.Reason != ReasonLookupDown {
		reason = row.Reason // what is known stays known
	}
	row.State, row.Reason, row.Retry = StateUnknown, reason, ""
	if row.Evidence != EvidencePerson {
		row.Evidence = ""
	}
	return ruling{row: row, causes: []Cause{CauseUnknown}}
}

// withEffect puts an effect into a row.
func withEffect(row Row, effect Effect) Row {
	row.EffectID, row.Status, row.Final, row.EffectAt = effect.ID, effect.Status, effect.Final, effect.At
	row.WatchUntil, row.RetryAt, row.SenderDone = time.Time{}, time.Time{}, true
	return row
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
