package demo

import (
	"context"
	"errors"
	"net"
	"path/filepath"

	"counterfoil/sandbox"
)

// world is the marketplace, which both halves act on.
type world struct {
	Options

	dir   string
	box   *sandbox.Sandbox
	url   string
	close func() error
}

func openWorld(ctx context.Context, dir string, o Options) (*world, error) {
	box, err := sandbox.Open(ctx, filepath.Join(dir, "sandbox.db"), sandbox.Options{Now: o.Now, Log: o.Log})
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, box.Close())
	}
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- sandbox.Serve(serving, listener, box) }()
	return &world{
		Options: o, dir: dir, box: box, url: "http://" + listener.Addr().String(),
		close: func() error {
			stop()
			return errors.Join(<-ended, box.Close())
		},
	}, nil
}

// loseAnAnswer has the provider act on the next refund, and never answer.
func (w *world) loseAnAnswer(ctx context.Context) error {
	return w.box.AddFault(ctx, sandbox.Fault{
		Operation: "refunds.create", Mode: string(sandbox.AcceptThenTimeout), Times: 1,
	})
}

// look counts at the provider, whatever anybody was told.
func (w *world) look(ctx context.Context, h *Half) error {
	books, err := w.box.Effects(ctx)
	if err != nil {
		return err
	}
	for _, e := range books.Effects {
		if e.Kind == "refund" {
			h.Books = append(h.Books, Refund{ID: e.ID, Cents: e.Cents, Key: e.Key, At: e.At})
		}
	}
	h.Refunds = len(h.Books)
	for _, s := range books.Sellers {
		if s.ID == sellerID {
			h.SellerBalanceCents = s.BalanceCents
		}
	}
	h.fromBooks()
	return nil
}
