package demo_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"counterfoil/cli/demo"
)

func run(t *testing.T, asJSON bool) string {
	t.Helper()
	var out bytes.Buffer
	err := demo.Run(t.Context(), demo.Options{
		Out: &out, JSON: asJSON, Now: time.Now, NewID: uuid.NewString, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

func TestDemo(t *testing.T) {
	t.Parallel()
	text := run(t, false)
	for _, want := range []string{
		`{"error": "refund failed: upstream timeout"}`, "left with -$47.00", "left with $71.00",
		"outcome   performed\n", "outcome   already_performed\n", "Two were paid.", "One was paid.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, "%!") {
		t.Error("it has codes in it that are not for a reader")
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n >= 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestDemoJSON(t *testing.T) {
	t.Parallel()
	var told demo.Told
	if err := json.Unmarshal([]byte(run(t, true)), &told); err != nil {
		t.Fatal(err)
	}
	if told.Before.Refunds != 2 || told.Before.SellerBalanceCents != -4700 || len(told.Before.ModelRead) != 2 {
		t.Errorf("before: %+v", told.Before)
	}
	if told.After.Refunds != 1 || told.After.SellerBalanceCents != 7100 || len(told.After.ModelRead) != 2 || len(told.After.Ledger) != 1 {
		t.Errorf("after: %+v", told.After)
	}
}
