package intent

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fact is one field of what defines an intent. Ids are in the authority's own
// spelling, amounts in minor units.
type Fact struct {
	Name  string
	Value string
}

// IntFact makes a fact of a whole number.
func IntFact(name string, v int64) Fact {
	return Fact{Name: name, Value: strconv.FormatInt(v, 10)}
}

// UnitsFact makes a fact of a set of units of an order line: ascending, joined
// by commas.
func UnitsFact(name string, units []int) Fact {
	sorted := slices.Sorted(slices.Values(units))
	parts := make([]string, len(sorted))
	for i, u := range sorted {
		parts[i] = strconv.Itoa(u)
	}
	return Fact{Name: name, Value: strings.Join(parts, ",")}
}

// TextFact makes a fact of a free text: the lower-case hex SHA-256 of the text
// after NFC, with white space folded to one U+0020 and trimmed, so that two
// spellings which a reader could not tell apart are one fact.
func TextFact(name, text string) Fact {
	folded := strings.Join(strings.Fields(norm.NFC.String(text)), " ")
	return Fact{Name: name, Value: hexSum(folded)}
}

// canonical is the injective encoding that keys and fingerprints are hashes of:
// every string as its length in bytes (decimal), a colon and its bytes; the
// facts sorted by name and preceded by their number.
func canonical(domain, account, tool string, facts []Fact) []byte {
	sorted := slices.Clone(facts)
	slices.SortFunc(sorted, func(a, b Fact) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	var out []byte
	out = appendString(out, domain)
	out = appendString(out, account)
	out = appendString(out, tool)
	out = appendString(out, strconv.Itoa(len(sorted)))
	for _, f := range sorted {
		out = appendString(out, f.Name)
		out = appendString(out, f.Value)
	}
	return out
}

func appendString(out []byte, s string) []byte {
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, ':')
	return append(out, s...)
}
