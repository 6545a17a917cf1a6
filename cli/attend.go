package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"counterfoil/intent"
)

// Who asks a command to leave kills it after about 4 s.
const (
	finishWithin = 3 * time.Second         // for what was claimed, counted from the signal
	leaveWithin  = 3700 * time.Millisecond // for everything; the rest is for closing
)

// signalled is a context that the first signal ends, and the signals, of which
// the context takes the first one only.
func (s *shell) signalled() (context.Context, <-chan os.Signal, func()) {
	signals, undo := s.Signals()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, signals, func() { cancel(); undo() }
}

// attend runs act until it is done. When asked ends, nothing more is claimed,
// and what was claimed is finished; the context of act ends only once the time
// for that is over. It returns false where act had to be left behind: then what
// it had claimed is left to the next process.
func attend(asked context.Context, engine *intent.Engine, act func(ctx context.Context)) (finished bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	broke := make(chan any, 1)
	go func() {
		defer func() {
			p := recover()
			if p != nil {
				p = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			broke <- p
		}()
		act(ctx)
	}()
	leave := asked.Done()
	var finish, bound <-chan time.Time
	for {
		select {
		case p := <-broke:
			if p != nil {
				panic(p)
			}
			return true
		case <-leave:
			leave = nil
			engine.Leave(0, finishWithin)
			finish, bound = time.After(finishWithin), time.After(leaveWithin)
		case <-finish:
			cancel()
		case <-bound:
			return false
		}
	}
}
