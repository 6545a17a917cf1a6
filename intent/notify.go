package intent

import (
	"context"
	"time"
)

const (
	// notifyAfter is how long a desk may keep an escalation waiting before a
	// person is notified besides, where Options.NotifyAfter is not set.
	notifyAfter = 5 * time.Minute
	// leastNotifyPause and mostNotifyPause bound the pause before a notification
	// is tried again.
	leastNotifyPause = 5 * time.Second
	mostNotifyPause  = 10 * time.Minute
	// restOfNotified is the pause before the sweeper looks again at an escalation
	// that a person was notified of and that no desk is there to take.
	restOfNotified = 24 * time.Hour
)

// notifyInstead notifies a person of an escalation where there is no desk to
// deliver it to, and records how that went. It takes no longer than a delivery.
func (e *Engine) notifyInstead(ctx context.Context, esc Escalation, within time.Duration) Escalation {
	if e.o.Notify == nil {
		return esc
	}
	next := esc
	switch {
	case e.notified(ctx, esc, 2*within):
		next.NotifiedAt = e.clock.now()
	case esc.NotifiedAt.IsZero():
		next.Tries++ // it may have arrived all the same
	}
	next.DueAt = e.clock.now().Add(e.notifyPause(next))
	e.recordNotified(ctx, next)
	return next
}

// notifyOfDelay notifies a person, once, of an escalation that the desk has not
// taken for too long. The desk's own tries go on as they were.
func (e *Engine) notifyOfDelay(ctx context.Context, esc Escalation) Escalation {
	late := !e.clock.now().Before(esc.CreatedAt.Add(e.notifyAfter()))
	if e.o.Notify == nil || e.o.Desk == nil || !esc.DeliveredAt.IsZero() || !late {
		return esc
	}
	if e.notified(ctx, esc, e.reserve()) {
		esc.NotifiedAt = e.clock.now()
		e.recordNotified(ctx, esc)
	}
	return esc
}

// notified tries once to notify a person, if nobody was notified before. The
// receiver drops a repeat by the escalation's key.
func (e *Engine) notified(ctx context.Context, esc Escalation, within time.Duration) bool {
	if !esc.NotifiedAt.IsZero() {
		return false
	}
	ctx, cancel := e.detach(ctx, e.clock.now().Add(within))
	defer cancel()
	e.at(PointBeforeTell)
	err := e.callNotifier(ctx, esc)
	e.at(PointTold)
	e.fault("notify a person", err)
	return err == nil
}

// callNotifier keeps a notifier that breaks from taking the answer with it.
func (e *Engine) callNotifier(ctx context.Context, esc Escalation) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = caught(p)
		}
	}()
	return e.o.Notify(ctx, esc)
}

func (e *Engine) recordNotified(ctx context.Context, esc Escalation) {
	if _, err := e.commit(ctx, Change{Update: &esc}); err != nil {
		e.fault("record a notification", err)
	}
}

// notifyPause is as long as an escalation is old, within bounds: so the pauses
// double, and nothing has to be counted.
func (e *Engine) notifyPause(esc Escalation) time.Duration {
	if !esc.NotifiedAt.IsZero() {
		return restOfNotified
	}
	return min(max(e.clock.now().Sub(esc.CreatedAt), leastNotifyPause), mostNotifyPause)
}

// nextTry is when an escalation that the desk did not take is due again: no
// later than a person is to be notified of it.
func (e *Engine) nextTry(esc Escalation) time.Time {
	now := e.clock.now()
	next, notify := now.Add(sweepAfter(max(esc.Tries-1, 0))), esc.CreatedAt.Add(e.notifyAfter())
	if e.o.Notify != nil && esc.NotifiedAt.IsZero() && notify.After(now) && notify.Before(next) {
		return notify
	}
	return next
}

func (e *Engine) notifyAfter() time.Duration {
	if e.o.NotifyAfter > 0 {
		return e.o.NotifyAfter
	}
	return notifyAfter
}
