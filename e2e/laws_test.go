//go:build unix

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// An answer, as far as the laws speak of it.
type answered struct {
	Verdict           string
	Outcome           string
	DoNotRetry        *bool `json:"do_not_retry"`
	Retry             string
	RetryAfterSeconds *int `json:"retry_after_seconds"`
	Reason            string
	IntentKey         string `json:"intent_key"`
	Attempts          *int
	Evidence          string
	Escalation        *struct{ ID, State string }
	Recorded          *bool
	Environment       string
}

// The order of an answer's members.
var (
	effectIDs = []string{"refund_id", "message_id", "booking_id", "replacement_id", "handoff_id"}
	writeKeys = slices.Concat(
		[]string{
			"verdict", "outcome", "do_not_retry", "retry", "retry_after_seconds", "reason", "note", "tell_customer",
			"intent_key", "attempts", "evidence", "confirmed_at",
		},
		effectIDs,
		[]string{"cents", "currency", "status", "at", "escalation", "told", "related", "recorded", "environment"},
	)
	readOutcomes = []string{"found", "not_found", "unreachable", "invalid_arguments"}
)

// what a reason goes with: an outcome, and what the caller may do next.
var reasons = map[string]string{
	"invalid_arguments":     "not_performed fix_and_retry",
	"unknown_id":            "not_performed fix_and_retry",
	"not_on_ticket":         "not_performed fix_and_retry",
	"exceeds_paid":          "not_performed fix_and_retry",
	"acknowledge_earlier":   "not_performed fix_and_retry",
	"blocked_by_open":       "not_performed wait_and_retry never",
	"approval_required":     "not_performed never",
	"declined":              "not_performed never",
	"cap_reached":           "not_performed never",
	"paused":                "not_performed never",
	"authority_unreachable": "not_performed wait_and_retry",
	"not_sent":              "not_performed wait_and_retry",
	"absent_after_lookup":   "not_performed wait_and_retry never",
	"refused_by_authority":  "not_performed wait_and_retry never",
	"repeat_not_allowed":    "not_performed never",
	"cancelled":             "not_performed wait_and_retry",
	"ledger_unavailable":    "not_performed wait_and_retry",
	"internal_error":        "not_performed wait_and_retry",
	"attempts_exhausted":    "unknown never",
	"lookup_unavailable":    "unknown never",
	"lookup_too_weak":       "unknown never",
	"in_flight":             "unknown never",
	"mismatch_at_authority": "unknown never",
	"queued_for_delivery":   "unknown never",
}

func isAnswer(text []byte) bool {
	_, there := member(text, "outcome")
	return there
}

// heard holds an answer to the laws and keeps it for tally.
func heard(ts *testscript.TestScript, text []byte) answered {
	a, err := lawful(text)
	ts.Check(err)
	s := stageOf(ts)
	s.answers = append(s.answers, bytes.TrimSpace(text))
	return a
}

// lawful holds an answer to the laws.
func lawful(text []byte) (a answered, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("the answer is not JSON: %w\n%s", err, text)
	}
	keys, err := membersOf(text)
	if err != nil {
		return a, fmt.Errorf("the answer: %w\n%s", err, text)
	}
	var breaches []string
	if slices.Contains(readOutcomes, a.Outcome) && a.Retry == "" {
		breaches = readLaws(a, keys)
	} else {
		breaches = append(writeLaws(a, keys), wordLaws(a, text)...)
	}
	if len(breaches) > 0 {
		return a, fmt.Errorf("an answer that CONTRACT does not allow: %s\n%s", strings.Join(breaches, "; "), text)
	}
	return a, nil
}

// membersOf returns an object's keys in their order; a null is an error.
func membersOf(text []byte) ([]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var keys []string
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		if string(value) == "null" {
			return nil, fmt.Errorf("%v is null", token)
		}
		keys = append(keys, fmt.Sprint(token))
	}
	return keys, nil
}

func readLaws(a answered, keys []string) (breaches []string) {
	if len(keys) < 2 || keys[0] != "verdict" || keys[1] != "outcome" || a.Verdict == "" {
		breaches = append(breaches, "it does not begin with verdict and outcome")
	}
	if a.Environment != "sandbox" {
		breaches = append(breaches, "environment is not sandbox")
	}
	return breaches
}

// writeLaws are those of form.
func writeLaws(a answered, keys []string) (breaches []string) {
	breach := func(broken bool, law string) {
		if broken {
			breaches = append(breaches, law)
		}
	}
	last := -1
	for _, key := range keys {
		place := slices.Index(writeKeys, key)
		breach(place <= last, key+" is unknown or out of order")
		last = place
	}
	breach(a.Verdict == "", "no verdict")
	breach(a.DoNotRetry == nil || *a.DoNotRetry != (a.Retry == "never" || a.Retry == "not_needed"), "do_not_retry does not say what retry says")
	breach(a.RetryAfterSeconds != nil && (a.Retry != "wait_and_retry" || *a.RetryAfterSeconds < 1), "retry_after_seconds")
	breach(a.Attempts == nil || *a.Attempts < 0, "attempts")
	breach(a.IntentKey != "" && !intentKey.MatchString(a.IntentKey), "intent_key")
	breach(!slices.Contains([]string{"", "provider_response", "provider_lookup", "ledger", "person"}, a.Evidence), "evidence")
	breach(a.Recorded != nil && *a.Recorded, "recorded is there though true")
	breach(a.Environment != "sandbox", "environment is not sandbox")
	esc := a.Escalation
	breach(esc != nil && (esc.ID == "" || esc.State != "delivered" && esc.State != "queued"), "escalation")
	return breaches
}

var (
	failLetters = regexp.MustCompile(`(?i)fail`)
	silent      = []string{"in_flight", "queued_for_delivery"} // unknowns that tell nobody
)

// wordLaws are those of meaning.
func wordLaws(a answered, text []byte) (breaches []string) {
	breach := func(broken bool, law string) {
		if broken {
			breaches = append(breaches, law)
		}
	}
	ids := 0
	for _, id := range effectIDs {
		if _, there := member(text, id); there {
			ids++
		}
	}
	switch a.Outcome {
	case "performed", "already_performed":
		breach(a.Retry != "not_needed" || a.Reason != "", "a performed one needs no retry and no reason")
		breach(ids != 1 || a.IntentKey == "" || a.Evidence == "", "a performed one has an effect's id, a key and evidence")
		return breaches
	case "not_performed", "unknown":
	default:
		return []string{"outcome"}
	}
	allowed := strings.Fields(reasons[a.Reason])
	breach(len(allowed) == 0 || allowed[0] != a.Outcome || !slices.Contains(allowed[1:], a.Retry), "reason, outcome and retry do not go together")
	note, _ := member(text, "note")
	breach(note == "", "no next step")
	if a.Outcome == "unknown" {
		breach(failLetters.Match(text), `an unknown contains "fail"`)
		breach(a.IntentKey == "", "an unknown has no key")
		breach(a.Escalation == nil && !slices.Contains(silent, a.Reason), "an unknown that told nobody")
		breach(a.Escalation != nil && slices.Contains(silent, a.Reason) && a.Reason == "in_flight", "an unknown that may yet end by itself told somebody")
	}
	return breaches
}
