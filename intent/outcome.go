package intent

import "time"

// Outcome is what a write tool tells the model. The zero value is not an
// outcome; wherever one is found it reads as Unknown.
type Outcome string

// The four outcomes.
const (
	Performed        Outcome = "performed"         // the effect happened on this call
	AlreadyPerformed Outcome = "already_performed" // the effect exists; nothing was sent now
	NotPerformed     Outcome = "not_performed"     // nothing happened; the reason says why
	Unknown          Outcome = "unknown"           // it could not be determined
)

// Outcomes is the closed list.
func Outcomes() []Outcome { return []Outcome{Performed, AlreadyPerformed, NotPerformed, Unknown} }

// Means says what an outcome means, a clause for a reader.
func (o Outcome) Means() string {
	switch o {
	case Performed:
		return "the effect happened on this call"
	case AlreadyPerformed:
		return "the effect exists from an earlier call, or from another attempt; nothing was sent now"
	case NotPerformed:
		return "nothing happened; `reason` says why"
	case Unknown:
	}
	return "it could not be determined; a person looks into it"
}

// Retries says what may be done after an outcome, a clause for a reader.
func (o Outcome) Retries() string {
	switch o {
	case Performed, AlreadyPerformed:
		return "`not_needed`"
	case NotPerformed:
		return "`wait_and_retry` (the same call once more), `fix_and_retry` (other arguments) or `never`"
	case Unknown:
	}
	return "`never`"
}

// Retry is what the model may do next.
type Retry string

// The retry rules.
const (
	RetryNotNeeded Retry = "not_needed"     // the effect exists
	RetryWait      Retry = "wait_and_retry" // the same call once more, after retry_after_seconds
	RetryFix       Retry = "fix_and_retry"  // other arguments
	RetryNever     Retry = "never"          // a person decides
)

// Evidence is what an answer rests on. Empty where nothing was looked at.
type Evidence string

// The kinds of evidence.
const (
	EvidenceResponse Evidence = "provider_response"
	EvidenceLookup   Evidence = "provider_lookup"
	EvidenceLedger   Evidence = "ledger"
	EvidencePerson   Evidence = "person"
)

// EffectField is the member of a result that bears the effect's id.
type EffectField string

// The effect fields.
const (
	RefundID      EffectField = "refund_id"
	MessageID     EffectField = "message_id"
	BookingID     EffectField = "booking_id"
	ReplacementID EffectField = "replacement_id"
	HandoffID     EffectField = "handoff_id"
)

// Result is the answer of a write tool, one flat shape in every case. Members
// that do not apply are omitted. Times are UTC, amounts minor units.
type Result struct {
	Verdict           string            `json:"verdict"`
	Outcome           Outcome           `json:"outcome"`
	DoNotRetry        bool              `json:"do_not_retry"`
	Retry             Retry             `json:"retry"`
	RetryAfterSeconds int               `json:"retry_after_seconds,omitempty"`
	Reason            Reason            `json:"reason,omitempty"`
	Note              string            `json:"note,omitempty"`
	TellCustomer      string            `json:"tell_customer,omitempty"`
	IntentKey         string            `json:"intent_key,omitempty"`
	Attempts          int               `json:"attempts"`
	Evidence          Evidence          `json:"evidence,omitempty"`
	ConfirmedAt       string            `json:"confirmed_at,omitempty"`
	RefundID          string            `json:"refund_id,omitempty"`
	MessageID         string            `json:"message_id,omitempty"`
	BookingID         string            `json:"booking_id,omitempty"`
	ReplacementID     string            `json:"replacement_id,omitempty"`
	HandoffID         string            `json:"handoff_id,omitempty"`
	Cents             int64             `json:"cents,omitempty"`
	Currency          string            `json:"currency,omitempty"`
	Status            string            `json:"status,omitempty"`
	At                string            `json:"at,omitempty"`
	Escalation        *EscalationResult `json:"escalation,omitempty"`
	Told              []Told            `json:"told,omitempty"`
	Related           []Related         `json:"related,omitempty"`
	Recorded          *bool             `json:"recorded,omitempty"`
	Environment       string            `json:"environment,omitempty"`
}

// EscalationResult says whether a person has been told.
type EscalationResult struct {
	ID    string `json:"id"`
	State string `json:"state"` // delivered: the desk has it; queued: it is in the outbox

	known string // to whom, as a sentence of the note
}

// Told is a reply that the buyer has already had on this ticket.
type Told struct {
	MessageID string `json:"message_id"`
	At        string `json:"at"`
	Text      string `json:"text"` // the first 200 characters
}

// Related is the sibling or earlier effect that an answer speaks of.
type Related struct {
	IntentKey string  `json:"intent_key,omitempty"` // omitted for an effect that is not of our making
	Tool      string  `json:"tool,omitempty"`
	Outcome   Outcome `json:"outcome,omitempty"`
	EffectID  string  `json:"effect_id,omitempty"`
	Cents     int64   `json:"cents,omitempty"`
	At        string  `json:"at,omitempty"`
}

// IsError is MCP's isError: true only where it is proved that nothing happened.
func (r *Result) IsError() bool { return r.Outcome == NotPerformed }

// SetEffect puts the effect's id into the member that field names.
func (r *Result) SetEffect(field EffectField, id string) {
	switch field {
	case RefundID:
		r.RefundID = id
	case MessageID:
		r.MessageID = id
	case BookingID:
		r.BookingID = id
	case ReplacementID:
		r.ReplacementID = id
	case HandoffID:
		r.HandoffID = id
	}
}

// Timestamp writes a time as results bear it: RFC 3339, UTC, milliseconds. The
// zero time is empty.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
