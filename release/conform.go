package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// conform says where a JSON file breaks a JSON schema, formats included. Nothing
// is fetched: a schema that refers to another address is refused.
func conform(schemaPath, path string) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(schemaPath)
	if err != nil {
		return fmt.Errorf("conform: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("conform: %s: %w", path, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("conform: %s: %w", path, err)
	}
	return nil
}
