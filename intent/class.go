package intent

import "fmt"

// Class is a tool's safety class. It alone decides what may be repeated, and by
// whom. The zero value is not a class; wherever one is found it is treated as
// ClassIrreversible.
type Class string

// The four safety classes.
const (
	ClassIrreversible Class = "irreversible" // cannot be taken back: never repeated by the engine
	ClassReversible   Class = "reversible"   // can be undone: repeated once by the engine, under the same key
	ClassHandoff      Class = "handoff"      // told to a person: repeated until delivered, under the same key
	ClassRead         Class = "read"         // changes nothing: repeated freely inside the answer budget
)

// Valid reports an error unless c is one of the four classes.
func (c Class) Valid() error {
	switch c {
	case ClassIrreversible, ClassReversible, ClassHandoff, ClassRead:
		return nil
	}
	return fmt.Errorf("class %q: declare one of irreversible, reversible, handoff, read", string(c))
}

// engineSends is how many sends the engine may make by itself within one call.
func (c Class) engineSends() int {
	if c == ClassReversible {
		return 2
	}
	return 1
}

// ambiguousLimit is how many ambiguous sends an intent may have before only a
// person may open it again; 0 means that there is no limit.
func (c Class) ambiguousLimit() int {
	if c == ClassReversible || c == ClassHandoff {
		return 0
	}
	return 2
}

// RetryRule says in one short clause what the model may do after a call.
func (c Class) RetryRule() string {
	switch c {
	case ClassRead:
		return "read: repeat freely"
	case ClassReversible:
		return "reversible: repeat only if told wait_and_retry"
	case ClassHandoff:
		return "handoff: a repeat is harmless"
	case ClassIrreversible:
	}
	return "irreversible: repeat only if told wait_and_retry, once"
}

// Annotations are the MCP tool annotations that follow from a class. No client
// enforces them and nothing here relies on them.
type Annotations struct {
	ReadOnly    bool // the tool changes nothing
	Destructive bool // the tool does what cannot be undone
	Idempotent  bool // a repeat with the same arguments has no further effect
	OpenWorld   bool // the tool reaches outside systems
}

// Annotations derives the annotations of a tool of this class.
func (c Class) Annotations() Annotations {
	return Annotations{
		ReadOnly:    c == ClassRead,
		Destructive: c != ClassRead && c != ClassReversible && c != ClassHandoff,
		Idempotent:  true,
		OpenWorld:   true,
	}
}
