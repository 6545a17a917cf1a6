package intent

import (
	"context"
	"encoding/json"
	"time"
)

// Arguments are the validated arguments of a call as canonical JSON. They are
// kept in the ledger, so that an act can be rebuilt from its row.
type Arguments = json.RawMessage

// Operation is what the engine must know of a write tool to act for it. It is
// registered once per tool; the sweeper and an approval find it by the row's
// tool.
type Operation interface {
	// Tool is the tool's name.
	Tool() string
	// Class is the safety class.
	Class() Class
	// Field is the result member that bears the effect's id.
	Field() EffectField
	// Locate says what the arguments alone say, without I/O. Spellings that the
	// authority is known to treat as one are folded.
	Locate(args Arguments) Locator
	// Read asks the authority what the arguments name and how the world stands.
	Read(ctx context.Context, args Arguments) Reading
	// Judge decides, without I/O, from the reading and the ledger's view.
	Judge(r Readable, v View) Judgement
	// Describe puts the act into words.
	Describe(act Act) Description
	// Steps are the act's steps; the first is the one that the customer sees.
	Steps() []Step
}

// Step is one write at one authority.
type Step interface {
	// Provider names the authority, for the provider key.
	Provider() string
	// Capabilities are what the provider declares of this operation.
	Capabilities() Capabilities
	// Request builds the bytes of the request; every later send bears the same.
	Request(key Key, payload []byte) ([]byte, error)
	// Send puts exactly one request on the wire, or none. It must not let the
	// first byte pass at or after SendBy, read on the wall clock.
	Send(ctx context.Context, order Order) Answer
	// Lookup looks for this intent's effect at the authority.
	Lookup(ctx context.Context, subject Subject) Finding
}

// Locator is what the arguments of a call alone say of its intent.
type Locator struct {
	Ticket Resource // the ticket that the call names
	Anchor Resource // what all intents of the call's scope touch, where the arguments name it
	Given  []Fact   // the facts as given, for the fingerprint
	Again  string   // again_after: the id of the effect that a deliberate repeat follows
}

// Resource is an order, seller, buyer or ticket that an intent touches.
type Resource struct {
	Kind string // order, seller, buyer, ticket
	ID   string // in the authority's spelling
}

// Reading is what Read brought back: Readable, Unreadable or RefusedByRead.
//
//sumtype:decl
type Reading interface{ reading() }

// Readable is a complete reading.
type Readable struct {
	Facts     []Fact     // what defines the intent, in the authority's spelling
	Spelled   []Fact     // the facts as Locate would give them for the authority's spelling
	Scope     string     // see Scope; empty: no siblings
	Anchor    Resource   // the resource that all of the scope's intents touch
	Resources []Resource // what the intent touches, the ticket among them
	Cents     int64
	Currency  string
	Ticket    string // the ticket's id
	Payload   []byte // what the act needs to be rebuilt, opaque to the engine
	World     any    // what Judge wants to know of the reading; never stored
}

// Unreadable means that the authority could not be read. A fault of ours in a
// read counts as this too.
type Unreadable struct{ Detail string }

// RefusedByRead means that the arguments name what is not there, or not
// together.
type RefusedByRead struct {
	Reason  Reason // invalid_arguments, unknown_id or not_on_ticket
	Verdict string // what is wrong, one sentence
	Note    string // what to do next, one sentence
}

func (Readable) reading()      {}
func (Unreadable) reading()    {}
func (RefusedByRead) reading() {}

// View is the ledger's view of an intent's surroundings, taken before the
// authority was read or found unchanged since.
type View struct {
	// Around are the intents that touch the scope's anchor, newest first, but
	// for the intent itself.
	Around []Row
	// Totals are sums over the *other* intents that touch a resource, in the
	// intent's currency.
	Totals map[Resource]Total
}

// Total is a sum per resource, in minor units.
type Total struct {
	Open  int64 // intents that are open and have no known effect
	Spent int64 // open intents and effects that stand
}

// Judgement is Allowed, Refusal or NeedsPerson.
//
//sumtype:decl
type Judgement interface{ judgement() }

// Allowed lets the act be claimed.
type Allowed struct{}

// Refusal turns a call away before anything is claimed.
type Refusal struct {
	Reason       Reason
	Retry        Retry
	Verdict      string
	Note         string
	TellCustomer string
	Related      []Related
}

// NeedsPerson queues an approval.
type NeedsPerson struct {
	Rule    string // which rule is broken, a clause for a reader
	Figures string // canonical JSON of what the person is shown
}

func (Allowed) judgement()     {}
func (Refusal) judgement()     {}
func (NeedsPerson) judgement() {}

// Act is what is kept of an intent so that it can be rebuilt.
type Act struct {
	Arguments Arguments
	Payload   []byte // the reading's payload
	Request   []byte // the bytes that every send bears; empty before the first claim
	Figures   string // what a person was shown for an approval
	Policy    string // the version of the policy that decided last
}

// Description is an act in words, so that the engine can speak of it without
// knowing the tool. No word of it may contain the letters "fail".
type Description struct {
	Noun    string // "refund"
	What    string // "refund of 118.00 USD for item SHELF-OAK-4 on order SU-88421"
	Twice   string // what a repeat must not do: "pay twice"
	Done    string // what the customer may be told once it is done
	Pending string // … once it is accepted and not yet final
	Working string // … while it is not known, or not done
	Undone  string // … once it was done and then cancelled; empty where that cannot be
}

// Order is one send.
type Order struct {
	Intent  Key
	Key     string    // the provider's idempotency key
	Request []byte    // the bytes of the body
	Payload []byte    // the reading's payload
	SendBy  time.Time // no byte passes at or after it (wall clock)
}

// Subject is what a lookup looks for.
type Subject struct {
	Intent   Key
	Payload  []byte
	EffectID string // where it is known
}

// Handoff is what a person is told: the payload of every escalation.
type Handoff struct {
	TicketID string `json:"ticket_id"`
	Reason   string `json:"reason"` // a code of escalate_to_human
	Summary  string `json:"summary"`
}
