package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/store"
)

// readLedger opens the account's ledger for reading alone; nil where there is
// none yet. Where the authority cannot say which account it is, it is the one
// whose ledger was written to last.
func (w *works) readLedger(ctx context.Context) (*store.Ledger, error) {
	account, err := w.accountNow(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		w.log.Debug("reading without the authority", "error", err)
		path, account, err := w.newestLedger(ctx)
		if err != nil || path == "" {
			return nil, err
		}
		return w.openForReading(ctx, path, account)
	}
	path := w.cfg.ledgerFile(account)
	if !isThere(path) {
		return nil, w.mustBeThere(path)
	}
	return w.openForReading(ctx, path, account)
}

// openForReading opens a file that is there.
func (w *works) openForReading(ctx context.Context, path, account string) (*store.Ledger, error) {
	ledger, err := store.Open(ctx, store.Options{Path: path, Account: account, NewID: uuid.NewString, Now: w.now, ReadOnly: true})
	if err != nil {
		if notOurs(err) {
			return nil, misused("%w", err)
		}
		return nil, err
	}
	w.onClose(ledger.Close)
	return ledger, nil
}

// mustBeThere: a ledger that was named has to exist; the account's own may not
// have been begun.
func (w *works) mustBeThere(path string) error {
	if w.cfg.ledger != "" && !isThere(path) {
		return misused("there is no ledger %s", path)
	}
	return nil
}

// newestLedger is the ledger that was named, or the one in the data directory
// that was written to last, and its account. Both are empty where there is none.
func (w *works) newestLedger(ctx context.Context) (path, account string, err error) {
	if w.cfg.ledger != "" {
		if err := w.mustBeThere(w.cfg.ledger); err != nil {
			return "", "", err
		}
		account, err := w.accountIn(ctx, w.cfg.ledger)
		return w.cfg.ledger, account, err
	}
	paths, err := w.cfg.ledgersIn()
	if err != nil || len(paths) == 0 {
		return "", "", err
	}
	account, err = w.accountIn(ctx, paths[0])
	return paths[0], account, err
}

// onlyLedger is newestLedger for a call, which must not take one account for
// another: among several it chooses none.
func (w *works) onlyLedger(ctx context.Context) (path, account string, err error) {
	paths, err := w.cfg.ledgersIn()
	if err != nil {
		return "", "", err
	}
	if w.cfg.ledger == "" && len(paths) != 1 {
		return "", "sandbox-unreachable", nil
	}
	return w.newestLedger(ctx)
}

// accountIn is the account that a ledger says it is of.
func (w *works) accountIn(ctx context.Context, path string) (string, error) {
	named := strings.TrimSuffix(filepath.Base(path), ledgerSuffix)
	ledger, err := store.Open(ctx, store.Options{Path: path, Account: named, NewID: uuid.NewString, Now: w.now, ReadOnly: true})
	var other *store.AccountError
	switch {
	case errors.As(err, &other):
		return other.Found, nil
	case err != nil:
		return "", err
	}
	return named, ledger.Close()
}

// findRow finds the intent that a command line names.
func findRow(ctx context.Context, ledger intent.Ledger, text string) (intent.Row, error) {
	key, err := intent.ParseKey(text)
	if err != nil {
		return intent.Row{}, misused("%s: %w", text, err)
	}
	row, ok, err := ledger.Find(ctx, key)
	if err == nil && !ok {
		err = intent.ErrNoIntent
	}
	return row, err
}
