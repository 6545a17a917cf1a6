package notify

import (
	"context"
	"errors"
	"strings"
	"sync"

	"counterfoil/intent"
)

// Way is one way to reach a person.
type Way interface {
	// Name is the word for it: "webhook", "mail".
	Name() string
	// Notify returns nil once the notification has arrived. It keeps to ctx.
	Notify(ctx context.Context, e intent.Escalation) error
}

// Ways are taken all at once; a person who is reached by one of them is
// notified.
type Ways struct {
	All []Way
	// Fault, when not nil, is told of a way that did not work while another did,
	// for a log.
	Fault func(error)
}

// Name names them all: "webhook or mail".
func (w Ways) Name() string {
	names := make([]string, len(w.All))
	for i, way := range w.All {
		names[i] = way.Name()
	}
	return strings.Join(names, " or ")
}

// Notify takes every way and returns nil if one has worked.
func (w Ways) Notify(ctx context.Context, e intent.Escalation) error {
	errs := make([]error, len(w.All))
	var all sync.WaitGroup
	for i, way := range w.All {
		all.Go(func() { errs[i] = way.Notify(ctx, e) })
	}
	all.Wait()
	arrived := false
	for _, err := range errs {
		arrived = arrived || err == nil
	}
	err := errors.Join(errs...)
	if !arrived {
		return err
	}
	if err != nil && w.Fault != nil {
		w.Fault(err)
	}
	return nil
}
