package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// dialect is how every schema begins, white space aside. MCP takes 2020-12 for
// granted, so what a tool list bears is without it: it would cost the model 15
// tokens a tool.
const dialect = `{"$schema":"https://json-schema.org/draft/2020-12/schema",`

// Schema is one compiled schema of a JSON object.
type Schema struct {
	raw      json.RawMessage
	names    []string // of the properties, as published
	compiled *jsonschema.Schema
}

// Parse compiles a schema of an object. It must begin with its dialect, and
// may refer to nothing outside itself.
func Parse(source []byte) (*Schema, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, source); err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(compact.Bytes(), []byte(dialect))
	if !ok {
		return nil, errors.New("it must begin with $schema and the 2020-12 dialect")
	}
	compiled, err := compile(source)
	if err != nil {
		return nil, err
	}
	if oneType(compiled) != "object" {
		return nil, errors.New("its type must be object")
	}
	s := &Schema{raw: append([]byte{'{'}, rest...), compiled: compiled}
	if s.names, err = propertyNames(source); err != nil {
		return nil, err
	}
	return s, nil
}

func compile(source []byte) (*jsonschema.Schema, error) {
	const here = "counterfoil:/schema.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{}) // no file and no address is ever read
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	return c.Compile(here)
}

// propertyNames reads the names of the properties in the order in which they
// are written.
func propertyNames(source []byte) ([]string, error) {
	var top struct {
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(source, &top); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(top.Properties))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read its properties: %w", err)
	}
	var names []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// Raw is the schema as published in a tool list: compact, in the order in
// which it was written, without its dialect.
func (s *Schema) Raw() json.RawMessage { return slices.Clone(s.raw) }

// Names are the names of the object's properties, in the order in which they
// are published.
func (s *Schema) Names() []string { return slices.Clone(s.names) }

// Type is a property's one JSON type: string, integer, array and so on; ok is
// false where there is no such property.
func (s *Schema) Type(name string) (jsonType string, ok bool) {
	property, ok := s.compiled.Properties[name]
	return oneType(property), ok
}

// ItemType is the one JSON type of the entries of a property that is an array;
// empty for every other one.
func (s *Schema) ItemType(name string) string {
	property, ok := s.compiled.Properties[name]
	if !ok {
		return ""
	}
	return oneType(property.Items2020)
}

func oneType(s *jsonschema.Schema) string {
	if s == nil || s.Types == nil {
		return ""
	}
	return strings.Join(s.Types.ToStrings(), " or ")
}

// Check holds one JSON value against the schema and returns what is wrong with
// it first, or nil. An integer is digits: 118.0 and 1e2 are none, although JSON
// Schema would take them.
func (s *Schema) Check(raw []byte) *Violation {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return &Violation{Rule: "must be one JSON object"}
	}
	err = s.compiled.Validate(digitsOnly(value))
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &Violation{Rule: "cannot be checked"}
	}
	return s.first(invalid)
}
