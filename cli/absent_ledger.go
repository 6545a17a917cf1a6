package cli

import (
	"context"
	"fmt"
	"time"

	"counterfoil/intent"
)

// absentLedger stands where there is no ledger to use. It takes no write, so
// that the engine sends nothing. With a reason it cannot be read either; with
// none it is merely empty.
type absentLedger struct {
	account string
	why     error
}

var _ intent.Ledger = (*absentLedger)(nil)

func (l *absentLedger) Account() string   { return l.account }
func (l *absentLedger) Owner() string     { return "" }
func (l *absentLedger) Alive(string) bool { return true } // cautious: nothing is taken for dead

func (l *absentLedger) Find(context.Context, intent.Key) (intent.Row, bool, error) {
	return intent.Row{}, false, l.why
}

func (l *absentLedger) Recognise(context.Context, intent.Resource, intent.Fingerprint) (intent.Row, bool, error) {
	return intent.Row{}, false, l.why
}

func (l *absentLedger) ByEffect(context.Context, intent.Resource, string, string) (intent.Row, bool, error) {
	return intent.Row{}, false, l.why
}

func (l *absentLedger) Act(context.Context, intent.Key) (intent.Act, error) {
	return intent.Act{}, l.why
}

func (l *absentLedger) Attempts(context.Context, intent.Key) ([]intent.Attempt, error) {
	return nil, l.why
}

func (l *absentLedger) Decisions(context.Context, intent.Key) ([]intent.Decision, error) {
	return nil, l.why
}

func (l *absentLedger) Mark(context.Context) (int64, error) { return 1, l.why }

func (l *absentLedger) Around(context.Context, intent.Resource, int) ([]intent.Row, error) {
	return nil, l.why
}

func (l *absentLedger) Totals(context.Context, []intent.Resource, string, intent.Key) (map[intent.Resource]intent.Total, error) {
	return nil, l.why
}

func (l *absentLedger) List(context.Context, int) ([]intent.Row, error) { return nil, l.why }

func (l *absentLedger) Due(context.Context, time.Time, int) ([]intent.Row, error) { return nil, l.why }

func (l *absentLedger) Orphans(context.Context, int) ([]intent.Row, error) { return nil, l.why }

func (l *absentLedger) Outbox(context.Context, time.Time, int) ([]intent.Escalation, error) {
	return nil, l.why
}

func (l *absentLedger) Escalation(context.Context, intent.Key) (intent.Escalation, bool, error) {
	return intent.Escalation{}, false, l.why
}

func (l *absentLedger) Commit(context.Context, intent.Change) (intent.Row, error) {
	return intent.Row{}, l.refusal()
}

func (l *absentLedger) Spill(intent.Change) error { return l.refusal() }

func (l *absentLedger) CountRepeat(intent.Key) {}

func (l *absentLedger) refusal() error {
	if l.why == nil {
		return intent.ErrReadOnly
	}
	return fmt.Errorf("%w: %w", intent.ErrReadOnly, l.why)
}
