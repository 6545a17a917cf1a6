package provider

// Inside the package: which of net/http's goroutines wins cannot be arranged
// from outside.

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

func openGate() *gate {
	return &gate{now: time.Now, sendBy: time.Now().Add(time.Minute)}
}

// pipe is a connection in memory that does not hang.
func pipe(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	ours, theirs = net.Pipe()
	for _, conn := range []net.Conn{ours, theirs} {
		if err := conn.SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	return ours, theirs
}

func TestGateThatWasShutLetsNothingPass(t *testing.T) {
	t.Parallel()

	g := openGate()
	ours, theirs := pipe(t)
	conn, err := g.admit(ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	if passed, _ := g.shut(); passed {
		t.Error("something passed before anything was written")
	}
	if n, err := conn.Write([]byte("POST")); n != 0 || !errors.Is(err, errClosed) {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	ours.Close()
	if got, _ := io.ReadAll(theirs); len(got) != 0 {
		t.Errorf("%q passed", got)
	}
}

func TestGateAdmitsNobodyOnceShut(t *testing.T) {
	t.Parallel()

	g := openGate()
	g.shut()
	ours, theirs := pipe(t)
	if _, err := g.admit(ours, nil); !errors.Is(err, errClosed) {
		t.Errorf("admitted: %v", err)
	}
	if _, err := theirs.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still open: %v", err)
	}
}

func TestGateAdmitsOneConnection(t *testing.T) {
	t.Parallel()

	g := openGate()
	first, _ := pipe(t)
	second, _ := pipe(t)
	if _, err := g.admit(first, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := g.admit(second, nil); !errors.Is(err, errClosed) {
		t.Errorf("admitted a second connection: %v", err)
	}
}

// What a write of no success passed on cannot be known.
func TestGateCountsAWriteThatBroke(t *testing.T) {
	t.Parallel()

	g := openGate()
	ours, _ := pipe(t)
	conn, err := g.admit(ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours.Close()
	if _, err := conn.Write([]byte("POST")); err == nil {
		t.Error("wrote to a closed connection")
	}
	if passed, _ := g.shut(); !passed {
		t.Error("nothing passed, says the gate")
	}
}

// Once the first byte has passed, the rest may follow: half a request helps
// nobody.
func TestGateStaysOpenForTheRest(t *testing.T) {
	t.Parallel()

	now := time.Now()
	g := &gate{now: func() time.Time { return now }, sendBy: now.Add(time.Second)}
	if err := g.pass(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if err := g.pass(); err != nil {
		t.Errorf("the rest: %v", err)
	}
}
