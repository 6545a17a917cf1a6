package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// defaultDelay is D where a fault names none.
const defaultDelay = 2 * time.Second

// maxDelay keeps sums of times far from where an int64 of nanoseconds ends.
const maxDelay = 365 * 24 * time.Hour

// Fault makes the marketplace misbehave.
//
// Faults of one operation are a queue: a request is met by the first of them,
// which is then used up by one. A request that the marketplace refuses of its
// own accord (a malformed body, an unknown id, another account) uses none.
type Fault struct {
	Operation string        // one of [Operations]
	Mode      string        // one of [Modes]
	Times     int           // how many requests it meets; 0: until it is cleared
	Delay     time.Duration // D; 2 s when zero
}

// mode is "" where no fault meets the request.
func (f Fault) mode() Mode { return Mode(f.Mode) }

// AddFault appends a fault to the queue of its operation. The error is a
// [*MeaninglessFaultError] where the pair makes no sense.
func (s *Sandbox) AddFault(ctx context.Context, f Fault) error {
	if err := meaningful(f.Operation, f.mode()); err != nil {
		return err
	}
	if f.Times < 0 || f.Delay < 0 || f.Delay > maxDelay {
		return &MeaninglessFaultError{
			Operation: f.Operation, Mode: f.Mode,
			Reason: "a fault cannot have negative times, a negative delay or one of more than a year",
		}
	}
	if f.Delay == 0 {
		f.Delay = defaultDelay
	}
	times := sql.NullInt64{Int64: int64(f.Times), Valid: f.Times > 0}
	err := s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO faults (operation, mode, times_left, delay_ns) VALUES (?, ?, ?, ?)`,
			f.Operation, f.Mode, times, int64(f.Delay))
		return err
	})
	if err != nil {
		return fmt.Errorf("add fault %s on %s: %w", f.Mode, f.Operation, err)
	}
	return nil
}

// ClearFaults removes every fault of every operation. Effects that land, show
// or settle later still do.
func (s *Sandbox) ClearFaults(ctx context.Context) error {
	err := s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM faults`)
		return err
	})
	if err != nil {
		return fmt.Errorf("clear faults: %w", err)
	}
	return nil
}

// Faults returns the faults that are still set, each operation's in the order
// in which they will be met. Times is what is left.
func (s *Sandbox) Faults(ctx context.Context) ([]Fault, error) {
	faults := []Fault{}
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT operation, mode, coalesce(times_left, 0), delay_ns FROM faults ORDER BY operation, id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var f Fault
			if err := rows.Scan(&f.Operation, &f.Mode, &f.Times, &f.Delay); err != nil {
				return err
			}
			faults = append(faults, f)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list faults: %w", err)
	}
	return faults, nil
}

// takeFault returns the fault that meets a request now, used up by one, or the
// zero Fault.
func takeFault(ctx context.Context, tx *sql.Tx, operation string) (Fault, error) {
	var id int64
	f := Fault{Operation: operation}
	err := tx.QueryRowContext(ctx, `
		SELECT id, mode, coalesce(times_left, 0), delay_ns FROM faults
		WHERE operation = ? ORDER BY id LIMIT 1`, operation,
	).Scan(&id, &f.Mode, &f.Times, &f.Delay)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Fault{}, nil
	case err != nil:
		return Fault{}, fmt.Errorf("look for a fault of %s: %w", operation, err)
	case f.Times == 0:
		return f, nil
	case f.Times == 1:
		_, err = tx.ExecContext(ctx, `DELETE FROM faults WHERE id = ?`, id)
	default:
		_, err = tx.ExecContext(ctx, `UPDATE faults SET times_left = times_left - 1 WHERE id = ?`, id)
	}
	if err != nil {
		return Fault{}, fmt.Errorf("use a fault of %s: %w", operation, err)
	}
	return f, nil
}

// instead returns the answer of a fault that keeps the marketplace from acting
// or reading at all.
func (f Fault) instead() (answer, bool) {
	switch f.mode() {
	case TimeoutBeforeAccept:
		return answer{manner: never}, true
	case Down:
		return answer{manner: dropped}, true
	case Reject500:
		return serverError(), true
	case Reject:
		return refuse(422, "refused_permanently", "the provider will not do this").answer(), true
	case RejectTransient:
		a := refuse(429, "try_later", "the provider is busy, try again later").answer()
		a.retryAfter = "1"
		return a, true
	case AcceptThenTimeout, AcceptThen500, AcceptThenDrop, AcceptThenGarbage, WrongEcho, Slow, LandLate, Lag,
		DeliverTwice, Stored500, NoDedupe, KeyExpired, PendingThenSucceeded, PendingThenFailed:
	}
	return answer{}, false
}

// bend returns what becomes of an answer that reports an effect.
func (f Fault) bend(a answer) answer {
	switch f.mode() {
	case AcceptThenTimeout, LandLate:
		a.manner = never
	case AcceptThenDrop:
		a.manner = dropped
	case AcceptThenGarbage:
		a.manner = halved
	case AcceptThen500, Stored500:
		return serverError()
	case Slow:
		a.delay = f.Delay
	case WrongEcho:
		if o, ok := a.body.(object); ok {
			a.body = o.crossed()
		}
	case Lag, DeliverTwice, NoDedupe, KeyExpired, PendingThenSucceeded, PendingThenFailed:
		// What they do shows elsewhere.
	case TimeoutBeforeAccept, Reject500, Reject, RejectTransient, Down:
		// There is no effect to report.
	}
	return a
}

// timing says when an effect that is made at now lands, shows and settles, in
// nanoseconds since 1970. final is "" where the kind's own status stands.
type timing struct {
	lands, visible, settles int64
	final                   string
}

func (f Fault) timing(now int64) timing {
	t := timing{lands: now, visible: now, settles: now}
	later := now + int64(f.Delay)
	switch f.mode() {
	case LandLate:
		t.lands, t.visible, t.settles = later, later, later
	case Lag:
		t.visible = later
	case PendingThenSucceeded:
		t.settles, t.final = later, "succeeded"
	case PendingThenFailed:
		t.settles, t.final = later, "failed"
	case AcceptThenTimeout, AcceptThen500, AcceptThenDrop, AcceptThenGarbage, WrongEcho, Slow, DeliverTwice,
		NoDedupe, KeyExpired:
		// The effect is an ordinary one.
	case TimeoutBeforeAccept, Reject500, Reject, RejectTransient, Down, Stored500:
		// There is none.
	}
	return t
}
