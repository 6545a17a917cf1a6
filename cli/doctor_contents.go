package cli

import (
	"fmt"
	"time"

	"counterfoil/intent"
	"counterfoil/store"
)

// How long a thing may stand before it is worth a word.
const (
	settlesWithin   = 10 * time.Minute // what the sweeper sees to by itself
	toldSoon        = 2 * time.Minute  // the outbox, by its third try
	toldAtTheLatest = time.Hour
)

// contentFindings are what there is to say of what the ledger holds.
func contentFindings(h store.Health, now time.Time) []finding {
	if !h.There || h.Unreadable != nil {
		return nil
	}
	var found []finding
	if len(h.Open) == 0 {
		found = append(found, fine("open acts", "none"))
	}
	for _, s := range h.Open {
		found = append(found, openFinding(s, now))
	}
	return append(found, orphanFinding(h.Orphans, now), outboxFinding(h.Outbox, now))
}

// openFinding is what there is to say of the open acts of one state.
func openFinding(s store.Standing, now time.Time) finding {
	age := now.Sub(s.Since)
	check := "open acts, " + string(s.State)
	says := fmt.Sprintf("%s, the oldest since %s (%s)", counted(s.Count, "act"), lasting(age), s.Oldest)
	show := "counterfoil ledger show " + s.Oldest.String()
	switch s.State {
	case intent.StateUnknown:
		return warns(check, "a person decides: "+show+", look in the provider's books, then counterfoil resolve", "%s", says)
	case intent.StateAwaiting:
		return warns(check, "a person decides: counterfoil approvals list", "%s", says)
	case intent.StateInFlight, intent.StateReady, intent.StateNotPerformed:
		if age > settlesWithin {
			return warns(check, "counterfoil sweep looks it up now; "+show+" says how it stands", "%s", says)
		}
	case intent.StatePerformed: // pending at the provider, which takes its time
	case intent.StateQueued: // its message is in the outbox, which has a finding
	}
	return fine(check, "%s", says)
}

func orphanFinding(s store.Standing, now time.Time) finding {
	const check = "orphaned acts"
	if s.Count == 0 {
		return fine(check, "none")
	}
	return warns(check, "counterfoil sweep looks up what became of them; so does every server that runs",
		"%s in flight whose process is gone, the oldest since %s (%s)", counted(s.Count, "act"), lasting(now.Sub(s.Since)), s.Oldest)
}

func outboxFinding(u store.Untold, now time.Time) finding {
	const check, mend = "outbox", "see whether the desk can be reached, then run counterfoil sweep; until it is delivered, tell the people yourself"
	age := now.Sub(u.Since)
	says := fmt.Sprintf("%s to people not delivered, the oldest for %s; tried up to %s",
		counted(u.Count, "message"), lasting(age), countedAs(u.Tries, "time", "times"))
	if u.Notified > 0 {
		says += fmt.Sprintf("; somebody has been notified of %d", u.Notified)
	}
	switch {
	case u.Count == 0:
		return fine(check, "empty: everybody has been told")
	case age >= toldAtTheLatest && u.Notified < u.Count:
		return wrong(check, mend, "%s", says)
	case age >= toldSoon:
		return warns(check, mend, "%s", says)
	}
	return fine(check, "%s", says)
}
