package schemas

import (
	"encoding/json"
	"fmt"
)

// Brief is what a tool list bears of a result's schema: the names of its
// members, the type of each, and the closed lists of its outcome and retry. A
// tool list is in every prompt, and the whole schema would be most of it; what
// satisfies the whole one satisfies this one.
func (s *Schema) Brief() (json.RawMessage, error) {
	var whole struct {
		Properties map[string]struct {
			Type string   `json:"type"`
			Enum []string `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(s.raw, &whole); err != nil {
		return nil, fmt.Errorf("shorten a schema: %w", err)
	}
	out := []byte(`{"type":"object","properties":{`)
	for i, name := range s.names {
		if i > 0 {
			out = append(out, ',')
		}
		property := map[string]any{"type": whole.Properties[name].Type}
		if name == "outcome" || name == "retry" {
			property["enum"] = whole.Properties[name].Enum
		}
		text, err := json.Marshal(property)
		if err != nil {
			return nil, fmt.Errorf("shorten a schema: %w", err)
		}
		out = fmt.Appendf(out, "%q:%s", name, text)
	}
	required, err := json.Marshal(whole.Required)
	if err != nil {
		return nil, fmt.Errorf("shorten a schema: %w", err)
	}
	return fmt.Appendf(out, `},"required":%s}`, required), nil
}
