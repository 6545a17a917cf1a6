package intent_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"counterfoil/intent"
)

// simLedger is a process's view of the ledger with a gate before everything
// that another process could come between.
type simLedger struct {
	intent.Ledger
	w *simWorld
	p *simProc
}

func (s *simLedger) gate(ctx context.Context, what string) *simLane {
	l := simLaneOf(ctx)
	s.w.sched.gate(l, what)
	return l
}

// learn remembers that a lane has seen a key's row.
func (s *simLedger) learn(l *simLane, key intent.Key, err error) {
	if l == nil || err != nil || key.IsZero() {
		return
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	l.decided[key.String()] = s.w.tick()
}

func (s *simLedger) Find(ctx context.Context, key intent.Key) (intent.Row, bool, error) {
	l := s.gate(ctx, "find")
	row, ok, err := s.Ledger.Find(ctx, key)
	s.learn(l, key, err)
	return row, ok, err
}

func (s *simLedger) Recognise(ctx context.Context, ticket intent.Resource, fp intent.Fingerprint) (intent.Row, bool, error) {
	l := s.gate(ctx, "recognise")
	row, ok, err := s.Ledger.Recognise(ctx, ticket, fp)
	s.learn(l, row.Key, err)
	return row, ok, err
}

func (s *simLedger) Mark(ctx context.Context) (int64, error) {
	s.gate(ctx, "mark")
	return s.Ledger.Mark(ctx)
}

func (s *simLedger) Around(ctx context.Context, r intent.Resource, limit int) ([]intent.Row, error) {
	s.gate(ctx, "around")
	return s.Ledger.Around(ctx, r, limit)
}

func (s *simLedger) Orphans(ctx context.Context, limit int) ([]intent.Row, error) {
	s.gate(ctx, "orphans")
	return s.Ledger.Orphans(ctx, limit)
}

func (s *simLedger) Due(ctx context.Context, now time.Time, limit int) ([]intent.Row, error) {
	s.gate(ctx, "due")
	return s.Ledger.Due(ctx, now, limit)
}

func (s *simLedger) Outbox(ctx context.Context, now time.Time, limit int) ([]intent.Escalation, error) {
	s.gate(ctx, "outbox")
	return s.Ledger.Outbox(ctx, now, limit)
}

func (s *simLedger) Escalation(ctx context.Context, key intent.Key) (intent.Escalation, bool, error) {
	s.gate(ctx, "escalation")
	return s.Ledger.Escalation(ctx, key)
}

// Commit waits longer after one that failed: as align, for the engine's pauses.
func (s *simLedger) Commit(ctx context.Context, c intent.Change) (intent.Row, error) {
	l := simLaneOf(ctx)
	if l != nil {
		s.w.spend(ctx, time.Until(l.noCommitBefore))
	}
	s.w.sched.gate(l, "commit")
	before := intent.Row{}
	if c.Row != nil {
		before, _, _ = s.w.ledger().Find(s.w.ctx, c.Row.Key) // whatever has become of ctx
	}
	row, made, err := s.commit(ctx, c)
	if made {
		s.seeMade(l, before, row, c)
	}
	if err != nil {
		s.w.seeRefused(c, err)
		var stale *intent.StaleError
		if errors.As(err, &stale) { // and says how the row is
			s.learn(l, stale.Current.Key, nil)
		}
		if l != nil && s.w.full.Load() {
			l.noCommitBefore = time.Now().Add(200 * time.Millisecond)
		}
		if c.Row != nil {
			s.w.logf(l, "commit refused of %s: %s: %v", s.w.short(c.Row.Key), simRow(*c.Row), err)
		}
		return row, err
	}
	if c.Row != nil {
		s.learn(l, row.Key, nil)
	}
	return row, nil
}

// seeMade looks at a change that the ledger has made, whatever it answered.
func (s *simLedger) seeMade(l *simLane, before, row intent.Row, c intent.Change) {
	s.w.seeCommit(l, before, row, c)
	if c.Row != nil {
		s.w.checkLegal(before, row)
		s.w.checkCommit(s.p, before, row)
		s.w.logf(l, "row %s v%d: %s", s.w.short(row.Key), row.Version, simRow(row))
	}
	for _, e := range c.Escalate {
		s.w.logf(l, "outbox: %s, %s of %s", s.w.short(e.Key), e.Cause, s.w.short(e.Subject))
	}
}

// commit is the ledger's own, unless the disk is full, or fails once: before
// anything is written, or after all of it.
func (s *simLedger) commit(ctx context.Context, c intent.Change) (row intent.Row, made bool, err error) {
	fails, _ := s.w.failing.Swap("").(string)
	switch {
	case s.w.full.Load():
		return row, false, fmt.Errorf("commit: %w", intent.ErrReadOnly)
	case fails == "before":
		return row, false, errSimDisk
	}
	row, err = s.Ledger.Commit(ctx, c)
	if made = err == nil; made && fails == "after" {
		err = errSimDisk
	}
	return row, made, err
}

var errSimDisk = errors.New("commit: disk I/O error")

func (s *simLedger) Spill(c intent.Change) error {
	err := s.Ledger.Spill(c)
	s.w.note(c)
	if c.Row != nil {
		s.w.logf(nil, "spilled %s: %s (%v)", s.w.short(c.Row.Key), simRow(*c.Row), err)
	}
	return err
}

// simRow is a row in a few words.
func simRow(r intent.Row) string {
	words := simState(r)
	for _, word := range []string{string(r.Reason), string(r.Retry), r.EffectID, r.Status} {
		if word != "" {
			words += " " + word
		}
	}
	return words + " sends " + simNth(r.Sends) + " ambiguous " + simNth(r.Ambiguous) + " ordinal " + simNth(r.Ordinal)
}

// simState is a row's state, with what tells its kinds apart.
func simState(r intent.Row) string {
	switch {
	case r.Version == 0:
		return "none"
	case r.State == intent.StateNotPerformed && r.OnWatch():
		return "on_watch"
	case r.State == intent.StateNotPerformed && r.Retry == intent.RetryNever:
		return "not_performed_for_good"
	case r.State == intent.StatePerformed && !r.Final:
		return "pending"
	}
	return string(r.State)
}
