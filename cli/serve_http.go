package cli

import (
	"context"
	"errors"
	"fmt"
	"net"

	"counterfoil/provider"
	"counterfoil/server"
	"counterfoil/store"
	"counterfoil/tools"
)

// serveHTTP serves whoever the door lets in.
func (s *shell) serveHTTP(w *works, addr string, d door) error {
	asked, signals, stop := s.signalled()
	defer stop()
	if err := w.openToServe(asked); err != nil {
		return err
	}
	callers, hosts, err := d.access(w)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(asked, "tcp", addr)
	if err != nil {
		return err
	}
	if err := d.fits(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	metrics := server.NewMetrics(w.books)
	mcp := server.New(name, release, instructions, metrics.Middleware(), server.Recover(tools.Fallback(w.catalog)))
	tools.Mount(mcp, w.catalog)
	engine := w.sweeping()
	defer engine.rest()
	w.log.Info("serving over HTTP", "account", w.market.Account, "environment", w.market.Environment, "data_dir", w.cfg.dataDir, "for", d.asks())
	fmt.Fprintf(s.Out, "listening on http://%s%s\n", listener.Addr(), server.Path)
	err = server.HTTP(asked, server.HTTPOptions{
		MCP: mcp, Listener: listener, Log: w.log, Engine: engine, Signals: signals, Metrics: metrics, Access: callers, Hosts: hosts,
		Ready: []server.Check{{Name: "ledger", Ready: w.ledgerTakesWrites}, {Name: "provider", Ready: w.providerAnswers}},
	})
	return w.left(err)
}

// openBooks is a ledger that tells how it stands.
type openBooks interface {
	Contents(ctx context.Context) (store.Contents, error)
	Writable(ctx context.Context) error
}

// openBooks are the ledger's, where there is one to use.
func (w *works) openBooks() (openBooks, error) {
	if ledger, ok := w.ledger.(openBooks); ok {
		return ledger, nil
	}
	return nil, fmt.Errorf("the ledger cannot be used: %w", w.broken)
}

// books are what the metrics show of the ledger.
func (w *works) books(ctx context.Context) (server.Books, error) {
	ledger, err := w.openBooks()
	if err != nil {
		return server.Books{}, err
	}
	contents, err := ledger.Contents(ctx)
	if err != nil {
		return server.Books{}, err
	}
	open := make(map[string]int, len(contents.Open))
	for _, standing := range contents.Open {
		open[string(standing.State)] = standing.Count
	}
	return server.Books{Open: open, Undelivered: contents.Outbox.Count}, nil
}

func (w *works) ledgerTakesWrites(ctx context.Context) error {
	ledger, err := w.openBooks()
	if err != nil {
		return err
	}
	return ledger.Writable(ctx)
}

// errNoAnswer: a read got nothing from the authority.
var errNoAnswer = errors.New("the provider does not answer")

// providerAnswers asks for an order that need not exist: that there is none is
// an answer too.
func (w *works) providerAnswers(ctx context.Context) error {
	if w.market.Orders.Order(ctx, "readiness").State == provider.Down {
		return errNoAnswer
	}
	return nil
}
