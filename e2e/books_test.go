//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// marketBooks is what `counterfoil sandbox effects --json` prints.
type marketBooks struct {
	Effects []struct {
		Kind, ID, Key, Intent, Status, At string
	}
	Sellers []struct {
		ID           string
		BalanceCents int64 `json:"balance_cents"`
	}
}

func books(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: books KIND=N KIND:STATUS=N SELLER=CENTS …")
	}
	text, err := compareBooks(ts, args)
	fmt.Fprint(ts.Stdout(), text)
	ts.Check(err)
}

var (
	intentKey   = regexp.MustCompile(`^cf1_[a-z2-7]{52}$`)
	providerKey = regexp.MustCompile(`^[0-9a-f]{32}$`)
	timestamp   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
)

// compareBooks reads the marketplace's books and compares them. What is wrong in
// them whatever the script expects is fatal.
func compareBooks(ts *testscript.TestScript, want []string) (text string, err error) {
	text, stderr, code := run(ts, "sandbox", "effects", "--json")
	if code != 0 {
		ts.Fatalf("sandbox effects: exit status %d\n%s", code, stderr)
	}
	var got marketBooks
	ts.Check(json.Unmarshal([]byte(text), &got))
	count := map[string]int64{}
	for _, e := range got.Effects {
		count[e.Kind]++
		count[e.Kind+":"+e.Status]++
		if !timestamp.MatchString(e.At) {
			ts.Fatalf("%s %s is of %q", e.Kind, e.ID, e.At)
		}
		if e.Intent != "" && (!intentKey.MatchString(e.Intent) || !providerKey.MatchString(e.Key)) {
			ts.Fatalf("%s %s bears intent %q and key %q", e.Kind, e.ID, e.Intent, e.Key)
		}
	}
	for _, s := range got.Sellers {
		count[s.ID] = s.BalanceCents
	}
	return text, differences(count, want)
}

// differences compares counts with NAME=N pairs; a kind that none of them names
// counts nothing.
func differences(count map[string]int64, want []string) error {
	kinds := map[string]int64{"refund": 0, "message": 0, "pickup": 0, "replacement": 0, "escalation": 0}
	var wrong []string
	compare := func(name string, n int64) {
		if count[name] != n {
			wrong = append(wrong, fmt.Sprintf("%s: got %d, want %d", name, count[name], n))
		}
	}
	for _, pair := range want {
		name, n, err := nameAndCount(pair)
		if err != nil {
			return err
		}
		compare(name, n)
		kind, _, byStatus := strings.Cut(name, ":")
		if _, isKind := kinds[kind]; isKind && byStatus {
			kinds[kind] += n
		}
		if !byStatus {
			delete(kinds, kind)
		}
	}
	for kind, n := range kinds {
		compare(kind, n)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the books: %s", strings.Join(wrong, "; "))
	}
	return nil
}

func nameAndCount(pair string) (name string, n int64, err error) {
	name, value, _ := strings.Cut(pair, "=")
	if n, err = strconv.ParseInt(value, 10, 64); err != nil {
		return "", 0, fmt.Errorf("%q is no NAME=N", pair)
	}
	return name, n, nil
}
