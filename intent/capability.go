package intent

import "time"

// LookupKind says how far a lookup by intent may be believed.
type LookupKind string

// The kinds of lookup, from the weakest. The zero value is LookupNone.
const (
	LookupNone           LookupKind = ""                 // none: an ambiguous send stays unknown
	LookupWebhook        LookupKind = "webhook"          // the authority tells us, we cannot ask
	LookupDelayed        LookupKind = "delayed"          // absence counts only after LookupDelay
	LookupReadAfterWrite LookupKind = "read_after_write" // absence counts at once
)

// Capabilities are what one provider declares of one operation. Each zero value
// is the cautious one. The engine decides from these alone.
type Capabilities struct {
	// Dedupe is how long the provider treats a repeated key as the same
	// request; zero: it does not.
	Dedupe time.Duration
	// DedupeMargin is how long before the end of Dedupe a key is no longer
	// trusted; zero: a sixth of Dedupe (4 h of 24 h).
	DedupeMargin time.Duration
	// ErrorsStored: an error under a key is replayed under it for as long as
	// Dedupe, so that the key can never act.
	ErrorsStored bool
	// Lookup is the kind of lookup by intent.
	Lookup LookupKind
	// LookupDelay is the delay of LookupDelayed.
	LookupDelay time.Duration
	// LandsWithin bounds the time from a send to its effect; zero: unbounded.
	LandsWithin time.Duration
}

// blind reports whether the provider cannot be asked about an intent.
func (c Capabilities) blind() bool { return c.Lookup == LookupNone || c.Lookup == LookupWebhook }

// dedupesUntilLanded reports whether a repeat under the same key is harmless
// for longer than an earlier send can still land.
func (c Capabilities) dedupesUntilLanded() bool {
	return c.LandsWithin > 0 && c.Dedupe > c.LandsWithin
}

// keyUsableUntil is when a key first sent at opened may no longer be sent.
func (c Capabilities) keyUsableUntil(opened time.Time) time.Time {
	margin := c.DedupeMargin
	if margin == 0 {
		margin = c.Dedupe / 6
	}
	return opened.Add(c.Dedupe - margin)
}

// landedBy is when a send that ended at ended has brought its effect, if it
// brings one at all, and a lookup shows it; the zero time where the provider
// declares no bound.
func (c Capabilities) landedBy(ended time.Time) time.Time {
	if c.LandsWithin == 0 {
		return time.Time{}
	}
	landed := ended.Add(c.LandsWithin)
	if c.Lookup == LookupDelayed {
		landed = landed.Add(c.LookupDelay)
	}
	return landed
}
