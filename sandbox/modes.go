package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// The modes of a fault. What each does to a request is said in [Mode.About].
const (
	AcceptThenTimeout    Mode = "accept_then_timeout"
	TimeoutBeforeAccept  Mode = "timeout_before_accept"
	AcceptThen500        Mode = "accept_then_500"
	AcceptThenDrop       Mode = "accept_then_drop"
	AcceptThenGarbage    Mode = "accept_then_garbage"
	WrongEcho            Mode = "wrong_echo"
	Reject500            Mode = "reject_500"
	Reject               Mode = "reject"
	RejectTransient      Mode = "reject_transient"
	Slow                 Mode = "slow"
	LandLate             Mode = "land_late"
	Lag                  Mode = "lag"
	DeliverTwice         Mode = "deliver_twice"
	Down                 Mode = "down"
	Stored500            Mode = "stored_500"
	NoDedupe             Mode = "no_dedupe"
	KeyExpired           Mode = "key_expired"
	PendingThenSucceeded Mode = "pending_then_succeeded"
	PendingThenFailed    Mode = "pending_then_failed"
)

// Mode is the way in which a fault misbehaves.
type Mode string

// about tells what the marketplace does under each mode; D is the fault's delay.
var about = map[Mode]string{
	AcceptThenTimeout:    "acts, never answers",
	TimeoutBeforeAccept:  "does not act, never answers",
	AcceptThen500:        "acts, answers 500",
	AcceptThenDrop:       "acts, closes the connection",
	AcceptThenGarbage:    "acts, answers half a JSON body",
	WrongEcho:            "acts, answers 200 for another order and amount",
	Reject500:            "does not act, answers 500",
	Reject:               "does not act, answers 422 refused_permanently",
	RejectTransient:      "does not act, answers 429 with Retry-After",
	Slow:                 "acts at once, answers after D",
	LandLate:             "never answers; the effect exists from D on",
	Lag:                  "acts; lists and orders do not show it for D, the balance moves at once",
	DeliverTwice:         "processes the one request twice under its key",
	Down:                 "reads the request, closes the connection without acting",
	Stored500:            "does not act, answers 500 and replays that 500 under this key",
	NoDedupe:             "treats a repeated key as new",
	KeyExpired:           "forgets keys older than D",
	PendingThenSucceeded: "answers pending; succeeded after D",
	PendingThenFailed:    "answers pending; failed after D",
}

// About says in one line what the marketplace does; D is the fault's delay.
func (m Mode) About() string { return about[m] }

// Modes returns every mode, in alphabetical order.
func Modes() []Mode {
	modes := make([]Mode, 0, len(about))
	for m := range about {
		modes = append(modes, m)
	}
	slices.Sort(modes)
	return modes
}

const refundsCreate = "refunds.create"

// operations lists what a fault can be set on, in the order of the marketplace.
var operations = []string{
	refundsCreate, "refunds.list",
	"messages.create", "messages.list",
	"pickups.create", "pickups.cancel", "pickups.list",
	"replacements.create", "replacements.list",
	"escalations.create", "escalations.list",
	"orders.get", "tickets.get",
}

// Operations returns the names of the operations that a fault can be set on.
func Operations() []string { return slices.Clone(operations) }

// modesOfReads are the ways in which a read can misbehave: it does nothing that
// could happen and not be told.
var modesOfReads = []Mode{TimeoutBeforeAccept, Reject500, Slow, Down}

func isRead(operation string) bool {
	return strings.HasSuffix(operation, ".list") || strings.HasSuffix(operation, ".get")
}

// MeaninglessFaultError says that a mode cannot be set on an operation, or that
// one of the two does not exist.
type MeaninglessFaultError struct {
	Operation string
	Mode      string
	Reason    string // one sentence without its full stop
}

func (e *MeaninglessFaultError) Error() string { return e.Reason }

// meaningful returns a *MeaninglessFaultError for a pair that makes no sense.
func meaningful(operation string, mode Mode) error {
	refuse := func(format string, args ...any) error {
		return &MeaninglessFaultError{Operation: operation, Mode: string(mode), Reason: fmt.Sprintf(format, args...)}
	}
	if !slices.Contains(operations, operation) {
		return refuse("%q is no operation of the sandbox", operation)
	}
	if mode.About() == "" {
		return refuse("%q is no mode of a fault", string(mode))
	}
	if isRead(operation) {
		if slices.Contains(modesOfReads, mode) {
			return nil
		}
		return refuse("%s is a read and cannot be set to %s", operation, mode)
	}
	if (mode == PendingThenSucceeded || mode == PendingThenFailed) && operation != refundsCreate {
		return refuse("only refunds.create is ever pending, %s cannot be set to %s", operation, mode)
	}
	return nil
}
