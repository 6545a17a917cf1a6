package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// httpRun is one life of the HTTP server. exit belongs to the goroutine in run.
type httpRun struct {
	opts        HTTPOptions
	server      *http.Server
	calls       *calls
	lanes       lanes
	exit        exit
	leaving     chan struct{} // closed when leaving has begun
	cancelCalls context.CancelFunc
}

func newHTTPRun(opts HTTPOptions) *httpRun {
	// Calls do not live under the caller's context: its end means "leave", not
	// "drop the calls".
	life, cancelCalls := context.WithCancel(context.Background())
	r := &httpRun{
		opts:        opts,
		calls:       newCalls(maxHTTPInFlight),
		lanes:       newLanes(),
		leaving:     make(chan struct{}),
		cancelCalls: cancelCalls,
	}
	r.server = &http.Server{
		Handler:           opts.routes(newEndpoint(opts, r.calls, r.lanes), r.leaving),
		ReadHeaderTimeout: min(readHeaderWithin, opts.ReadWithin),
		ReadTimeout:       opts.ReadWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(opts.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return life },
	}
	return r
}

// run is the one place where it is decided what happens next.
func (r *httpRun) run(ctx context.Context) error {
	defer r.cancelCalls()
	defer func() { _ = r.server.Close() }()
	served := make(chan error, 1)
	go func() { served <- r.server.Serve(r.opts.Listener) }()
	asked := ctx.Done()
	var broken error
	for {
		select {
		case err := <-served:
			served = nil
			if !errors.Is(err, http.ErrServerClosed) {
				broken = fmt.Errorf("serve HTTP: %w", err)
				r.leave("the listener broke")
			}
		case sig := <-r.opts.Signals:
			if r.exit.impatient(sig) {
				return ErrUnfinished
			}
			r.leave("signal " + sig.String())
		case <-asked:
			asked = nil
			r.leave("asked to")
		case <-r.exit.finish:
			r.cancelCalls()
		case <-r.exit.atRest:
			return broken
		case <-r.exit.bound:
			r.opts.Log.Warn("leaving with calls still running", "calls", r.calls.running())
			return errors.Join(broken, ErrUnfinished)
		}
	}
}

// leave begins the leaving; nothing more is claimed from here.
func (r *httpRun) leave(why string) {
	if r.exit.begun {
		return
	}
	r.exit.begun = true
	r.opts.Log.Info("leaving", "because", why, "in_flight", r.calls.running())
	r.opts.Engine.Leave(claimNothing, finishWithin)
	close(r.leaving)
	close(r.lanes.open) // what waits for a place gets its answer now, which is no
	r.exit.finish = time.After(finishWithin)
	r.exit.bound = time.After(leaveWithin)
	r.exit.atRest = r.drain()
}

// drain is closed once no call is running and the engine is at rest. Idle
// connections are closed at once, the others after their answer.
func (r *httpRun) drain() <-chan struct{} {
	life, die := context.WithTimeout(context.Background(), leaveWithin)
	go func() { _ = r.server.Shutdown(life) }()
	atRest := make(chan struct{})
	go func() {
		defer die()
		r.calls.wait(life)
		r.opts.Engine.Wait(life)
		r.calls.wait(life) // one may have come in meanwhile
		close(atRest)
	}()
	return atRest
}
