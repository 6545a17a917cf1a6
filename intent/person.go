package intent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The verbs that belong to a person.
const (
	VerbApprove     = "approve"
	VerbDecline     = "decline"
	VerbResolve     = "resolve"
	VerbRelease     = "release"
	VerbReopen      = "reopen"
	VerbAllowRepeat = "allow-repeat"
	VerbErase       = "erase" // of the texts; the ledger does it, not the engine
)

// ErrNoIntent reports that the ledger has no intent of that key.
var ErrNoIntent = errors.New("the ledger has no intent of this key")

// A NotNowError reports that the verb does not apply to the intent as it stands.
type NotNowError struct {
	Verb  string
	State State
	Needs string // what it applies to
}

func (n *NotNowError) Error() string {
	return fmt.Sprintf("%s does not apply: the intent is %s; it needs %s", n.Verb, n.State, n.Needs)
}

// Person is who decides, and why.
type Person struct {
	Name   string
	Note   string
	Secret bool // the operator's secret was shown
}

// Resolve records a person's word on what became of an intent that is unknown,
// on watch, or left in flight by a process that is gone. ref is the effect's id
// where it was performed, empty where it was not.
//
// The provider is asked first where it can be: a word that it contradicts is a
// ContradictedError, and nothing is recorded; where it shows that very effect, its
// status is the provider's. An effect that it does not show is taken at the
// person's word, and is not confirmed: it may be one that they made themselves.
func (e *Engine) Resolve(ctx context.Context, key Key, p Person, ref string) (Row, error) {
	shown, err := e.contradicted(ctx, key, ref)
	if err != nil {
		return Row{}, err
	}
	return e.decide(ctx, key, p, VerbResolve, func(row Row) (Row, error) {
		if err := e.resolvable(row); err != nil {
			return row, err
		}
		row.Evidence, row.Ambiguous = EvidencePerson, 0
		if ref == "" {
			row.State, row.Reason, row.Retry = StateNotPerformed, ReasonAbsent, RetryWait
			row.EffectID, row.Status = "", ""
			row.WatchUntil = e.stillWatched(row)
			row.RetryAt = e.heldUntil(row)
			return row, nil
		}
		now := e.clock.now()
		row.State, row.Reason, row.Retry = StatePerformed, "", ""
		row.WatchUntil, row.ConfirmedAt = time.Time{}, time.Time{}
		if shown != nil {
			row = withEffect(row, *shown)
			row.ConfirmedAt = now
			return row, nil
		}
		row.EffectID, row.Status, row.Final, row.EffectAt = ref, "succeeded", true, now
		return row, nil
	})
}

// resolvable is why a person's word is not asked for; nil: it is.
func (e *Engine) resolvable(row Row) error {
	gone := row.State == StateInFlight && (e.senderGone(row) || e.expired(row))
	mistaken := row.Evidence == EvidencePerson && (row.State == StatePerformed || row.Reason == ReasonAbsent)
	if row.State == StateUnknown || gone || mistaken || row.State == StateNotPerformed && row.OnWatch() {
		return nil
	}
	return &NotNowError{VerbResolve, row.State, "an unknown one, or one that a person resolved"}
}

// A ContradictedError reports that the provider shows another truth than the
// person's word.
type ContradictedError struct {
	EffectID string
	Status   string // of an effect that has come to nothing; empty: it stands
}

func (c *ContradictedError) Error() string {
	if c.Status != "" {
		return fmt.Sprintf("the provider has %s under this key, and it came to nothing, its status is %s: resolve it with --not-performed, or leave it to the sweeper", c.EffectID, c.Status)
	}
	return fmt.Sprintf("the provider has %s under this key: resolve it with --performed --ref %s, or leave it to the sweeper", c.EffectID, c.EffectID)
}

// contradicted asks the provider about a person's word on an intent: shown is the
// effect that the word is of, nil where the provider does not show it.
func (e *Engine) contradicted(ctx context.Context, key Key, ref string) (shown *Effect, err error) {
	row, ok, err := e.o.Ledger.Find(ctx, key)
	op, known := e.operations[row.Tool]
	if err != nil || !ok || !known || e.resolvable(row) != nil {
		return nil, nil //nolint:nilerr,nilnil // decide says what is wrong
	}
	act, err := e.o.Ledger.Act(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", key, err)
	}
	row.EffectID = ref
	found, there := e.lookUp(ctx, op.Steps()[row.Step], row, act).finding.(Found)
	switch effect := found.Effect; {
	case there && effect.ID == ref && effect.comeToNothing(op.Class()):
		return nil, &ContradictedError{EffectID: effect.ID, Status: effect.Status}
	case there && effect.ID == ref:
		return &effect, nil
	case there && !effect.Undone:
		return nil, &ContradictedError{EffectID: effect.ID}
	}
	return nil, nil //nolint:nilnil // it shows nothing that speaks against it
}

// stillWatched is until when an effect may land although a person has looked
// and found none; zero where none can.
func (e *Engine) stillWatched(row Row) time.Time {
	op, known := e.operations[row.Tool]
	if !known {
		return row.WatchUntil
	}
	landed := latest(row.WatchUntil, op.Steps()[row.Step].Capabilities().landedBy(row.SendBy))
	if !landed.After(e.clock.now()) {
		return time.Time{}
	}
	return landed
}

// heldUntil is until when an act on watch is not sent again by anybody: as long
// as an earlier attempt may land, where the provider would not meet it under the
// same key. Zero: it need not wait.
func (e *Engine) heldUntil(row Row) time.Time {
	op, known := e.operations[row.Tool]
	if !known || op.Steps()[row.Step].Capabilities().dedupesUntilLanded() {
		return time.Time{}
	}
	return row.WatchUntil
}

// held is how much longer, by the clock that says less.
func (e *Engine) held(row Row, now time.Time) time.Duration {
	until := e.heldUntil(row)
	if until.IsZero() {
		return 0
	}
	return until.Sub(row.ClaimedAt) - e.elapsed(row, now)
}

// Release lets the scope of an open intent go on without deciding the intent.
func (e *Engine) Release(ctx context.Context, key Key, p Person) (Row, error) {
	return e.decide(ctx, key, p, VerbRelease, func(row Row) (Row, error) {
		if !row.Blocks() {
			return row, &NotNowError{VerbRelease, row.State, "one that keeps its scope closed"}
		}
		row.Released = true
		return row, nil
	})
}

// Reopen lifts a decline, a remembered refusal, or the limit on ambiguous sends.
func (e *Engine) Reopen(ctx context.Context, key Key, p Person) (Row, error) {
	return e.decide(ctx, key, p, VerbReopen, func(row Row) (Row, error) {
		if row.State != StateNotPerformed || row.Retry != RetryNever || row.EffectID != "" {
			return row, &NotNowError{VerbReopen, row.State, "one that was declined or refused for good"}
		}
		row.Reopened, row.Ambiguous = true, 0
		return row, nil
	})
}

// AllowRepeat allows one deliberate repeat of an effect, named by again_after.
func (e *Engine) AllowRepeat(ctx context.Context, key Key, p Person) (Row, error) {
	return e.decide(ctx, key, p, VerbAllowRepeat, func(row Row) (Row, error) {
		if row.EffectID == "" || !row.Final {
			return row, &NotNowError{VerbAllowRepeat, row.State, "an effect in a final state"}
		}
		row.RepeatAllowed = true
		return row, nil
	})
}

// Decline turns a waiting approval down; it stays so until a person re-opens it.
func (e *Engine) Decline(ctx context.Context, key Key, p Person) (Row, error) {
	return e.decide(ctx, key, p, VerbDecline, func(row Row) (Row, error) {
		if row.State != StateAwaiting && row.State != StateReady {
			return row, &NotNowError{VerbDecline, row.State, "one that waits for approval"}
		}
		row.State, row.Reason, row.Retry, row.Evidence = StateNotPerformed, ReasonDeclined, RetryNever, EvidencePerson
		row.Reopened = false
		return row, nil
	})
}

// Approve allows a waiting intent on the figures that the person was shown, and
// acts on it at once. Where the figures have changed, nothing is sent and it
// waits again.
func (e *Engine) Approve(ctx context.Context, key Key, p Person) (Result, error) {
	row, err := e.decide(ctx, key, p, VerbApprove, func(row Row) (Row, error) {
		if row.State == StateReady {
			return row, &NotNowError{VerbApprove, row.State, "one that waits for approval; this one is approved, and is tried by itself"}
		}
		if row.State != StateAwaiting {
			return row, &NotNowError{VerbApprove, row.State, "one that waits for approval"}
		}
		row.State, row.Reason, row.Retry = StateReady, "", ""
		return row, nil
	})
	if err != nil {
		return Result{}, err
	}
	return e.perform(ctx, row)
}

// perform runs an intent whose act is kept in the ledger, for whoever asked for
// it.
func (e *Engine) perform(ctx context.Context, row Row) (Result, error) {
	op, ok := e.operations[row.Tool]
	if !ok {
		return Result{}, fmt.Errorf("perform %s: tool %s is not registered", row.Key, row.Tool)
	}
	act, err := e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		return Result{}, fmt.Errorf("perform %s: %w", row.Key, err)
	}
	if row.Step > 0 {
		return e.performStep(ctx, op, row, act), nil
	}
	return e.Do(WithPrincipal(ctx, row.Principal), row.Tool, act.Arguments), nil
}

// followersOf are the later steps that a person's word on an act lets go on.
func (e *Engine) followersOf(ctx context.Context, row Row) []Follower {
	op, known := e.operations[row.Tool]
	if !known || row.State != StatePerformed {
		return nil
	}
	act, err := e.o.Ledger.Act(ctx, row.Key)
	if err != nil {
		e.fault("act", err)
		return nil
	}
	return e.followers(op, row, act)
}

// decide applies a person's decision to the row as it stands when it is
// written: by its version, again where somebody was quicker.
func (e *Engine) decide(ctx context.Context, key Key, p Person, verb string, apply func(Row) (Row, error)) (Row, error) {
	for {
		row, ok, err := e.o.Ledger.Find(ctx, key)
		if err != nil {
			return Row{}, fmt.Errorf("%s %s: %w", verb, key, err)
		}
		if !ok {
			return Row{}, ErrNoIntent
		}
		next, err := apply(row)
		if err != nil {
			return row, err
		}
		now := e.clock.now()
		next.UpdatedAt = now
		if op, known := e.operations[row.Tool]; known {
			next.DueAt = nextLook(next, op.Steps()[next.Step].Capabilities(), now)
		}
		if next.State == StateInFlight {
			next.DueAt = row.DueAt
		}
		written, err := e.commit(ctx, Change{
			Row: &next, Seen: row.Version, Followers: e.followersOf(ctx, next),
			Decision: &Decision{Verb: verb, Who: p.Name, Note: p.Note, Secret: p.Secret, At: now},
		})
		var stale *StaleError
		switch {
		case err == nil:
			return written, nil
		case !errors.As(err, &stale):
			return row, fmt.Errorf("%s %s: %w", verb, key, err)
		}
	}
}
