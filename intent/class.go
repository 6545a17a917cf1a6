package intent

import "fmt"

// Class is a tool's safety class. It alone decides what may be repeated, and by
// whom. The zero value is not a class; wherever one is found it is treated as
// Irreversible.
type Class string

// The four safety classes.
const (
	Irreversible Class = "irreversible" // cannot be taken back: never repeated by the engine
	Reversible   Class = "reversible"   // can be undone: repeated once by the engine, under the same key
	Handoff      Class = "handoff"      // told to a person: repeated until delivered, under the same key
	Read         Class = "read"         // changes nothing: repeated freely inside the answer budget
)

// Valid reports an error unless c is one of the four classes.
func (c Class) Valid() error {
	switch c {
	case Irreversible, Reversible, Handoff, Read:
		return nil
	}
	return fmt.Errorf("class %q: declare one of irreversible, reversible, handoff, read", string(c))
}

// engineSends is how many sends the engine may make by itself within one call.
func (c Class) engineSends() int {
	if c == Reversible {
		return 2
	}
	return 1
}

// ambiguousLimit is how many ambiguous sends an intent may have before only a
// person may open it again; 0 means that there is no limit.
func (c Class) ambiguousLimit() int {
	if c == Reversible || c == Handoff {
		return 0
	}
	return 2
}

// RetryRule says in one short clause what the model may do after a call.
func (c Class) RetryRule() string {
	switch c {
	case Read:
		return "read: safe to ask again at any time"
	case Reversible:
		return "reversible: ask again only when told wait_and_retry"
	case Handoff:
		return "handoff: asking again is harmless"
	case Irreversible:
	}
	return "irreversible: ask again only when told wait_and_retry, once"
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
		ReadOnly:    c == Read,
		Destructive: c != Read && c != Reversible && c != Handoff,
		Idempotent:  true,
		OpenWorld:   true,
	}
}
