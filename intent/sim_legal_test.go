package intent_test

import (
	"strings"

	"counterfoil/intent"
)

// simLegal is the closed table of how a row may change from one state to
// another, in the words of simState. What is not in it is a fault, wherever it
// happens; what is in it must be reached. A + marks what is reached so rarely
// that only a long run has to.
var simLegal = map[string][]string{
	"none": {
		"in_flight", "awaiting_approval", "queued", // a first claim, a limit, a handoff
		"performed", "+pending", "unknown", "+not_performed_for_good", // found before anything was claimed
	},
	"in_flight": {
		"in_flight", // somebody tries to settle it, and learns nothing
		"performed", "pending", "not_performed", "not_performed_for_good", "on_watch", "unknown",
		"ready", // approved, and to be tried again
	},
	"on_watch":               {"on_watch", "in_flight", "not_performed", "performed", "+pending", "+unknown", "+not_performed_for_good"},
	"not_performed":          {"+not_performed", "in_flight", "+awaiting_approval", "performed", "+unknown", "+on_watch", "+not_performed_for_good", "+pending"},
	"not_performed_for_good": {"not_performed_for_good", "in_flight", "awaiting_approval", "+unknown", "+performed", "+pending"}, // opened by a person
	"unknown":                {"unknown", "performed", "on_watch", "not_performed", "not_performed_for_good", "+pending", "+ready"},
	"pending":                {"pending", "performed", "not_performed_for_good", "+unknown"}, // it failed, and seems older than the claim
	"performed":              {"performed", "+pending", "+not_performed_for_good"},           // a person's word, that the authority belies
	"awaiting_approval":      {"awaiting_approval", "ready", "not_performed_for_good", "+unknown", "+performed", "+pending", "+in_flight"},
	"ready":                  {"ready", "in_flight", "awaiting_approval", "unknown", "+performed", "+pending", "+not_performed_for_good"},
	"queued":                 {"queued", "performed"},
}

// simRarely is what only a long run has to reach.
func simRarely(what string) (bare string, rare bool) { return strings.CutPrefix(what, "+") }

// checkLegal holds a change of a row against the table.
func (w *simWorld) checkLegal(before, after intent.Row) {
	from, to := simState(before), simState(after)
	w.cover.transition(from, to)
	for _, legal := range simLegal[from] {
		if bare, _ := simRarely(legal); bare == to {
			return
		}
	}
	w.violate("legal", "%s goes from %s to %s", after.Key, from, to)
}
