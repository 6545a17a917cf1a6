package store

import (
	"errors"

	"counterfoil/intent"
)

// check is what is wrong with a change, whatever the ledger holds. What a row
// may contain is the schema's to say.
func check(c intent.Change) error {
	if c.Row == nil {
		if ofRow(c) {
			return errors.New("a change of a row without the row")
		}
	} else {
		if c.Row.Key.IsZero() {
			return errors.New("a row without a key")
		}
		if c.Seen == 0 && len(c.Resources) == 0 {
			return errors.New("a new row that touches nothing")
		}
	}
	for _, f := range c.Followers {
		if f.Row.Key.IsZero() {
			return errors.New("a follower without a key")
		}
	}
	for _, e := range c.Escalate {
		if e.Key.IsZero() {
			return errors.New("an escalation without a key")
		}
	}
	return nil
}

// ofRow reports whether a change says anything that needs a row.
func ofRow(c intent.Change) bool {
	return c.Seen != 0 || c.Act != nil || c.Resources != nil || c.Fingerprints != nil || c.Since != 0 ||
		c.Exclusive || c.Attempt != nil || c.Decision != nil || c.Followers != nil
}

// subject is what a change is about, for an error.
func subject(c intent.Change) string {
	switch {
	case c.Row != nil && c.Seen == 0 && c.Row.State == intent.StateInFlight:
		return "claim " + c.Row.Key.String()
	case c.Row != nil:
		return "commit " + c.Row.Key.String()
	case c.Update != nil:
		return "commit escalation " + c.Update.Key.String()
	}
	return "commit"
}
