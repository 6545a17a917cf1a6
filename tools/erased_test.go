package tools_test

import (
	"strings"
	"testing"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
	"counterfoil/tools"
)

// An act whose texts were erased is still spoken of, in general words.
func TestErasedActsHaveWords(t *testing.T) {
	t.Parallel()
	for _, op := range tools.Operations(provider.Marketplace{}, policy.Default) {
		for _, payload := range [][]byte{nil, {}} {
			d := op.Describe(intent.Act{Payload: payload})
			for what, text := range map[string]string{"noun": d.Noun, "what": d.What, "twice": d.Twice, "working": d.Working} {
				if text == "" {
					t.Errorf("%s: no word for %s", op.Tool(), what)
				}
			}
			done := op.Tool() != "reply_to_buyer" // which is itself what they were told
			if (d.Done != "") != done || (d.Pending != "") != done {
				t.Errorf("%s: done %q, pending %q", op.Tool(), d.Done, d.Pending)
			}
			if strings.Contains(d.What+d.Done+d.Undone, "  ") || strings.HasSuffix(d.What, " ") {
				t.Errorf("%s: a gap in %q", op.Tool(), d.What)
			}
		}
	}
}
