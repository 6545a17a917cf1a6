package tools

import (
	"bytes"
	"encoding/json"
)

// canonicalJSON writes v with sorted names, no white space and numbers as they
// are: RFC 8785, but that U+2028 and U+2029 are escaped.
func canonicalJSON(v any) (json.RawMessage, error) {
	ordered, err := plainJSON(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(ordered))
	dec.UseNumber()
	var sorted any
	if err := dec.Decode(&sorted); err != nil {
		return nil, err
	}
	return plainJSON(sorted)
}

// plainJSON writes v on one line, without the escapes that only HTML needs.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
