package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// grace is how long Serve lets ordinary requests finish after its context ends.
const grace = 2 * time.Second

// Serve answers on l until ctx ends, and then returns nil. Requests that a fault
// holds open end with ctx, unanswered; others have 2 s to finish. It closes l.
func Serve(ctx context.Context, l net.Listener, s *Sandbox) error {
	srv := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		// No WriteTimeout: a fault may hold an answer back for as long as it likes.
	}
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Serve(l) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(finish); err != nil {
		_ = srv.Close()
	}
	if err := <-stopped; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
