package server_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"counterfoil/server"
)

// FuzzLines: the lines of an input are those between its newlines, in whatever
// pieces it arrives; the last one counts without its newline unless the input
// broke; none is longer than MaxLine.
func FuzzLines(f *testing.F) {
	for _, seed := range []struct {
		before, after string
		pad           uint
		pieces        byte
		breaks        bool
	}{
		{"{}\n\n  \r\n[1]\r\n", "last", 0, 3, false},
		{"a\nb", "\r\n", 0, 1, true},
		{"\n", "\r\n", server.MaxLine, 0, false},
		{"\r", "\r\r\n next \n", server.MaxLine - 1, 200, false},
		{"", "\nx", server.MaxLine + 1, 7, false},
		{"\n", "", server.MaxLine + 2, 0, true},
		{" ", "\n{}", 3 * server.MaxLine, 0, false},
	} {
		f.Add([]byte(seed.before), []byte(seed.after), seed.pad, seed.pieces, seed.breaks)
	}
	f.Fuzz(func(t *testing.T, before, after []byte, pad uint, pieces byte, breaks bool) {
		if pad > 4*server.MaxLine || pad > 64 && len(before)%8 != 0 { // megabytes now and then
			pad %= 64
		}
		input := slices.Concat(before, bytes.Repeat([]byte(" "), int(pad)), after)
		ending, want := io.EOF, linesOf(input)
		if breaks {
			ending, want = errBroken, linesOf(input[:bytes.LastIndexByte(input, '\n')+1])
		}
		got, err := server.Lines(io.MultiReader(inPieces(input, pieces), iotest.ErrReader(ending)))
		if !errors.Is(err, ending) {
			t.Errorf("ended by %v, want %v", err, ending)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

var errBroken = errors.New("the pipe broke")

// linesOf is what the lines of an input are, said without a reader.
func linesOf(input []byte) (lines []string) {
	for line := range bytes.Lines(input) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case len(line) > server.MaxLine:
			lines = append(lines, server.TooLong)
		case len(bytes.TrimSpace(line)) > 0:
			lines = append(lines, string(line))
		}
	}
	return lines
}

// inPieces hands an input over in pieces of up to so many bytes; 0: as they fit.
func inPieces(input []byte, size byte) io.Reader {
	if size == 0 {
		return bytes.NewReader(input)
	}
	return &pieces{input, int(size)}
}

type pieces struct {
	left []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[:min(p.size, len(p.left))])
	p.left = p.left[n:]
	return n, nil
}
