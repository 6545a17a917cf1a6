package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"counterfoil/intent"
)

// againAfter is the fact that only a deliberate repeat has.
const againAfter = "again_after"

// FactNames are the facts that define an intent of a write tool, besides
// again_after where repeatable; ok is false for any other tool.
func FactNames(tool string) (names []string, repeatable, ok bool) {
	switch tool {
	case "issue_refund":
		return []string{"ticket", "order", "item", "units", "amount", "currency"}, true, true
	case "send_replacement":
		return []string{"ticket", "order", "item", "units"}, true, true
	case "message_seller":
		return []string{"ticket", "seller", "text"}, true, true
	case "reply_to_buyer":
		return []string{"ticket", "buyer", "text"}, true, true
	case "book_pickup":
		return []string{"ticket", "order", "day"}, true, true
	case "cancel_pickup":
		return []string{"ticket", "booking"}, false, true
	case "escalate_to_human":
		return []string{"ticket", "reason"}, false, true
	}
	return nil, false, false
}

// ParseFacts reads every fact of an intent from name=value pairs, the ids in
// the authority's own spelling, and gives them in the order of FactNames. A
// fact that is missing, unknown, empty or given twice is an error.
func ParseFacts(tool string, pairs []string) ([]intent.Fact, error) {
	names, repeatable, ok := FactNames(tool)
	if !ok {
		return nil, fmt.Errorf("%s has no facts: it writes nothing", tool)
	}
	known := names
	if repeatable {
		known = append(slices.Clone(names), againAfter)
	}
	given := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || name == "":
			return nil, fmt.Errorf("%q: write name=value", pair)
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("%s: no fact of %s; its facts are %s", name, tool, strings.Join(known, ", "))
		case given[name] != "":
			return nil, fmt.Errorf("%s: given twice", name)
		case value == "":
			return nil, fmt.Errorf("%s: its value is empty", name)
		}
		given[name] = value
	}
	var facts []intent.Fact
	for _, name := range known {
		value, there := given[name]
		switch {
		case there:
			fact, err := factOf(name, value)
			if err != nil {
				return nil, err
			}
			facts = append(facts, fact)
		case name != againAfter:
			return nil, fmt.Errorf("%s: missing; every fact is needed: %s", name, strings.Join(names, ", "))
		}
	}
	return facts, nil
}

func factOf(name, value string) (intent.Fact, error) {
	switch name {
	case "units":
		return unitsFact(name, value)
	case "text": // given as the text itself
		return intent.TextFact(name, value), nil
	case "amount":
		if !digits.MatchString(value) {
			return intent.Fact{}, fmt.Errorf("%s: must be a whole number of minor units", name)
		}
	}
	return intent.Fact{Name: name, Value: value}, nil
}

// unitsFact reads 2,1 and [2,1].
func unitsFact(name, value string) (intent.Fact, error) {
	var units []int
	for entry := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
		unit, err := strconv.Atoi(strings.TrimSpace(entry))
		if err != nil || unit < 1 || slices.Contains(units, unit) {
			return intent.Fact{}, fmt.Errorf("%s: must be distinct whole numbers from 1, such as 1,2", name)
		}
		units = append(units, unit)
	}
	return intent.UnitsFact(name, units), nil
}
