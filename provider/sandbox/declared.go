package sandbox

import (
	"fmt"
	"strings"
	"time"

	"counterfoil/intent"
)

// declared is what the marketplace declares of one kind of effect, in its own
// words.
type declared struct {
	Dedupe       string `json:"dedupe"`
	Lookup       string `json:"lookup"`
	LandsWithin  string `json:"lands_within"`
	ErrorsStored bool   `json:"errors_stored"`
}

// declaredBy reads the declarations by collection. What is not declared stays
// at its cautious zero value; a word that we do not know is an error.
func declaredBy(all map[string]declared) (map[string]intent.Capabilities, error) {
	caps := make(map[string]intent.Capabilities, len(all))
	for collection, d := range all {
		c, err := d.capabilities()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", collection, err)
		}
		caps[collection] = c
	}
	return caps, nil
}

func (d declared) capabilities() (intent.Capabilities, error) {
	dedupe, err := span("dedupe", d.Dedupe)
	if err != nil {
		return intent.Capabilities{}, err
	}
	lands, err := span("lands_within", d.LandsWithin)
	if err != nil {
		return intent.Capabilities{}, err
	}
	kind, delay, err := lookupOf(d.Lookup)
	if err != nil {
		return intent.Capabilities{}, err
	}
	return intent.Capabilities{
		Dedupe:       dedupe,
		ErrorsStored: d.ErrorsStored && dedupe > 0, // stored under a key that is not kept is not stored
		Lookup:       kind,
		LookupDelay:  delay,
		LandsWithin:  lands,
	}, nil
}

func lookupOf(word string) (intent.LookupKind, time.Duration, error) {
	switch word {
	case "", "none":
		return intent.LookupNone, 0, nil
	case "webhook":
		return intent.LookupWebhook, 0, nil
	case "read_after_write":
		return intent.LookupReadAfterWrite, 0, nil
	}
	if after, ok := strings.CutPrefix(word, "delayed:"); ok {
		delay, err := span("lookup delay", after)
		if err == nil && delay == 0 {
			err = fmt.Errorf("lookup %q has no delay", word)
		}
		return intent.LookupDelayed, delay, err
	}
	return intent.LookupNone, 0, fmt.Errorf("lookup %q is not known", word)
}

// span reads a duration; "none" and nothing are zero.
func span(what, value string) (time.Duration, error) {
	if value == "" || value == "none" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s %q is no duration", what, value)
	}
	return d, nil
}
