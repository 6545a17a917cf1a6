package intent_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"counterfoil/intent"
)

var update = flag.Bool("update", false, "rewrite golden files")

// vector is one golden key: whoever changes the derivation changes the keys of
// every ledger that exists.
type vector struct {
	Account     string        `json:"account"`
	Tool        string        `json:"tool"`
	Facts       []intent.Fact `json:"facts"`
	Key         intent.Key    `json:"key"`
	ProviderKey string        `json:"provider_key"`
	Secret      string        `json:"provider_key_with_secret"`
}

func TestGoldenKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "keys.golden.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var golden []vector
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	derived := make([]vector, len(golden))
	for i, v := range golden {
		v.Key = intent.DeriveKey(v.Account, v.Tool, v.Facts)
		v.ProviderKey = intent.ProviderKey(nil, v.Key, 0, "sandbox", v.Account, 0)
		v.Secret = intent.ProviderKey([]byte("a secret"), v.Key, 1, "sandbox", v.Account, 1)
		derived[i] = v
	}
	if *update {
		out, err := json.MarshalIndent(derived, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(out, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(golden, derived); diff != "" {
		t.Errorf("keys differ from the golden ones (-golden +derived):\n%s", diff)
	}
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	key := intent.DeriveKey("acct", "tool", nil)
	text := key.String()
	if !regexp.MustCompile(`^cf1_[a-z2-7]{52}$`).MatchString(text) {
		t.Errorf("key %q", text)
	}
	if back, err := intent.ParseKey(text); err != nil || back != key {
		t.Errorf("ParseKey(%q) = %v, %v", text, back, err)
	}
	for _, bad := range []string{"", "cf1_", text[:55], text + "a", "cf2" + text[3:], "CF1_" + text[4:], text[:55] + "b", text[:55] + "1"} {
		if _, err := intent.ParseKey(bad); err == nil && bad != text {
			t.Errorf("ParseKey(%q) was taken", bad)
		}
	}
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(intent.ProviderKey(nil, key, 3, "p", "a", 0)) {
		t.Error("a provider key is not 32 lower-case hex characters")
	}
}

func factsGen() *rapid.Generator[[]intent.Fact] {
	word := rapid.StringMatching(`[ab:0-9]{0,4}`)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) intent.Fact {
		return intent.Fact{Name: word.Draw(t, "name"), Value: word.Draw(t, "value")}
	}), 0, 4)
}

// Distinct facts have distinct keys, whatever separators they contain, and the
// order of the facts is none of them.
func TestKeysAreInjective(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab:0-9]{0,4}`)
		a, b := factsGen().Draw(t, "a"), factsGen().Draw(t, "b")
		accountA, accountB := word.Draw(t, "accountA"), word.Draw(t, "accountB")
		same := accountA == accountB && sameFacts(a, b)
		if got := intent.DeriveKey(accountA, "t", a) == intent.DeriveKey(accountB, "t", b); got != same {
			t.Errorf("keys equal %v, facts equal %v: %q %v, %q %v", got, same, accountA, a, accountB, b)
		}
	})
}

func sameFacts(a, b []intent.Fact) bool {
	count := map[intent.Fact]int{}
	for _, f := range a {
		count[f]++
	}
	for _, f := range b {
		count[f]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// Everything that must not be one key differs in one.
func TestKeysDiffer(t *testing.T) {
	t.Parallel()
	base := intent.DeriveKey("a", "t", []intent.Fact{{Name: "x", Value: "1"}})
	others := map[string]intent.Key{
		"another account": intent.DeriveKey("b", "t", []intent.Fact{{Name: "x", Value: "1"}}),
		"another tool":    intent.DeriveKey("a", "u", []intent.Fact{{Name: "x", Value: "1"}}),
		"another value":   intent.DeriveKey("a", "t", []intent.Fact{{Name: "x", Value: "2"}}),
		"another name":    intent.DeriveKey("a", "t", []intent.Fact{{Name: "y", Value: "1"}}),
		"a step":          intent.StepKey(base, 1),
		"another step":    intent.StepKey(base, 2),
		"an escalation":   intent.EscalationKey(base, intent.CauseUnknown, 0),
		"another episode": intent.EscalationKey(base, intent.CauseUnknown, 1),
		"another cause":   intent.EscalationKey(base, intent.CauseApproval, 0),
	}
	seen := map[intent.Key]string{base: "the key"}
	for name, key := range others {
		if earlier, there := seen[key]; there {
			t.Errorf("%s and %s are one key", name, earlier)
		}
		seen[key] = name
	}
	provider := map[string]bool{}
	for ordinal := range 3 {
		for step := range 3 {
			provider[intent.ProviderKey(nil, base, ordinal, "p", "a", step)] = true
		}
	}
	provider[intent.ProviderKey(nil, base, 0, "q", "a", 0)] = true
	provider[intent.ProviderKey(nil, base, 0, "p", "b", 0)] = true
	provider[intent.ProviderKey([]byte("s"), base, 0, "p", "a", 0)] = true
	if len(provider) != 12 {
		t.Errorf("%d provider keys, want 12 distinct ones", len(provider))
	}
}

func TestTextFact(t *testing.T) {
	t.Parallel()
	base := intent.TextFact("text", "Where is the café order?")
	for _, same := range []string{"  Where is\tthe café\n order? ", "Where is the cafe\u0301 order?", "Where\u00a0is the café order?"} {
		if got := intent.TextFact("text", same); got != base {
			t.Errorf("%q is another text", same)
		}
	}
	for _, other := range []string{"Where is the cafe order?", "where is the café order?", "Where is the café order", ""} {
		if got := intent.TextFact("text", other); got == base {
			t.Errorf("%q is the same text", other)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cents    int64
		currency string
		want     string
	}{
		{11800, "USD", "118.00 USD"},
		{5, "USD", "0.05 USD"},
		{-4700, "USD", "-47.00 USD"},
		{118, "JPY", "118 JPY"},
		{1234, "KWD", "1.234 KWD"},
		{7, "", "7"},
		{0, "EUR", "0.00 EUR"},
	}
	for _, tt := range tests {
		if got := intent.Money(tt.cents, tt.currency); got != tt.want {
			t.Errorf("Money(%d, %q) = %q, want %q", tt.cents, tt.currency, got, tt.want)
		}
	}
}
