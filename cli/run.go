// Package cli is the command line: one file a command, and the one place that
// wires the parts together. What may be done, and what became of it, is decided
// elsewhere.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"counterfoil/server"
)

// Process is what a run has of the process around it.
type Process struct {
	In     io.Reader
	Out    io.Writer // a command's result, or MCP
	Err    io.Writer // logs and complaints
	Getenv func(name string) string
	// Signals are those that ask to leave, and what undoes the asking.
	Signals func() (signals <-chan os.Signal, stop func())
	// Ask has a person type one line on their own terminal, unseen; nil where
	// there is none.
	Ask func(ctx context.Context, prompt string) (string, error)
}

// ThisProcess is the process that runs.
func ThisProcess() Process {
	return Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Signals: server.Signals, Ask: askTerminal}
}

// The exit statuses. A panic is exitUnknown where it can be caught: what the
// command had begun is not known then. Its locks are given up on the way out,
// and the next process settles what it left by looking it up.
const (
	exitDone    = 0 // performed, already_performed, found; or simply done
	exitNo      = 1 // not performed, not found, unreachable; or it does not apply
	exitUsage   = 2 // the command line or the configuration is wrong: nothing was done
	exitUnknown = 3 // it could not be determined
)

// Run runs one command and returns the exit status.
func Run(args []string, p Process) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(p.Err, "counterfoil: broke off on a fault of its own: %v\n%s", r, debug.Stack())
			code = exitUnknown
		}
	}()
	s := &shell{Process: p}
	root := s.root()
	root.SetArgs(args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	var end *exit
	if !errors.As(err, &end) {
		end = &exit{code: exitNo, err: err}
	}
	if end.err != nil {
		fmt.Fprintf(p.Err, "counterfoil: %s\n", oneLine(end.err))
	}
	return end.code
}

// shell is one run of the command line.
type shell struct {
	Process
}

// exit ends a command with a status; without an error nothing is said.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// misused says that the command line or the configuration is wrong.
func misused(format string, args ...any) error {
	return &exit{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// silently ends a command whose result has been printed.
func silently(code int) error {
	if code == exitDone {
		return nil
	}
	return &exit{code: code}
}

// oneLine keeps a complaint on one line, whatever a library put into it.
func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
