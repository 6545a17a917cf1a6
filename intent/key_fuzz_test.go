package intent_test

import (
	"testing"

	"counterfoil/intent"
)

// FuzzDeriveKey: two intents have one key only if account, tool and facts are
// the same, in whatever order the facts come and whatever separators they hold;
// and ids that differ make scopes that differ.
func FuzzDeriveKey(f *testing.F) {
	for _, seed := range [][2][6]string{
		{{"a", "t", "n", "v", "m", "w"}, {"a", "t", "m", "w", "n", "v"}},
		{{"a:b", "c", "", "", "", ""}, {"a", "b:c", "", "", "", ""}},
		{{"a", "t", "n", "1:m", "", ""}, {"a", "t", "n", "1", "m", ""}},
		{{"1:a", "", "n", "v", "n", "v"}, {"1:a", "", "n", "v", "n", "w"}},
		{{"", "", "/", "%2F", ":", "%"}, {"", "", "%2F", "/", "%", ":"}},
	} {
		a, b := seed[0], seed[1]
		f.Add(a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5])
	}
	f.Fuzz(func(t *testing.T, accountA, toolA, nameA, valueA, nameA2, valueA2, accountB, toolB, nameB, valueB, nameB2, valueB2 string) {
		a := []intent.Fact{{Name: nameA, Value: valueA}, {Name: nameA2, Value: valueA2}}
		b := []intent.Fact{{Name: nameB, Value: valueB}, {Name: nameB2, Value: valueB2}}
		same := accountA == accountB && toolA == toolB && sameFacts(a, b)
		if got := intent.DeriveKey(accountA, toolA, a) == intent.DeriveKey(accountB, toolB, b); got != same {
			t.Errorf("keys equal %v, intents equal %v: %q %q %q, %q %q %q", got, same, accountA, toolA, a, accountB, toolB, b)
		}
		if got := intent.DeriveFingerprint(accountA, toolA, a) == intent.DeriveFingerprint(accountB, toolB, b); got != same {
			t.Errorf("fingerprints equal %v, calls equal %v: %q %q", got, same, a, b)
		}
		if intent.DeriveKey(accountA, toolA, a[:1]) == intent.DeriveKey(accountA, toolA, a) {
			t.Errorf("a fact more or less is no difference: %q", a)
		}
		same = nameA == nameB && valueA == valueB
		if got := intent.Scope("talk", nameA, valueA) == intent.Scope("talk", nameB, valueB); got != same {
			t.Errorf("scopes equal %v, ids equal %v: %q %q, %q %q", got, same, nameA, valueA, nameB, valueB)
		}
	})
}
