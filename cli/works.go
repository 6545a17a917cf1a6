package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/schemas"
	"counterfoil/store"
	"counterfoil/tools"
)

// works is everything that a call passes through, wired together.
type works struct {
	cfg     config
	log     *slog.Logger
	now     func() time.Time
	crash   func(intent.Point) // nil but in a build for crash tests
	market  provider.Marketplace
	ledger  intent.Ledger
	engine  *intent.Engine
	catalog []tools.Tool

	operations []intent.Operation
	schemas    *schemas.Set
	broken     error // why the ledger cannot be used, where it cannot
	close      []func() error
}

// worksOf has nothing open yet.
func (s *shell) worksOf(cfg config) (*works, error) {
	crash, err := crashPoint(s.Getenv)
	if err != nil {
		return nil, err
	}
	set, err := schemas.Load()
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: cfg.logLevel}))
	return &works{cfg: cfg, log: log, now: time.Now, crash: crash, schemas: set}, nil
}

func (w *works) onClose(f func() error) { w.close = append(w.close, f) }

// Close gives up what was opened, the last first.
func (w *works) Close() {
	for _, f := range slices.Backward(w.close) {
		if err := f(); err != nil {
			w.log.Warn("close", "error", err)
		}
	}
	w.close = nil
}

// open connects, opens the account's ledger and makes the engine. The caller
// closes the works in every case.
func (w *works) open(ctx context.Context) error {
	if err := w.connect(ctx); err != nil {
		return err
	}
	return w.openOn(ctx, w.cfg.ledgerFile(w.market.Account))
}

// openAnyway is open, but where the marketplace cannot be reached it works with
// what this machine knows: a row of the ledger is still an answer.
func (w *works) openAnyway(ctx context.Context) error {
	down := w.open(ctx)
	if !errors.Is(down, errDown) || ctx.Err() != nil {
		return down
	}
	w.log.Warn("going on without it", "error", down)
	path, account, err := w.onlyLedger(ctx)
	if err != nil {
		return err
	}
	w.market = *adapter.Offline(account, w.now)
	if path == "" {
		w.broken, w.ledger = down, &absentLedger{account: account}
		return w.start()
	}
	return w.openOn(ctx, path)
}

// openOn opens the ledger and starts the engine on it.
func (w *works) openOn(ctx context.Context, path string) error {
	if err := w.cfg.makeDataDir(); err != nil {
		return err
	}
	if err := w.openLedger(ctx, path); err != nil {
		return err
	}
	return w.start()
}

// openLedger opens the ledger. One that cannot be used is put in place of it
// and refuses every write; one that is not ours to use is misuse.
func (w *works) openLedger(ctx context.Context, path string) error {
	ledger, err := store.Open(ctx, store.Options{
		Path: path, Account: w.market.Account, NewID: uuid.NewString, Now: w.now, RealProvider: w.market.Real,
	})
	if err != nil {
		if notOurs(err) {
			return misused("%w", err)
		}
		w.log.Error("the ledger cannot be used: nothing will be sent", "error", err)
		w.broken = err
		w.ledger = &absentLedger{account: w.market.Account, why: err}
		return nil
	}
	w.onClose(ledger.Close)
	for _, finding := range ledger.Findings() {
		w.log.Warn("opened the ledger", "finding", finding)
	}
	w.ledger = ledger
	return nil
}

// notOurs reports whether a ledger was named that must not be used here,
// however whole it is.
func notOurs(err error) bool {
	var account *store.AccountError
	var foreign *store.ForeignError
	var place *store.FileSystemError
	return errors.As(err, &account) || errors.As(err, &foreign) || errors.As(err, &place)
}

// start makes the engine and the catalog.
func (w *works) start() error {
	if err := w.makeEngine(); err != nil {
		return err
	}
	return w.makeCatalog(w.engine)
}

func (w *works) makeEngine() error {
	policy, err := openPolicy(w.cfg.policyFile(), w.log)
	if err != nil {
		return err
	}
	notify, by, err := w.notifier()
	if err != nil {
		return err
	}
	w.operations = tools.Operations(w.market, policy.current)
	w.engine, err = intent.New(intent.Options{
		Ledger: w.ledger, Operations: w.operations, Desk: w.desk(), Environment: w.market.Environment,
		Notify: notify, NotifyBy: by, NotifyAfter: w.cfg.notifying.after,
		Now: w.now, NewID: uuid.NewString, Uptime: uptime(),
		ProviderTimeout: w.cfg.providerTimeout, AnswerWithin: w.cfg.answerWithin,
		PolicyVersion: func() string { return policy.current().Version },
		Told:          tools.ToldBy(w.ledger, w.market),
		At:            w.crash,
		Fault:         func(where string, err error) { w.log.Error("fault", "at", where, "error", err) },
	})
	return err
}

// desk is where escalations go; nil where the marketplace has none.
func (w *works) desk() intent.Step {
	if w.market.Desk == nil {
		return nil
	}
	return tools.Step(w.market.Desk)
}

// notifier is what reaches a person past the desk, and its name; nil where none
// is configured.
func (w *works) notifier() (notify func(context.Context, intent.Escalation) error, by string, err error) {
	client := provider.NewClient(w.now, provider.Options{Timeout: w.cfg.providerTimeout})
	ways, err := w.cfg.notifying.ways(client, w.now, func(err error) {
		w.log.Warn("a person was notified, but not by every way", "error", err)
	})
	if err != nil || len(ways.All) == 0 {
		return nil, "", err
	}
	return ways.Notify, ways.Name(), nil
}

// makeCatalog makes the tools, whose writes go through engine.
func (w *works) makeCatalog(engine tools.Engine) (err error) {
	w.catalog, err = tools.Catalog(tools.Deps{
		Schemas: w.schemas, Market: w.market, Engine: engine, Operations: w.operations,
		Effects: tools.EffectsOf(w.ledger, w.market),
	})
	return err
}

// tool finds a tool by its name.
func (w *works) tool(name string) (tools.Tool, bool) {
	for _, t := range w.catalog {
		if t.Name == name {
			return t, true
		}
	}
	return tools.Tool{}, false
}
