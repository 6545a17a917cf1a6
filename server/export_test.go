package server

import (
	"errors"
	"io"
)

// MaxLine is the longest message.
const MaxLine = maxLine

// TooLong stands for a line that was skipped.
const TooLong = "(too long)"

// Lines reads every line of an input, and returns what ended it.
func Lines(in io.Reader) (lines []string, err error) {
	r := newLineReader(in)
	for {
		line, err := r.next()
		switch {
		case errors.Is(err, errLineTooLong):
			lines = append(lines, TooLong)
		case err != nil:
			return lines, err
		default:
			lines = append(lines, string(line))
		}
	}
}
