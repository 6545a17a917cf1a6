package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

var errNotGiven = errors.New("left before the secret was given")

// askTerminal asks on the person's own terminal, whatever standard input is. The
// terminal shows nothing of what they type, from before they are asked.
func askTerminal(ctx context.Context, prompt string) (line string, err error) {
	in, out, closing, err := openTerminal()
	if err != nil {
		return "", errNoTerminal
	}
	defer closing()
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", errNoTerminal
	}
	defer func() { err = errors.Join(err, term.Restore(int(in.Fd()), before)) }()
	type typed struct {
		line string
		err  error
	}
	got := make(chan typed, 1)
	go func() {
		line, err := term.NewTerminal(readWriter{in, out}, "").ReadPassword(prompt)
		got <- typed{line, err}
	}()
	select {
	case t := <-got:
		if errors.Is(t.err, io.EOF) { // Ctrl-C, or Ctrl-D
			_, _ = io.WriteString(out, "\r\n")
			return "", errNotGiven
		}
		return t.line, t.err
	case <-ctx.Done():
		_, _ = io.WriteString(out, "\r\n")
		return "", errNotGiven
	}
}

type readWriter struct {
	io.Reader
	io.Writer
}

// openTerminal opens the terminal that the process belongs to.
func openTerminal() (in, out *os.File, closing func(), err error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	in, err = os.OpenFile(inName, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	out, err = os.OpenFile(outName, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, errors.Join(err, in.Close())
	}
	return in, out, func() { _ = in.Close(); _ = out.Close() }, nil
}
