package intent

import (
	"context"
	"encoding/json"
	"time"
)

// tried is how one try to tell the desk ended.
type tried struct {
	esc      Escalation
	effect   *Effect // nil: it is not known to be there
	evidence Evidence
	left     bool // something of it may have left this machine
	arrived  bool // it may be there although nothing shows it
}

// deliver tries once to tell the desk, under the escalation's own key, and
// records how that went. A try that may have reached the desk is looked up
// before the next one. Without a desk a person is notified instead.
func (e *Engine) deliver(ctx context.Context, esc Escalation) Escalation {
	return e.deliverWithin(ctx, esc, e.reserve()/2).esc
}

// deliverWithin bounds the send to the desk, and as long again for the lookup
// of one whose answer was lost.
func (e *Engine) deliverWithin(ctx context.Context, esc Escalation, within time.Duration) tried {
	switch {
	case !esc.DeliveredAt.IsZero():
		return tried{esc: esc, evidence: EvidenceLedger}
	case e.o.Desk == nil:
		return tried{esc: e.notifyInstead(ctx, esc, within)}
	}
	ctx, cancel := e.detach(ctx, deadlineIn(2*within))
	defer cancel()
	e.at(PointBeforeTell)
	t := e.tell(ctx, esc, within)
	e.at(PointTold)
	if t.arrived {
		t.esc.Tries++
	}
	t.esc.DueAt = e.nextTry(t.esc)
	if t.effect != nil {
		t.esc.HandoffID, t.esc.DeliveredAt, t.esc.DueAt = t.effect.ID, e.clock.now(), time.Time{}
	}
	e.recordTry(ctx, t)
	return t
}

// tell looks for an escalation that may be at the desk already, and sends it
// where it is not. A stored answer is left behind only by a new ordinal, and
// only after a lookup found nothing.
func (e *Engine) tell(ctx context.Context, esc Escalation, within time.Duration) tried {
	payload, err := json.Marshal(Handoff{TicketID: esc.Ticket, Reason: esc.Reason, Summary: esc.Summary})
	if err != nil {
		e.fault("put an escalation into words", err)
		return tried{esc: esc}
	}
	subject := Subject{Intent: esc.Key, Payload: payload}
	if esc.Tries > 0 || e.clock.now().Sub(esc.CreatedAt) > within { // or a process ended in the middle of a try
		if found, ok := e.o.Desk.Lookup(ctx, subject).(Found); ok {
			return tried{esc: esc, effect: &found.Effect, evidence: EvidenceLookup}
		}
	}
	request, err := e.o.Desk.Request(esc.Key, payload)
	if err != nil {
		e.fault("build an escalation", err)
		return tried{esc: esc}
	}
	sending, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer := e.o.Desk.Send(sending, Order{
		Intent: esc.Key, Request: request, Payload: payload,
		Key:    ProviderKey(e.o.Secret, esc.Key, esc.Ordinal, e.o.Desk.Provider(), e.o.Ledger.Account(), 0),
		SendBy: e.clock.now().Add(within),
	})
	return e.toldBy(ctx, esc, subject, answer)
}

// toldBy is what the desk's answer to a send comes to.
func (e *Engine) toldBy(ctx context.Context, esc Escalation, subject Subject, answer Answer) tried {
	switch a := answer.(type) {
	case AnsweredPerformed:
		return tried{esc: esc, effect: &a.Effect, evidence: EvidenceResponse, left: true}
	case AnsweredRefused: // its last word under this key, which the next try leaves behind
		if _, absent := e.o.Desk.Lookup(ctx, subject).(Absent); absent && e.o.Desk.Capabilities().Lookup == LookupReadAfterWrite {
			esc.Ordinal++
		}
		return tried{esc: esc, left: true}
	case AnsweredNotSent:
		return tried{esc: esc}
	case AnsweredAmbiguous:
		switch found := e.o.Desk.Lookup(ctx, subject).(type) {
		case Found:
			return tried{esc: esc, effect: &found.Effect, evidence: EvidenceLookup, left: true}
		case Absent:
			if a.Stored && e.o.Desk.Capabilities().Lookup == LookupReadAfterWrite {
				esc.Ordinal++
			}
		case FoundOther, LookupFailed, LookupUnsupported:
		}
	}
	return tried{esc: esc, left: true, arrived: true}
}

// recordTry writes how a try ended; the delivery of a handoff performs its
// intent.
func (e *Engine) recordTry(ctx context.Context, t tried) {
	for {
		c, err := e.afterTry(ctx, t)
		if err == nil {
			_, err = e.commit(ctx, c)
		}
		if moved(err) {
			continue // the handoff's row has been written meanwhile
		}
		e.fault("record a delivery", err)
		return
	}
}

// afterTry is what a try changes: of a handoff, the entry of the outbox and its
// intent together, or neither. An entry that is not recorded is looked up at
// the desk by the next sweep.
func (e *Engine) afterTry(ctx context.Context, t tried) (Change, error) {
	c := Change{Update: &t.esc}
	if t.esc.Cause != CauseHandoff {
		return c, nil
	}
	reads, cancel := recording(ctx)
	defer cancel()
	row, ok, err := e.o.Ledger.Find(reads, t.esc.Subject)
	if err != nil || !ok || row.State != StateQueued {
		return c, err
	}
	c.Row, c.Seen = &row, row.Version
	row.UpdatedAt, row.SenderDone = e.clock.now(), true
	if !t.left && row.Sends > 0 {
		row.Sends--
	}
	if t.effect == nil {
		return c, nil
	}
	row = withEffect(row, *t.effect)
	row.State, row.Reason, row.Evidence = StatePerformed, "", t.evidence
	row.ConfirmedAt, row.DueAt = row.UpdatedAt, time.Time{}
	return c, nil
}

// takeTurn marks a queued handoff as one that this process sends now, so that
// two calls for it are one send. It reports whether the turn was had.
func (e *Engine) takeTurn(ctx context.Context, row Row, within time.Duration) (bool, error) {
	now := e.clock.now()
	if row.State != StateQueued || e.atTheDesk(row) {
		return false, nil
	}
	turn := askedBy(ctx, row)
	turn.Owner, turn.Nonce, turn.SenderDone = e.o.Ledger.Owner(), e.o.NewID(), false
	turn.ClaimedAt, turn.ClaimedUp, turn.UpdatedAt = now, e.uptime(), now
	turn.SendBy = now.Add(2 * within)
	turn.Sends++
	_, err := e.commit(ctx, Change{Row: &turn, Seen: row.Version})
	if moved(err) {
		return false, nil
	}
	return err == nil, err
}

// atTheDesk reports whether a living process is sending a handoff.
func (e *Engine) atTheDesk(row Row) bool {
	return !row.SenderDone && e.clock.now().Before(row.SendBy) && e.o.Ledger.Alive(row.Owner)
}
