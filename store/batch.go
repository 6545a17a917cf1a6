package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Concurrent callers share transactions, and so syncs: whoever gets the turn to
// write leads all who wait by then. Who is alone waits for nobody. What a caller
// is told never depends on whom its transaction was shared with.

// share is what one caller wants done in a transaction.
type share struct {
	do      func(*transaction) error
	landed  func(*transaction) (bool, error)
	refused error         // by the transaction that has taken it up, which may yet fail
	err     error         // what the caller is told
	told    chan struct{} // closed once that is certain
}

func (s *share) tell(err error) {
	s.err = err
	close(s.told)
}

func (s *share) isTold() bool {
	select {
	case <-s.told:
		return true
	default:
		return false
	}
}

func tell(batch []*share, err error) {
	for _, s := range batch {
		s.tell(err)
	}
}

// transact runs do in a transaction. What it did is durable when transact
// returns nil, and undone when it returns an error. It is run again where what
// it did was undone for another's sake. landed finds out, after a COMMIT that
// was answered with an error, whether it was made all the same.
func (l *Ledger) transact(do func(*transaction) error, landed func(*transaction) (bool, error)) error {
	w := l.write
	if w.turn == nil {
		return w.closed
	}
	wait, cancel := context.WithTimeout(context.Background(), turnWithin)
	defer cancel()
	s := &share{do: do, landed: landed, told: make(chan struct{})}
	w.line.join(s)
	for !s.isTold() {
		select {
		case <-s.told:
		case w.turn <- struct{}{}:
			l.lead(wait, s)
		case <-wait.Done():
			if w.line.leave(s) {
				return ErrBusy
			}
			<-s.told
		}
	}
	return s.err
}

// lead has those who wait share a transaction, and ends the turn.
func (l *Ledger) lead(wait context.Context, leader *share) {
	w := l.write
	defer w.endTurn()
	if leader.isTold() { // by who had the turn before
		return
	}
	leaveQueue := w.lineUp(wait)
	defer leaveQueue()
	batch := w.line.next() // not before: more have come
	if w.closed != nil {
		tell(batch, w.closed)
		return
	}
	l.run(batch)
}

// run does all of a batch in one transaction, in the order of its coming. Who
// is refused has changed nothing, and the others go on; anything else that goes
// wrong undoes all, and each is then run alone.
func (l *Ledger) run(batch []*share) {
	tx, err := l.start(len(batch))
	if err != nil {
		tell(batch, err)
		return
	}
	applied, err := tx.takeUp(batch)
	switch {
	case err == nil && applied > 0:
		l.finish(tx, batch)
	case err == nil: // all were refused
		err := tx.rollback()
		for _, s := range batch {
			s.tell(joined(s.refused, err))
		}
	case len(batch) == 1:
		batch[0].tell(joined(l.trouble(err), tx.rollback()))
	default:
		_ = tx.rollback() // where that fails, no other transaction begins, and each is told so
		l.runEach(batch)
	}
}

func (l *Ledger) runEach(batch []*share) {
	for _, s := range batch {
		l.run([]*share{s})
	}
}

// takeUp does the shares of a batch, until one goes wrong, and counts those
// that were not refused.
func (tx *transaction) takeUp(batch []*share) (applied int, err error) {
	for _, s := range batch {
		s.refused = nil
		err := tx.do(s)
		switch {
		case err == nil:
			applied++
		case refuses(err) && !tx.wrote:
			s.refused = err
		default:
			return 0, err
		}
	}
	return applied, nil
}

// do does one share, under a number of its own. A panic of ours is an error: it
// would fall on whoever leads, and the others would wait for ever.
func (tx *transaction) do(s *share) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	tx.seq++
	tx.wrote = false
	return s.do(tx)
}

// finish makes a transaction durable, and then tells.
func (l *Ledger) finish(tx *transaction, batch []*share) {
	if err := l.write.commit(); err != nil {
		l.resolve(tx, batch, err)
		return
	}
	tx.learn()
	for _, s := range batch {
		s.tell(s.refused)
	}
}

// resolve tells after a COMMIT that was answered with an error. A refusal may
// rest on what is undone now, so who was refused is run again, alone.
func (l *Ledger) resolve(tx *transaction, batch []*share, cause error) {
	rollbackErr := tx.rollback()
	var again []*share
	for _, s := range batch {
		if s.refused != nil {
			again = append(again, s)
			continue
		}
		made, err := s.landed(tx)
		switch {
		case err != nil:
			s.tell(fmt.Errorf("%w: %w", ErrUnresolved, errors.Join(l.trouble(cause), rollbackErr, err)))
		case made:
			tx.learn()
			s.tell(nil)
		default:
			s.tell(l.trouble(cause))
		}
	}
	l.runEach(again)
}

// joined is an error, with another one where there is one.
func joined(err, also error) error {
	if also == nil {
		return err
	}
	return errors.Join(err, also)
}
