package server

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxInFlight is how many messages may wait for their answers. Beyond it the
// client's next lines stay in its pipe: none is dropped, and none refused.
const maxInFlight = 1024

// pump moves messages between one client and the MCP library.
//
// The library has a loop of its own for this, which does not fit: it drops the
// calls in flight at the end of input, runs calls that were cancelled while
// they waited, lets slow calls hold up the others, and cannot tell the ids 1
// and "1" apart. So each message goes to the library's HandleMessage from here.
//
// inFlight and exit belong to the goroutine in run.
type pump struct {
	opts     StdioOptions
	gone     <-chan struct{} // closed when Stdio has returned
	messages chan message    // closed at the end of input
	out      *writer
	lanes    lanes
	inFlight map[*call]struct{}
	exit     exit
}

func newPump(opts StdioOptions, gone <-chan struct{}) *pump {
	return &pump{
		opts:     opts,
		gone:     gone,
		messages: make(chan message),
		out:      newWriter(opts.Out, opts.Log),
		lanes:    newLanes(),
		inFlight: make(map[*call]struct{}),
	}
}

// read turns the input into messages. It stays in a Read after Stdio has
// returned if the client keeps its end open: a read of a pipe cannot be called
// off.
func (p *pump) read(in io.Reader) {
	defer close(p.messages)
	lines := newLineReader(in)
	for {
		line, err := lines.next()
		if err != nil && !errors.Is(err, errLineTooLong) {
			if !errors.Is(err, io.EOF) {
				p.opts.Log.Warn("input broke off", "error", err)
			}
			return
		}
		m, ok := refused(nil, mcp.INVALID_REQUEST, "Invalid request: the message is longer than 1 MiB"), true
		if err == nil {
			m, ok = parse(line)
		}
		if !ok {
			continue
		}
		select {
		case p.messages <- m:
		case <-p.gone:
			return
		}
	}
}

// run is the one place where it is decided what happens next. ctx asks to
// leave; calls live under life.
func (p *pump) run(ctx, life context.Context) error {
	calls, cancelCalls := context.WithCancel(life)
	defer cancelCalls()
	parent, look := newParentWatch(p.opts.ParentPID), time.NewTicker(parentEvery)
	defer look.Stop()
	asked, broken := ctx.Done(), p.out.broken

	for {
		p.settle(life)
		select {
		case m, ok := <-p.accept():
			p.take(calls, m, ok)
		case c := <-p.out.written:
			delete(p.inFlight, c)
		case sig := <-p.opts.Signals:
			if p.exit.impatient(sig) {
				return ErrUnfinished
			}
			p.leave("signal "+sig.String(), claimNothing)
		case <-asked:
			asked = nil
			p.leave("asked to", claimNothing)
		case <-broken:
			broken = nil
			p.leave("output closed", claimNothing)
		case <-look.C:
			if parent.orphaned() {
				p.leave("parent process gone", claimWhatWasRead)
			}
		case <-p.exit.lift:
			p.openLanes()
		case <-p.exit.finish:
			cancelCalls()
		case <-p.exit.atRest:
			return nil
		case <-p.exit.bound:
			p.opts.Log.Warn("leaving with calls still running", "calls", len(p.inFlight))
			return ErrUnfinished
		}
	}
}

// accept is nil, which never yields, while no message may be taken.
func (p *pump) accept() <-chan message {
	if p.exit.begun || len(p.inFlight) >= maxInFlight {
		return nil
	}
	return p.messages
}

// take acts on one message, or, when ok is false, on the end of input.
func (p *pump) take(calls context.Context, m message, ok bool) {
	switch {
	case !ok:
		p.leave("end of input", claimWhatWasRead)
	case m.method == string(mcp.MethodNotificationCancelled) && m.id == nil:
		p.cancelRequest(m.cancels)
	default:
		p.begin(calls, m)
	}
}
