package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"counterfoil/intent"
)

// spilled is one line of the spill file. The arguments stand apart: they are
// kept byte by byte, which JSON within JSON is not.
type spilled struct {
	Version   int           `json:"spill"`
	Account   string        `json:"account"`
	Change    intent.Change `json:"change"`
	Arguments [][]byte      `json:"arguments"` // of the act, then of each follower's
}

const spillVersion = 1

func encodeSpill(account string, c intent.Change) ([]byte, error) {
	line := spilled{Version: spillVersion, Account: account, Change: c, Arguments: [][]byte{nil}}
	if c.Act != nil {
		line.Arguments[0] = c.Act.Arguments
		line.Change.Act = new(*c.Act)
		line.Change.Act.Arguments = nil
	}
	line.Change.Followers = slices.Clone(c.Followers)
	for i := range line.Change.Followers {
		act := &line.Change.Followers[i].Act
		line.Arguments = append(line.Arguments, act.Arguments)
		act.Arguments = nil
	}
	text, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func decodeSpill(account string, text []byte) (c intent.Change, err error) {
	var line spilled
	if err := json.Unmarshal(text, &line); err != nil {
		return intent.Change{}, err
	}
	c = line.Change
	if line.Version != spillVersion || line.Account != account || len(line.Arguments) != 1+len(c.Followers) {
		return intent.Change{}, fmt.Errorf("spill %d of account %q: not of this ledger", line.Version, line.Account)
	}
	if c.Act != nil {
		c.Act.Arguments = line.Arguments[0]
	}
	for i := range c.Followers {
		c.Followers[i].Act.Arguments = line.Arguments[1+i]
	}
	return c, check(c)
}

func (l *Ledger) spillPath() string { return l.path + ".spill" }

// lockSpill keeps a reader and a writer of the spill file apart.
func (l *Ledger) lockSpill(ctx context.Context) (leave func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	return enterOnce(ctx, l.spillPath()+".lock")
}

// Spill keeps a change that could not be committed in a file beside the ledger,
// and returns once the disk has it. The next opening reads it first.
func (l *Ledger) Spill(c intent.Change) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("spill %s: %w", subject(c), err)
		}
	}()
	if err := check(c); err != nil {
		return err
	}
	line, err := encodeSpill(l.o.Account, c)
	if err != nil {
		return err
	}
	leave, err := l.lockSpill(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	l.spilled.Store(true)
	// A line that a crash cut off ends here at the latest.
	return appendTo(l.spillPath(), append([]byte{'\n'}, line...))
}

// replayOwn applies what this ledger has spilled itself, before anything else is
// written: a process that lives on must not contradict what it knows.
func (l *Ledger) replayOwn(ctx context.Context) error {
	if !l.spilled.CompareAndSwap(true, false) {
		return nil
	}
	if err := l.replay(ctx); err != nil {
		l.spilled.Store(true)
		return err
	}
	if _, err := os.Stat(l.spillPath()); err == nil { // it waits: the ledger takes no writes yet
		l.spilled.Store(true)
	}
	return nil
}

// replay applies what was spilled, oldest first, and removes the file. While
// the ledger cannot be written the file stays. A crash on the way is harmless:
// what was applied no longer fits, or says nothing new.
func (l *Ledger) replay(ctx context.Context) (err error) {
	if _, err := os.Stat(l.spillPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	leave, err := l.lockSpill(ctx)
	if err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	defer func() { err = errors.Join(err, leave()) }()
	data, ok, err := contents(l.spillPath())
	if err != nil || !ok {
		return err
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if err := l.replayLine(line); err != nil {
			l.note("the spill file waits: %v", err)
			return nil
		}
	}
	if err := os.Remove(l.spillPath()); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	return nil
}

// replayLine applies one line, or puts it aside. Its error means that the
// ledger does not take writes now.
func (l *Ledger) replayLine(line []byte) error {
	c, err := decodeSpill(l.o.Account, line)
	if err != nil {
		l.note("a line of the spill file cannot be read and was kept in %s.bad", l.spillPath())
		return appendTo(l.spillPath()+".bad", append(line, '\n'))
	}
	row, err := l.commit(c, (*transaction).applySpilled)
	var stale *intent.StaleError
	var blocked *intent.BlockedError
	switch {
	case err == nil && c.Row != nil:
		l.note("from the spill file: %s, now %s", c.Row.Key, row.State)
	case err == nil:
	case errors.As(err, &stale), errors.As(err, &blocked), errors.Is(err, intent.ErrMoved):
		l.note("from the spill file, no longer fitting: %s", subject(c))
	case errors.Is(err, intent.ErrReadOnly), errors.Is(err, ErrBusy), errors.Is(err, ErrUnresolved):
		return err
	default:
		l.note("a line of the spill file cannot be applied and was kept in %s.bad: %v", l.spillPath(), err)
		return appendTo(l.spillPath()+".bad", append(line, '\n'))
	}
	return nil
}

// applySpilled is apply, with the one rule for what comes late: evidence that an
// effect exists wins over any state but a performed one. Everything else counts
// only if its row has not changed since.
func (tx *transaction) applySpilled(c intent.Change) (intent.Row, error) {
	if c.Row == nil || c.Row.State != intent.StatePerformed {
		return tx.apply(c)
	}
	now, err := tx.find(c.Row.Key)
	if err != nil {
		return intent.Row{}, err
	}
	c.Since, c.Exclusive, c.Seen = 0, false, now.Version
	c.Escalate = append(c.Escalate, c.LateOver(now)...)
	switch {
	case now.Version == 0:
		if len(c.Resources) == 0 {
			c.Resources = []intent.Resource{{Kind: "ticket", ID: c.Row.Ticket}}
		}
	case now.State == intent.StatePerformed:
		c.Row = &now
		if c.Attempt, err = tx.unlessKept(now.Key, c.Attempt); err != nil {
			return intent.Row{}, err
		}
	default:
		c.Row = new(withEffect(now, *c.Row))
	}
	return tx.apply(c)
}

// unlessKept is the attempt, nil where the ledger has it.
func (tx *transaction) unlessKept(key intent.Key, a *intent.Attempt) (*intent.Attempt, error) {
	if a == nil {
		return nil, nil
	}
	const query = `SELECT count(*) FROM intents i CROSS JOIN attempts a ON a.intent = i.id
		WHERE i.key = ? AND a.started_at IS ? AND a.provider_key = ? AND a.owner IS ` + numbered
	var n int
	if _, err := tx.first(query, []any{(*keyBlob)(&key), instant(a.StartedAt), providerKey(a.ProviderKey), a.Owner}, &n); err != nil {
		return nil, err
	}
	if n > 0 {
		return nil, nil
	}
	return a, nil
}

// withEffect is the row as it stands, with the effect that the other one tells of.
func withEffect(row, told intent.Row) intent.Row {
	row.State, row.Reason, row.Retry, row.Evidence = told.State, told.Reason, told.Retry, told.Evidence
	row.EffectID, row.Status, row.Final, row.EffectAt = told.EffectID, told.Status, told.Final, told.EffectAt
	row.Cents, row.Currency = told.Cents, told.Currency
	row.Sends = max(row.Sends, told.Sends)
	row.SenderDone = row.SenderDone || told.SenderDone
	row.WatchUntil, row.RetryAt, row.DueAt, row.Sweeps = told.WatchUntil, told.RetryAt, told.DueAt, told.Sweeps
	row.UpdatedAt = latest(row.UpdatedAt, told.UpdatedAt)
	row.ConfirmedAt = latest(row.ConfirmedAt, told.ConfirmedAt)
	return row
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
