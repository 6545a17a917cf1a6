package schemas

import (
	"encoding/json"
	"strings"
)

// notWhole stands for every number that is not written with digits only. It is
// of no type that our schemas know, and harmless: the library would work out
// 1e999999999 to its last digit.
const notWhole = json.Number("0.5")

// digitsOnly replaces numbers with a fraction or an exponent by notWhole.
func digitsOnly(value any) any {
	switch v := value.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return notWhole
		}
	case []any:
		for i := range v {
			v[i] = digitsOnly(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = digitsOnly(v[name])
		}
	}
	return value
}
