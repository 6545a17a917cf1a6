package store_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/store"
)

func TestSchemaKnowsTheLists(t *testing.T) {
	t.Parallel()
	var text string
	err := open(t, newPath(t)).ReadSQL(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'intents'", nil,
		func(scan func(...any) error) error { return scan(&text) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(intent.States(), listed[intent.State](t, text, "state")); diff != "" {
		t.Errorf("states (-intent +schema):\n%s", diff)
	}
	if diff := cmp.Diff(intent.Reasons(), listed[intent.Reason](t, text, "reason")); diff != "" {
		t.Errorf("reasons (-intent +schema):\n%s", diff)
	}
}

// listed are the values that a CHECK constraint lets a column have, beside none.
func listed[T ~string](t *testing.T, schema, column string) (values []T) {
	t.Helper()
	for _, value := range regexp.MustCompile(`\b`+column+` = '([^']+)'`).FindAllStringSubmatch(schema, -1) {
		values = append(values, T(value[1]))
	}
	return values
}

func TestHotQueriesNeverScan(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	for n := range 50 { // so that the planner has something to plan for
		commit(t, l, claim(n))
	}
	if err := l.WriteSQL("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	queries := store.Queries()
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		query := queries[name]
		args := make([]any, parameters(query))
		var plan []string
		err := l.ReadSQL(t.Context(), "EXPLAIN QUERY PLAN "+query, args, func(scan func(...any) error) error {
			var id, parent, unused int
			var detail string
			if err := scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			plan = append(plan, detail)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, step := range plan {
			if scans(step) {
				t.Errorf("%s scans:\n%s", name, strings.Join(plan, "\n"))
			}
		}
	}
}

// parameters is how many values a query takes.
func parameters(query string) int {
	bare := strings.Count(query, "?")
	numbered := regexp.MustCompile(`\?\d+`).FindAllString(query, -1)
	return bare - len(numbered) + len(slices.Compact(slices.Sorted(slices.Values(numbered))))
}

// scans reports whether a step of a plan reads a whole table. The rows that are
// due or in flight are few, and of the ledger's own table there is one.
func scans(step string) bool {
	for _, few := range []string{"SCAN ledger", "SCAN json_each", "ROW VALUES CLAUSE", "USING INDEX intents_due", "USING COVERING INDEX intents_due", "CONSTANT ROW"} {
		if strings.Contains(step, few) {
			return false
		}
	}
	return strings.HasPrefix(step, "SCAN")
}

func TestHistoryIsNeverChanged(t *testing.T) {
	t.Parallel()
	l := open(t, newPath(t))
	c := claim(1)
	c.Attempt = &intent.Attempt{Answer: "ambiguous"}
	c.Decision = &intent.Decision{Verb: "release"}
	c.Escalate = []intent.Escalation{{Key: key(9), Cause: intent.CauseUnknown}}
	commit(t, l, c)
	for _, statement := range []string{
		"DELETE FROM intents", "DELETE FROM attempts", "DELETE FROM decisions", "DELETE FROM escalations",
		"UPDATE attempts SET answer = 'performed'", "UPDATE decisions SET who = 'nobody'",
		"UPDATE intents SET state = 'done'", "UPDATE intents SET reason = 'because'",
	} {
		if err := l.WriteSQL(statement); err == nil {
			t.Errorf("%s: want an error", statement)
		}
	}
}
