package intent

import "time"

// Effect is what exists at the authority because of an intent.
type Effect struct {
	ID       string    // the authority's id
	Cents    int64     // minor units; 0 outside money
	Currency string    // ISO 4217; empty outside money
	Status   string    // the authority's word
	Final    bool      // the adapter declares this status final
	Undone   bool      // finally failed, or cancelled: it has no consequence any more
	At       time.Time // when the authority made it, UTC
}

// comeToNothing reports whether an effect that was accepted has no consequence
// after all. A reversible one that was undone by a later act has had its own: it
// was done, and is shown with the status that it has now.
func (e Effect) comeToNothing(class Class) bool {
	return e.Undone && e.Final && class != ClassReversible
}

// Answer is what one send brought back: AnsweredPerformed, AnsweredRefused,
// AnsweredNotSent or AnsweredAmbiguous.
//
//sumtype:decl
type Answer interface{ answer() }

// AnsweredPerformed is a 2xx whose body names the right object, amount,
// currency and order.
type AnsweredPerformed struct {
	Effect Effect
	// Replayed: the authority says that it had this key already.
	Replayed bool
}

// AnsweredRefused is a refusal that the adapter knows to be one of this attempt.
type AnsweredRefused struct {
	Permanent  bool
	Code       string        // the authority's code, for the ledger
	Because    string        // a clause for a reader: "the payment is disputed"
	RetryAfter time.Duration // with a transient one; zero: not said
}

// AnsweredNotSent is proof that no byte of the request left.
type AnsweredNotSent struct {
	Detail string // for the ledger
}

// AnsweredAmbiguous is everything else, whatever it is called.
type AnsweredAmbiguous struct {
	Detail string // for the ledger: "timeout", "http 500" …
	// Stored: the provider declares that this answer is stored under the key
	// and replayed, so that the key can no longer act.
	Stored bool
}

func (AnsweredPerformed) answer() {}
func (AnsweredRefused) answer()   {}
func (AnsweredNotSent) answer()   {}
func (AnsweredAmbiguous) answer() {}

// Finding is what a lookup by intent brought back: Found, FoundOther, Absent,
// LookupFailed or LookupUnsupported.
//
//sumtype:decl
type Finding interface{ finding() }

// Found is the effect that bears our key and our facts. Of several it is one that
// stands, and of those that stand alike the one that the subject names.
type Found struct{ Effect Effect }

// FoundOther is an effect that bears our key and other facts.
type FoundOther struct{ Effect Effect }

// Absent is a complete answer without our key in it.
type Absent struct{}

// LookupFailed is no answer, or one that cannot be believed.
type LookupFailed struct{ Detail string }

// LookupUnsupported is an authority that cannot be asked by intent.
type LookupUnsupported struct{}

func (Found) finding()             {}
func (FoundOther) finding()        {}
func (Absent) finding()            {}
func (LookupFailed) finding()      {}
func (LookupUnsupported) finding() {}
