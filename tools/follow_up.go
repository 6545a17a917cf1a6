package tools

import (
	"fmt"

	"counterfoil/intent"
)

// latestEffect is the newest effect in a scope, by when the authority made it.
func latestEffect(around []intent.Row, scope string) (intent.Row, bool) {
	var latest intent.Row
	found := false
	for _, row := range around {
		stands := row.Scope == scope && row.State == intent.StatePerformed && row.EffectID != ""
		if stands && (!found || row.EffectAt.After(latest.EffectAt)) {
			latest, found = row, true
		}
	}
	return latest, found
}

// followUp asks for follow_up_to where something has been done in the scope
// before, and refuses one that names anything but the latest effect there. A
// deliberate repeat names it by again_after.
func followUp(latest intent.Related, given, againAfter string) *intent.Refusal {
	if given == latest.EffectID || againAfter == latest.EffectID {
		return nil
	}
	problem := "follow_up_to is missing"
	if given != "" {
		problem = "follow_up_to does not name the latest effect"
	}
	did := ""
	if latest.Tool != "" {
		did = latest.Tool + " "
	}
	return &intent.Refusal{
		Reason: intent.ReasonAcknowledge, Retry: intent.RetryFix,
		Verdict: fmt.Sprintf("Nothing was sent: %s%s has been done here before, and %s.", did, latest.EffectID, problem),
		Note:    fmt.Sprintf("If that already covers this, do not ask again. If this one is due on top of it, ask with follow_up_to %s.", latest.EffectID),
		Related: []intent.Related{latest},
	}
}

// followUpIn is followUp on the ledger's view of a scope.
func followUpIn(v intent.View, scope, given, againAfter string) intent.Judgement {
	if latest, ok := latestEffect(v.Around, scope); ok {
		if refusal := followUp(intent.Relate(latest), given, againAfter); refusal != nil {
			return *refusal
		}
	}
	return intent.Allowed{}
}
