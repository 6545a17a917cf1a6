package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/sandbox"
)

// boxWithin bounds the wait for the handlers of an inside sandbox, which end
// with the process anyway.
const boxWithin = 200 * time.Millisecond

// errDown: the authority cannot be reached.
var errDown = errors.New("the sandbox cannot be reached")

// connect reaches the marketplace: the one at sandboxURL, or one that is served
// from here for as long as the works are open.
func (w *works) connect(ctx context.Context) error {
	base := w.cfg.sandboxURL
	if base == "" {
		inside, err := w.serveInside(ctx)
		if err != nil {
			return err
		}
		base = inside
	}
	client := provider.NewClient(w.now, provider.Options{Timeout: w.cfg.providerTimeout})
	w.onClose(func() error { client.Close(); return nil })
	market, err := adapter.Connect(ctx, adapter.Options{BaseURL: base, HTTP: client})
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	w.market = *market
	return nil
}

// serveInside serves the data directory's own sandbox on a port of its own.
func (w *works) serveInside(ctx context.Context) (url string, err error) {
	box, err := openBox(ctx, w.cfg, nil, w.log)
	if err != nil {
		return "", err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Join(fmt.Errorf("serve the sandbox: %w", err), box.Close())
	}
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- sandbox.Serve(serving, listener, box) }()
	w.onClose(func() error {
		stop()
		select {
		case err := <-ended:
			return errors.Join(err, box.Close())
		case <-time.After(boxWithin):
			return nil
		}
	})
	return "http://" + listener.Addr().String(), nil
}

// openBox opens the data directory's own sandbox.
func openBox(ctx context.Context, cfg config, declare map[string]string, log *slog.Logger) (*sandbox.Sandbox, error) {
	if err := cfg.makeDataDir(); err != nil {
		return nil, err
	}
	if err := makePrivate(cfg.sandboxFile()); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return sandbox.Open(ctx, cfg.sandboxFile(), sandbox.Options{Now: time.Now, Declare: declare, Log: log})
}

// accountNow asks for the account without serving anything.
func (w *works) accountNow(ctx context.Context) (account string, err error) {
	if w.cfg.sandboxURL != "" {
		if err := w.connect(ctx); err != nil {
			return "", err
		}
		return w.market.Account, nil
	}
	if _, err := os.Stat(w.cfg.sandboxFile()); err != nil {
		return "", fmt.Errorf("%w: %w", errDown, err)
	}
	account, err = w.accountOfBox(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errDown, err)
	}
	return account, nil
}

// accountOfBox is the account of the data directory's own sandbox, which is
// begun where there is none.
func (w *works) accountOfBox(ctx context.Context) (account string, err error) {
	box, err := openBox(ctx, w.cfg, nil, w.log)
	if err != nil {
		return "", err
	}
	account, err = box.Account(ctx)
	return account, errors.Join(err, box.Close())
}
