// Package schemas holds the published JSON Schemas of the tools: one of the
// arguments of each tool, one of the results of all that write, and one of the
// results of all that read. They are written by hand, in draft 2020-12.
package schemas

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.json
var files embed.FS

// The results' schemas; every other file is named after its tool.
const (
	writeResult = "write_result"
	readResult  = "read_result"
)

// Set is all schemas, compiled.
type Set struct{ byName map[string]*Schema }

// Load compiles every schema. An error means that this binary must not serve:
// a schema that does not compile would let anything through.
func Load() (*Set, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("read the schemas: %w", err)
	}
	set := &Set{byName: make(map[string]*Schema, len(entries))}
	for _, entry := range entries {
		source, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read schema %s: %w", entry.Name(), err)
		}
		schema, err := Parse(source)
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", entry.Name(), err)
		}
		set.byName[strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))] = schema
	}
	for _, name := range []string{writeResult, readResult} {
		if set.byName[name] == nil {
			return nil, fmt.Errorf("schema %s is missing", name)
		}
	}
	return set, nil
}

// Input is the schema of a tool's arguments, nil where there is none.
func (s *Set) Input(tool string) *Schema {
	if tool == writeResult || tool == readResult {
		return nil
	}
	return s.byName[tool]
}

// WriteResult is the schema of the result of every tool that writes.
func (s *Set) WriteResult() *Schema { return s.byName[writeResult] }

// ReadResult is the schema of the result of every tool that reads.
func (s *Set) ReadResult() *Schema { return s.byName[readResult] }
