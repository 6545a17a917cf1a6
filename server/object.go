package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// member is one name of a JSON object and its value, as written.
type member struct {
	name  string
	value json.RawMessage
}

// object is a JSON object in the order it was written.
type object []member

// errDuplicate reports an object that names a member twice.
var errDuplicate = errors.New("a member is given twice")

// splitObject takes apart one level of a valid JSON object. Names that differ
// only in case count as one, since encoding/json, and with it the MCP library,
// would let the later one win. On errDuplicate the object is still returned.
func splitObject(raw []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var obj object
	var duplicate error
	seen := make(map[string]bool)
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if seen[folded(name)] {
			duplicate = errDuplicate
		}
		seen[folded(name)] = true
		obj = append(obj, member{name, value})
	}
	return obj, duplicate
}

// get returns the value of the one member of that very name; nil stands for
// none, for more than one, and for null.
func (o object) get(name string) json.RawMessage {
	var found json.RawMessage
	for _, m := range o {
		if m.name != name {
			continue
		}
		if found != nil {
			return nil
		}
		found = m.value
	}
	if string(found) == "null" {
		return nil
	}
	return found
}

// has tells whether a member of that very name is there, null included.
func (o object) has(name string) bool {
	for _, m := range o {
		if m.name == name {
			return true
		}
	}
	return false
}

// folded maps names that encoding/json takes for one another to one spelling,
// the long s and the Kelvin sign included.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// without writes the object anew, less the members of that name.
func (o object) without(name string) json.RawMessage {
	kept := []byte("{")
	for _, m := range o {
		if m.name == name {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		quoted, _ := json.Marshal(m.name) // a string can be written
		kept = append(append(append(kept, quoted...), ':'), m.value...)
	}
	return append(kept, '}')
}
