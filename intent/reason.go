package intent

// Reason is the code that says why nothing happened, or why it is not known.
type Reason string

// The reason codes, a closed list.
const (
	ReasonInvalidArguments Reason = "invalid_arguments"     // the arguments break the tool's schema
	ReasonUnknownID        Reason = "unknown_id"            // the authority has no such order, item, ticket …
	ReasonNotOnTicket      Reason = "not_on_ticket"         // the order does not list the ticket
	ReasonExceedsPaid      Reason = "exceeds_paid"          // more than was paid for the item or the order
	ReasonAcknowledge      Reason = "acknowledge_earlier"   // expected_refunded_cents or follow_up_to is missing or stale
	ReasonBlockedByOpen    Reason = "blocked_by_open"       // another intent in the same scope is open
	ReasonApproval         Reason = "approval_required"     // over a limit: a person must allow it
	ReasonDeclined         Reason = "declined"              // a person said no
	ReasonCapReached       Reason = "cap_reached"           // a cap that nobody may lift
	ReasonPaused           Reason = "paused"                // the tool or its class is switched off
	ReasonUnreachable      Reason = "authority_unreachable" // the reads that come first could not be had
	ReasonNotSent          Reason = "not_sent"              // provably no byte of the request left
	ReasonAbsent           Reason = "absent_after_lookup"   // looked for and not there
	ReasonRefused          Reason = "refused_by_authority"  // the authority said no, for good or for now
	ReasonRepeatNotAllowed Reason = "repeat_not_allowed"    // again_after without a person's leave
	ReasonExhausted        Reason = "attempts_exhausted"    // two ambiguous sends of an irreversible act
	ReasonCancelled        Reason = "cancelled"             // withdrawn before anything was claimed
	ReasonLedger           Reason = "ledger_unavailable"    // the ledger cannot be written, so nothing was sent
	ReasonLookupDown       Reason = "lookup_unavailable"    // ambiguous, and the lookup could not be had
	ReasonLookupWeak       Reason = "lookup_too_weak"       // ambiguous, and no lookup here can prove absence
	ReasonInFlight         Reason = "in_flight"             // another call is still at it
	ReasonMismatch         Reason = "mismatch_at_authority" // our key is there with other facts
	ReasonQueued           Reason = "queued_for_delivery"   // a handoff that is still in the outbox
	ReasonInternal         Reason = "internal_error"        // a fault of ours, before anything was claimed
)

// Reasons is the closed list, in the contract's order.
func Reasons() []Reason {
	return []Reason{
		ReasonInvalidArguments, ReasonUnknownID, ReasonNotOnTicket, ReasonExceedsPaid, ReasonAcknowledge,
		ReasonBlockedByOpen, ReasonApproval, ReasonDeclined, ReasonCapReached, ReasonPaused, ReasonUnreachable,
		ReasonNotSent, ReasonAbsent, ReasonRefused, ReasonRepeatNotAllowed, ReasonExhausted, ReasonCancelled,
		ReasonLedger, ReasonLookupDown, ReasonLookupWeak, ReasonInFlight, ReasonMismatch, ReasonQueued, ReasonInternal,
	}
}

// Means says what a reason means, a clause for a reader.
func (r Reason) Means() string {
	switch r {
	case ReasonInvalidArguments:
		return "the arguments break the tool's schema"
	case ReasonUnknownID:
		return "the authority has no such order, item, ticket …"
	case ReasonNotOnTicket:
		return "the order does not list the ticket"
	case ReasonExceedsPaid:
		return "more than was paid for the item or the order"
	case ReasonAcknowledge:
		return "expected_refunded_cents or follow_up_to is missing or stale"
	case ReasonBlockedByOpen:
		return "another intent in the same scope is open"
	case ReasonApproval:
		return "over a limit: a person must allow it"
	case ReasonDeclined:
		return "a person said no"
	case ReasonCapReached:
		return "a cap that nobody may lift"
	case ReasonPaused:
		return "the tool or its class is switched off"
	case ReasonUnreachable:
		return "the reads that come first could not be had"
	case ReasonNotSent:
		return "provably no byte of the request left"
	case ReasonAbsent:
		return "looked for and not there"
	case ReasonRefused:
		return "the authority said no, for good or for now"
	case ReasonRepeatNotAllowed:
		return "again_after without a person's leave"
	case ReasonExhausted:
		return "two ambiguous sends of an irreversible act"
	case ReasonCancelled:
		return "withdrawn before anything was claimed"
	case ReasonLedger:
		return "the ledger cannot be written, so nothing was sent"
	case ReasonLookupDown:
		return "ambiguous, and the lookup could not be had"
	case ReasonLookupWeak:
		return "ambiguous, and no lookup here can prove absence"
	case ReasonInFlight:
		return "another call is still at it"
	case ReasonMismatch:
		return "our key is there with other facts"
	case ReasonQueued:
		return "a handoff that is still in the outbox"
	case ReasonInternal:
		return "a fault of ours, before anything was claimed"
	}
	return ""
}
