package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message that a client may send, in bytes without its
// line ending.
const maxLine = 1 << 20

// errLineTooLong reports a line that was skipped; the next one can be read.
var errLineTooLong = errors.New("line too long")

// lineReader reads lines in memory bounded by maxLine, whatever is sent.
type lineReader struct{ in *bufio.Reader }

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next line that is not blank, without its ending. The last
// line counts even if the input ends before its newline. It returns
// errLineTooLong for a line that it skipped, and any other error for good.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

func (r *lineReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine+len("\r\n"); !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !tooLong):
			return nil, err // what a broken input cut short is not a line
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if tooLong || len(line) > maxLine {
			return nil, errLineTooLong
		}
		return line, nil
	}
}
