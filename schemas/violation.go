package schemas

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Violation is what is wrong with a value: where, and which rule it breaks. It
// never bears the value.
type Violation struct {
	Field string // amount_cents, units[2]; empty for the whole
	Rule  string // "must be at least 1"
}

// Sentence is the violation as a clause without its full stop.
func (v *Violation) Sentence() string {
	if v.Field == "" {
		return "the arguments " + v.Rule
	}
	return v.Field + " " + v.Rule
}

// breach is a violation and its place in the order of telling.
type breach struct {
	Violation
	rank     int // unknown names first, since a misspelling explains what is missing
	position int // of the property, as published
}

// The ranks of a breach.
const (
	rankUnknown = iota
	rankMissing
	rankValue
	rankDetail // what follows from a breach of rankValue, a length beside a pattern
)

// first picks the breach that is told: the library's own order is a map's.
func (s *Schema) first(invalid *jsonschema.ValidationError) *Violation {
	breaches := s.breaches(invalid)
	slices.SortFunc(breaches, func(a, b breach) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.position, b.position),
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Rule, b.Rule),
		)
	})
	return &breaches[0].Violation
}

func (s *Schema) breaches(e *jsonschema.ValidationError) []breach {
	if len(e.Causes) == 0 {
		return s.leaf(e)
	}
	var all []breach
	for _, cause := range e.Causes {
		all = append(all, s.breaches(cause)...)
	}
	return all
}

func (s *Schema) leaf(e *jsonschema.ValidationError) []breach {
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return s.named(at, k.Properties, rankUnknown, s.unknown(at))
	case *kind.Required:
		return s.named(at, k.Missing, rankMissing, "is required")
	}
	rule, rank := s.rule(e)
	return []breach{{Violation{fieldName(at), rule}, rank, s.position(at)}}
}

// named makes one breach of each name.
func (s *Schema) named(at, names []string, rank int, rule string) []breach {
	var all []breach
	for _, name := range names {
		field := append(slices.Clone(at), name)
		all = append(all, breach{Violation{fieldName(field), rule}, rank, s.position(field)})
	}
	return all
}

// unknown says which names there are, as far as they are on this schema's
// first level.
func (s *Schema) unknown(at []string) string {
	if len(at) > 0 {
		return "is not known"
	}
	return "is not known; known are " + listed(s.names, "and")
}

func (s *Schema) position(at []string) int {
	if len(at) == 0 {
		return -1
	}
	if i := slices.Index(s.names, at[0]); i >= 0 {
		return i
	}
	return len(s.names)
}

// rule words a breach of a value. The numbers in it are the schema's, never
// the caller's.
func (s *Schema) rule(e *jsonschema.ValidationError) (rule string, rank int) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return s.typeRule(e.InstanceLocation, k), rankValue
	case *kind.Enum:
		return "must be one of " + listed(texts(k.Want), "or"), rankValue
	case *kind.Const:
		return fmt.Sprintf("must be %v", k.Want), rankValue
	case *kind.Pattern:
		return "must match " + k.Want, rankValue
	case *kind.MinLength:
		if k.Got == 0 {
			return "must not be empty", rankValue
		}
		return fmt.Sprintf("must have at least %d characters", k.Want), rankDetail
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want), rankDetail
	case *kind.Minimum:
		return "must be at least " + whole(k.Want), rankValue
	case *kind.Maximum:
		return "must be at most " + whole(k.Want), rankValue
	case *kind.MinItems:
		return "must have at least " + entries(k.Want), rankValue
	case *kind.MaxItems:
		return "must have at most " + entries(k.Want), rankValue
	case *kind.UniqueItems:
		return "must not have the same entry twice", rankDetail
	}
	return "is not as the schema asks", rankDetail
}

func (s *Schema) typeRule(at []string, k *kind.Type) string {
	if k.Got == "null" && len(at) == 1 && !slices.Contains(s.compiled.Required, at[0]) {
		return "must not be null: leave it out"
	}
	if k.Got == "null" && len(at) > 0 {
		return "must not be null"
	}
	switch want := listed(k.Want, "or"); {
	case want == "integer" && strings.HasSuffix(at[len(at)-1], "_cents"):
		return "must be a whole number of cents, written with digits only, such as 11800"
	case want == "integer":
		return "must be a whole number, written with digits only, such as 1"
	case want == "object" && len(at) == 0:
		return "must be one JSON object"
	case want == "array":
		return "must be a list"
	case want == "boolean":
		return "must be true or false"
	default:
		return "must be " + article(want)
	}
}

// whole writes a bound, which is a whole number in every schema of ours.
func whole(bound *big.Rat) string { return bound.Num().String() }

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func article(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// listed joins as a sentence does: a, b and c.
func listed(names []string, and string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + and + " " + names[last]
}

// plainName is a member's name that may be repeated to its sender. Any other
// could be a text of any length that steers whoever reads the answer.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,39}$`)

// entryNumber is an index of an array in a location.
var entryNumber = regexp.MustCompile(`^[0-9]{1,6}$`)

// fieldName turns a location into a name: ["units", "2"] is units[2].
func fieldName(at []string) string {
	var b strings.Builder
	for _, token := range at {
		switch {
		case entryNumber.MatchString(token):
			b.WriteString("[" + token + "]")
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(PlainName(token))
	}
	return b.String()
}

// PlainName is a member's name as an answer may repeat it: itself where it is
// short and made of ASCII letters, digits and underscores, else a description.
func PlainName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "an argument with an odd name"
}
