// Package demo tells the incident of 17 March twice, on one sandbox and with a
// real timeout: once with an ordinary tool, and once through counterfoil.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// timeout stands for the five seconds of the real one.
const timeout = 800 * time.Millisecond

// The incident, in the sandbox's seed.
const (
	ticketID   = "T-4127"
	orderID    = "SU-88421"
	itemID     = "SHELF-OAK-4"
	sellerID   = "S-ASHCOMBE"
	sellerName = "Ashcombe Furniture"
	cents      = 11800
)

// Options say how the incident is told. None may be left out but Colour and
// JSON.
type Options struct {
	Out    io.Writer
	Colour bool // with terminal colours
	JSON   bool // for a program
	Now    func() time.Time
	NewID  func() string // an id that nobody made before
	Log    *slog.Logger
}

// Half is what came of one telling.
type Half struct {
	Refunds            int               `json:"refunds"`
	SellerBalanceCents int64             `json:"seller_balance_cents"`
	ModelRead          []json.RawMessage `json:"model_read"` // in the order of the calls
	Books              []Refund          `json:"books"`
	Ledger             []Row             `json:"ledger,omitempty"`

	events   []event
	outcomes string // of the results that the model read
}

// Refund is one refund in the provider's books.
type Refund struct {
	ID    string `json:"id"`
	Cents int64  `json:"cents"`
	Key   string `json:"key"`
	At    string `json:"at"`
}

// Row is one act in counterfoil's ledger.
type Row struct {
	IntentKey string   `json:"intent_key"`
	Tool      string   `json:"tool"`
	State     string   `json:"state"`
	EffectID  string   `json:"effect_id"`
	Cents     int64    `json:"cents"`
	Attempts  []string `json:"attempts"` // in words
}

// Told is the incident, both times.
type Told struct {
	Before Half `json:"before"`
	After  Half `json:"after"`
}

// Run tells the incident. It takes a few seconds. The error says where it did
// not end as it must.
func Run(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "counterfoil-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := openWorld(ctx, dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	told, err := w.tellTwice(ctx, story{out: o.Out, paint: o.Colour, mute: o.JSON})
	if err != nil {
		return err
	}
	if o.JSON {
		enc := json.NewEncoder(o.Out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(told); err != nil {
			return err
		}
	}
	return told.check()
}

// tellTwice prints each half as soon as it is over.
func (w *world) tellTwice(ctx context.Context, s story) (told Told, err error) {
	s.opening()
	if told.Before, err = w.before(ctx); err != nil {
		return told, fmt.Errorf("as it was: %w", err)
	}
	s.before(told.Before)
	if told.After, err = w.after(ctx); err != nil {
		return told, fmt.Errorf("as it is: %w", err)
	}
	s.after(told.After)
	s.closing(told)
	return told, nil
}

// check holds the telling to what it is to show.
func (t Told) check() error {
	if t.Before.Refunds != 2 || t.Before.SellerBalanceCents != -4700 {
		return fmt.Errorf("as it was: %d refunds and %s: this machine was too slow to show it; try again",
			t.Before.Refunds, dollars(t.Before.SellerBalanceCents))
	}
	if t.After.Refunds != 1 || t.After.SellerBalanceCents != 7100 {
		return fmt.Errorf("as it is: %d refunds and %s, which must not be", t.After.Refunds, dollars(t.After.SellerBalanceCents))
	}
	if t.After.outcomes != "performed, already_performed" {
		return fmt.Errorf("as it is: the model read %s: this machine was too slow to show it; try again", t.After.outcomes)
	}
	return nil
}
