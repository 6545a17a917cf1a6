//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// looks are what until can repeat.
var looks = map[string]func(ts *testscript.TestScript, want []string) (text string, err error){
	"books":    compareBooks,
	"notified": compareNotified,
	"rows":     compareRows,
}

// until repeats a look until it shows what is wanted. Where sweep is named, a
// sweep comes before each look.
func until(ts *testscript.TestScript, neg bool, args []string) {
	sweeps := len(args) > 0 && args[0] == "sweep"
	var flags []string
	if sweeps {
		for args = args[1:]; len(args) > 0 && looks[args[0]] == nil; args = args[1:] {
			flags = append(flags, args[0])
		}
	}
	if neg || len(args) < 1 || looks[args[0]] == nil {
		ts.Fatalf("usage: until [sweep [FLAG…]] books|rows|notified …")
	}
	bound := time.After(patience)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if sweeps {
			sweepOnce(ts, flags)
		}
		text, err := looks[args[0]](ts, args[1:])
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-bound:
			ts.Fatalf("%v, for %v\n%s", err, patience, text)
		}
	}
}

func sweepOnce(ts *testscript.TestScript, flags []string) {
	_, stderr, code := run(ts, slices.Concat([]string{"sweep"}, timing(ts), flags)...)
	if code != 0 {
		ts.Fatalf("sweep: exit status %d\n%s", code, stderr)
	}
}

func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: rows STATE=N …")
	}
	text, err := compareRows(ts, args)
	fmt.Fprint(ts.Stdout(), text)
	ts.Check(err)
}

// compareRows counts the ledger's rows by state.
func compareRows(ts *testscript.TestScript, want []string) (text string, err error) {
	text, stderr, code := run(ts, "ledger", "list", "--json")
	if code != 0 {
		ts.Fatalf("ledger list: exit status %d\n%s", code, stderr)
	}
	var ledger struct{ Intents []struct{ State string } }
	ts.Check(json.Unmarshal([]byte(text), &ledger))
	got, wanted := map[string]int64{}, map[string]int64{}
	for _, row := range ledger.Intents {
		got[row.State]++
	}
	for _, pair := range want {
		state, n, err := nameAndCount(pair)
		ts.Check(err)
		wanted[state] = n
	}
	if !maps.Equal(got, wanted) {
		return text, fmt.Errorf("the rows: got %v, want %v", got, wanted)
	}
	return text, nil
}
