package intent

import (
	"context"
	"errors"
	"time"
)

// State is where an intent stands in the ledger.
type State string

// The states.
const (
	StateInFlight     State = "in_flight"         // claimed: a send may have left
	StatePerformed    State = "performed"         // the effect exists
	StateNotPerformed State = "not_performed"     // nothing happened, as far as is known
	StateUnknown      State = "unknown"           // ambiguous, and not settled
	StateAwaiting     State = "awaiting_approval" // waits for a person
	StateReady        State = "ready"             // may be sent, and has not been: approved, or a later step
	StateQueued       State = "queued"            // a handoff in the outbox
)

// States is the closed list.
func States() []State {
	return []State{StateInFlight, StatePerformed, StateNotPerformed, StateUnknown, StateAwaiting, StateReady, StateQueued}
}

// Row is one intent in the ledger. All times are UTC with millisecond
// precision; the zero time is "none".
type Row struct {
	Key      Key
	Tool     string
	Step     int // 0 for the step that the customer sees
	Parent   Key // of a later step: the intent; zero otherwise
	State    State
	Reason   Reason   // with not_performed and unknown
	Retry    Retry    // with not_performed
	Evidence Evidence // what the state rests on
	Version  int64    // changes with every commit to the row; larger is later

	Scope    string
	Released bool   // a person has let the scope go on without deciding this one
	Ticket   string // the ticket's id
	Cents    int64
	Currency string

	EffectID string
	Status   string
	Final    bool // of Status
	EffectAt time.Time

	Sends     int       // sends that may have reached the authority
	Ambiguous int       // ambiguous sends since the last decision of a person
	Ordinal   int       // of the provider key, from 0
	OrdinalAt time.Time // the first send under Ordinal
	Closed    bool      // Ordinal will never be sent again
	Stored    bool      // the provider gave its last word under Ordinal: only an absence is missing to close it

	Owner      string    // the process that made the last claim
	Nonce      string    // of the last claim
	Principal  string    // who asked for the last claim; empty: whoever runs the process
	ClaimedAt  time.Time // of the last claim
	ClaimedUp  Uptime    // of the last claim
	SendBy     time.Time // of the last claim
	SenderDone bool      // the last claim's sender has recorded its own end, or is dead

	WatchUntil time.Time // a late landing is possible until then
	RetryAt    time.Time // not asked again before
	DueAt      time.Time // the sweeper's next look; zero: none
	Sweeps     int       // looks since the last change

	Reopened      bool // a person has lifted what was remembered
	RepeatAllowed bool // a person has allowed one deliberate repeat

	CreatedAt   time.Time
	UpdatedAt   time.Time
	ConfirmedAt time.Time // the effect was last seen at the authority
}

// OnWatch reports whether a late landing has not been ruled out yet.
func (r *Row) OnWatch() bool { return !r.WatchUntil.IsZero() }

// Open reports whether the intent is open: in flight, unknown, pending at the
// authority, on watch, or waiting for a person or for delivery.
func (r *Row) Open() bool {
	switch r.State {
	case StateInFlight, StateUnknown, StateAwaiting, StateReady, StateQueued:
		return true
	case StatePerformed:
		return !r.Final
	case StateNotPerformed:
	}
	return r.OnWatch()
}

// Blocks reports whether the intent keeps a different one in its scope back. A
// pending effect does not: it counts as one that exists.
func (r *Row) Blocks() bool {
	return r.Scope != "" && r.Open() && r.State != StatePerformed && !r.Released
}

// Belies is why a person is to be told when an effect turns out to exist of
// which the row did not know; empty: nobody was told anything else.
func (r *Row) Belies(effectID string) Cause {
	switch r.State {
	case StateNotPerformed, StateAwaiting, StateReady:
		if r.Sends > 0 || r.EffectID != "" && r.EffectID != effectID {
			return CauseLateLanding
		}
	case StatePerformed:
		if r.EffectID != "" && r.EffectID != effectID {
			return CauseSecondEffect
		}
	case StateInFlight, StateUnknown, StateQueued:
	}
	return ""
}

// named reports whether the row's effect is one that a person named and that the
// authority has not shown.
func (r *Row) named() bool { return r.Evidence == EvidencePerson && r.ConfirmedAt.IsZero() }

// outlivedBy reports whether an effect that a lookup shows stands although the
// row's own, which could still come to nothing, has: a lookup shows the one that
// is known wherever that one stands.
func (r *Row) outlivedBy(effect Effect, class Class, asked time.Time) bool {
	over := !r.Final || class == ClassReversible
	return over && !effect.Undone && !asked.Before(r.ConfirmedAt)
}

// toldAgainAfter is how long an unknown may keep its scope closed before a
// person is told once more.
const toldAgainAfter = 4 * time.Hour

// stillUnknownAt is when a person is to be told once more of an unknown row.
func (r *Row) stillUnknownAt() time.Time { return r.ClaimedAt.Add(toldAgainAfter) }

// Attempt is one send and what became of it, appended once it has ended.
type Attempt struct {
	N           int // from 1, per intent
	Step        int
	Ordinal     int
	Owner       string
	Principal   string // who asked; empty: whoever ran the process
	ProviderKey string
	StartedAt   time.Time
	EndedAt     time.Time
	Answer      string // performed, refused, not_sent, ambiguous, none (its sender died)
	Detail      string // the authority's code, or what went wrong
	Settled     string // how it ended: the state and, after a blank, the reason
	Evidence    Evidence
	EffectID    string
}

// Cause is why a person is told of an intent.
type Cause string

// The causes.
const (
	CauseHandoff      Cause = "handoff"       // the model asked for a person
	CauseUnknown      Cause = "unknown"       // it could not be determined
	CauseApproval     Cause = "approval"      // over a limit
	CauseRefused      Cause = "refused"       // refused for good
	CauseRepeat       Cause = "repeat"        // a deliberate repeat was asked for
	CauseLateLanding  Cause = "late_landing"  // an effect that had been called absent exists
	CauseLateFailure  Cause = "late_failure"  // an effect that had been called performed is undone
	CauseSecondEffect Cause = "second_effect" // two effects are known for one intent
	CauseStillUnknown Cause = "still_unknown" // unknown for hours, and its scope is closed
	CauseFigures      Cause = "figures"       // approved on figures that have changed
)

// Causes is the closed list.
func Causes() []Cause {
	return []Cause{
		CauseHandoff, CauseUnknown, CauseApproval, CauseRefused, CauseRepeat,
		CauseLateLanding, CauseLateFailure, CauseSecondEffect, CauseStillUnknown, CauseFigures,
	}
}

// Escalation is an entry of the outbox: what a person is to be told. It is
// written in the same commit as what it tells of, and there is one per Key.
type Escalation struct {
	Key       Key // its own, see EscalationKey; of a handoff: the intent's
	Subject   Key // the intent that it tells of
	Cause     Cause
	Ticket    string
	Reason    string // the desk's reason code
	Summary   string
	CreatedAt time.Time

	Tries       int
	Ordinal     int       // of the provider key, from 0; advances past an answer that the desk stores
	DueAt       time.Time // the next try
	HandoffID   string    // the desk's id, once delivered
	DeliveredAt time.Time
	NotifiedAt  time.Time // a person was notified past the desk; once set, it stays
}

// Decision is what a person decided, kept for ever.
type Decision struct {
	Verb   string // approve, decline, resolve, release, reopen, allow-repeat, erase
	Who    string
	Note   string
	Secret bool // the operator's secret was shown
	At     time.Time
}

// Change is one durable commit: all of it, or nothing.
type Change struct {
	// Row is the row as it is to be; its Version is ignored. Nil: no row is
	// touched (an escalation's delivery).
	Row *Row
	// Seen is the version of the row that the change was decided on; 0: there
	// must be no row of this key yet.
	Seen int64
	// Act, when not nil, replaces what is kept of the act.
	Act *Act
	// Resources are what a new row touches. Required with Seen 0.
	Resources []Resource
	// Fingerprints are added to those by which a new call is recognised.
	Fingerprints []Fingerprint
	// Since, when not 0, refuses the change with ErrMoved if any resource of
	// the row was changed after that mark (see Ledger.Mark).
	Since int64
	// Exclusive refuses the change with BlockedError if another intent in the
	// row's scope Blocks.
	Exclusive bool
	// Attempt is appended to the row's attempts; its N is set by the ledger.
	Attempt *Attempt
	// Escalate adds entries to the outbox; one whose key is there already is
	// left as it is.
	Escalate []Escalation
	// Late are what a person is told where this change is spilled, and its effect
	// is laid over a row that was settled otherwise meanwhile: see LateOver.
	Late []Escalation
	// Update rewrites the delivery columns of an outbox entry.
	Update *Escalation
	// Decision is appended to the row's decisions.
	Decision *Decision
	// Followers are new rows of later steps; a follower whose key is there
	// already is left as it is.
	Followers []Follower
}

// LateOver are those of Late that a person is to be told, where the change's
// effect is laid over a row.
func (c *Change) LateOver(now Row) (told []Escalation) {
	for _, esc := range c.Late {
		if esc.Cause == now.Belies(c.Row.EffectID) {
			told = append(told, esc)
		}
	}
	return told
}

// Follower is the row of a later step, with its act.
type Follower struct {
	Row       Row
	Act       Act
	Resources []Resource
}

// What Commit refuses, beside a ledger that cannot be written.
var (
	// ErrMoved: a resource has changed since the mark; read again.
	ErrMoved = errors.New("a resource has changed since it was read")
	// ErrReadOnly: the ledger refuses writes (damaged, full, read-only, newer).
	ErrReadOnly = errors.New("the ledger cannot be written")
)

// A StaleError reports that the row is not at the version that the change was decided on.
type StaleError struct{ Current Row }

func (*StaleError) Error() string { return "the row has changed" }

// A BlockedError reports that another intent in the scope is open.
type BlockedError struct{ By Row }

func (*BlockedError) Error() string { return "another intent in the scope is open" }

// Ledger is the durable record of intents, attempts and outcomes of one
// account. Reads see every commit that returned before they began. A Commit
// that returned nil is durable; one that returned an error changed nothing,
// except where the error says that its result is unknown, which the ledger
// itself resolves by reading the nonce before it returns.
type Ledger interface {
	// Account is the account whose ledger this is.
	Account() string
	// Owner is this process's id in the ledger.
	Owner() string
	// Alive reports whether the process that bears an owner's id still runs.
	Alive(owner string) bool

	// Find is the row of a key; ok is false where there is none.
	Find(ctx context.Context, key Key) (row Row, ok bool, err error)
	// Recognise is the row that a call of this fingerprint, naming this
	// ticket, led to before. Where several bear it, the newest.
	Recognise(ctx context.Context, ticket Resource, fp Fingerprint) (row Row, ok bool, err error)
	// ByEffect is the row of a tool that touches this ticket and whose effect
	// has this id. Where several do, the newest.
	ByEffect(ctx context.Context, ticket Resource, tool, effectID string) (row Row, ok bool, err error)
	// Act is what is kept of an intent.
	Act(ctx context.Context, key Key) (Act, error)
	// Attempts are the ended attempts of an intent, oldest first.
	Attempts(ctx context.Context, key Key) ([]Attempt, error)
	// Decisions are what people decided of an intent, oldest first.
	Decisions(ctx context.Context, key Key) ([]Decision, error)

	// Mark is a point in the order of commits: every later Commit counts as
	// after it, and every one that has returned as before.
	Mark(ctx context.Context) (int64, error)
	// Around are the rows that touch a resource, newest first, at most limit.
	Around(ctx context.Context, r Resource, limit int) ([]Row, error)
	// Totals are the sums of the rows in one currency that touch each
	// resource, without the row of except.
	Totals(ctx context.Context, rs []Resource, currency string, except Key) (map[Resource]Total, error)
	// List is all rows, open first, then newest (by CreatedAt), at most limit.
	List(ctx context.Context, limit int) ([]Row, error)

	// Due are the rows whose DueAt is at or before now, the longest due first.
	Due(ctx context.Context, now time.Time, limit int) ([]Row, error)
	// Orphans are rows in flight whose owner is not alive.
	Orphans(ctx context.Context, limit int) ([]Row, error)
	// Outbox are undelivered escalations whose DueAt is at or before now.
	Outbox(ctx context.Context, now time.Time, limit int) ([]Escalation, error)
	// Escalation is one entry of the outbox, delivered or not.
	Escalation(ctx context.Context, key Key) (e Escalation, ok bool, err error)

	// Commit makes one change durable and returns the row as it now is.
	// Errors: *StaleError, *BlockedError, ErrMoved, ErrReadOnly (wrapped), or
	// another one of the ledger itself; in each case nothing was changed.
	Commit(ctx context.Context, c Change) (Row, error)
	// Spill keeps a change that could not be committed outside the ledger; the
	// next opening reads it first.
	Spill(c Change) error
	// CountRepeat counts a repeat that was answered from the ledger. It costs
	// no durable commit and may be lost in a crash.
	CountRepeat(key Key)
}
