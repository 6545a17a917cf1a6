package server

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals returns the channel for StdioOptions.Signals, and what undoes it.
//
// While it holds, a client that stopped reading shows as a write error and not
// as a SIGPIPE, which would end the process in the middle of a send.
func Signals() (signals <-chan os.Signal, stop func()) {
	leave := make(chan os.Signal, 4)
	signal.Notify(leave, os.Interrupt, syscall.SIGTERM)
	pipe := make(chan os.Signal, 1) // never read; notified rather than ignored, which children would inherit
	signal.Notify(pipe, syscall.SIGPIPE)
	return leave, func() {
		signal.Stop(leave)
		signal.Stop(pipe)
	}
}
