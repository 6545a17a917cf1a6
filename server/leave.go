package server

import (
	"context"
	"os"
	"time"
)

// Clients that want a server gone kill it after about 4 s.
const (
	claimNothing     = time.Duration(0)        // after a signal
	claimWhatWasRead = time.Second             // after the end of input
	finishWithin     = 3 * time.Second         // for what was claimed, counted from the leaving
	leaveWithin      = 3800 * time.Millisecond // for everything; 200 ms remain to close the ledger
)

// exit is how far the leaving has come. Its channels are nil, and never yield,
// until there is something to wait for.
type exit struct {
	begun       bool
	refusing    bool // nothing more may be claimed
	interrupted bool
	lift        <-chan time.Time // claims are refused from here: nobody need wait for a place
	finish      <-chan time.Time // what still runs is told to end
	bound       <-chan time.Time // what still runs is left behind
	atRest      <-chan struct{}  // everything is answered and recorded
}

// leave begins the leaving, or makes it stricter. The clock runs from the
// first call.
func (p *pump) leave(why string, claimFor time.Duration) {
	if p.exit.refusing || p.exit.begun && claimFor > claimNothing {
		return
	}
	p.opts.Log.Info("leaving", "because", why, "in_flight", len(p.inFlight))
	p.opts.Engine.Leave(claimFor, finishWithin)
	p.exit.refusing = claimFor == claimNothing
	p.exit.lift = time.After(claimFor)
	if p.exit.begun {
		return
	}
	p.exit.begun = true
	p.exit.finish = time.After(finishWithin)
	p.exit.bound = time.After(leaveWithin)
}

// settle, once every message taken is answered, waits for what the engine does
// detached from any call.
func (p *pump) settle(life context.Context) {
	if !p.exit.begun || len(p.inFlight) > 0 || p.exit.atRest != nil {
		return
	}
	atRest := make(chan struct{})
	p.exit.atRest = atRest
	go func() {
		p.opts.Engine.Wait(life)
		close(atRest)
	}()
}

// openLanes lets calls that wait for a place run now: the engine refuses their
// claims, which takes no time, and each gets its answer.
func (p *pump) openLanes() {
	p.exit.lift = nil
	select {
	case <-p.lanes.open:
	default:
		close(p.lanes.open)
	}
}

// impatient tells a second interrupt, which is a person at a terminal, from
// the signals that clients send one after the other.
func (e *exit) impatient(sig os.Signal) bool {
	again := e.interrupted && sig == os.Interrupt
	e.interrupted = e.interrupted || sig == os.Interrupt
	return again
}
