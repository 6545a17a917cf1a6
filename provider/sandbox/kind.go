package sandbox

import (
	"strings"

	"counterfoil/intent"
)

// kind is how one kind of write is put to the marketplace, and how its effects
// are recognised.
type kind[T any] struct {
	collection string // in paths and declarations
	prefix     string // of its effects' ids

	// path is where v is posted to.
	path func(v T) string
	// body is what is posted, bearing the intent key.
	body func(key string, v T) any
	// intent is the key of the intent that made o what it is.
	intent func(o object) string
	// facts reports whether every fact of o is v's. Free reasons and summaries
	// are none.
	facts func(o object, v T) bool
	// states are the statuses that an effect of this kind may have.
	states map[string]state
	// at is the member that says when the effect came about.
	at func(o object) string
}

// state is what a status means.
type state struct {
	final  bool // declared final by the marketplace
	undone bool // without consequence from now on
}

func created(o object) string { return o.CreatedAt }

func made(o object) string { return o.Intent }

// effect turns an object of this kind into an effect. It is an errForeign where
// the object cannot be one.
func (k kind[T]) effect(o object) (intent.Effect, error) {
	at, err := instant(k.at(o))
	if err != nil {
		return intent.Effect{}, err
	}
	s, known := k.states[o.Status]
	if !known || len(o.ID) == len(k.prefix) || !strings.HasPrefix(o.ID, k.prefix) {
		return intent.Effect{}, errForeign
	}
	return intent.Effect{
		ID:       o.ID,
		Cents:    o.Cents,
		Currency: o.Currency,
		Status:   o.Status,
		Final:    s.final,
		Undone:   s.undone,
		At:       at,
	}, nil
}
