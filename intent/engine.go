package intent

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Options are what an engine is made of.
type Options struct {
	Ledger      Ledger
	Operations  []Operation
	Desk        Step   // where escalations go; nil: nothing takes them from here
	Environment string // "sandbox", "test"; empty for live

	// Notify, when not nil, tells a person past the desk: before the answer where
	// there is no desk, and where the desk has not taken an escalation for
	// NotifyAfter. It returns nil once the notification has arrived, keeps to its
	// context, and may be called again with the same escalation, whose key it
	// passes on.
	Notify      func(ctx context.Context, e Escalation) error
	NotifyBy    string        // how, for a reader: "webhook", "mail"
	NotifyAfter time.Duration // 5 minutes when zero

	Now   func() time.Time
	NewID func() string // ids of claims; never part of a key

	// Uptime, when not nil, reads a clock that nobody sets. Without it a wall
	// clock that jumps forward may make a send look old that can still land.
	Uptime func() Uptime

	ProviderTimeout time.Duration // of one request; under half of AnswerWithin
	AnswerWithin    time.Duration // of one call
	Secret          []byte        // makes provider keys an HMAC; may be empty

	// PolicyVersion, when not nil, names the policy that decides now; it is kept
	// with every act.
	PolicyVersion func() string
	// Told, when not nil, gives what the buyer has been told on a ticket since a
	// time, oldest first.
	Told func(ctx context.Context, ticket string, since time.Time) []Told
	// Jitter gives a random duration from 0 to most, so that processes do not
	// pause in step; uniform when nil.
	Jitter func(most time.Duration) time.Duration
	// At, when not nil, is called at each named point.
	At func(Point)
	// Fault, when not nil, is told of what went wrong inside, for a log. It
	// never reaches a model.
	Fault func(where string, err error)
}

// Engine acts at most once per intent and answers truly.
type Engine struct {
	o          Options
	clock      clock
	operations map[string]Operation
	flights    flights
	leave      *departure
}

// New makes an engine. It refuses an operation without a valid class or step,
// and a provider timeout that leaves no room for a lookup.
func New(o Options) (*Engine, error) {
	if 2*o.ProviderTimeout >= o.AnswerWithin {
		return nil, fmt.Errorf("provider timeout %v: it must be under half of the answer budget %v", o.ProviderTimeout, o.AnswerWithin)
	}
	if o.Jitter == nil {
		o.Jitter = jitter
	}
	e := &Engine{o: o, clock: clock(o.Now), operations: map[string]Operation{}, leave: newDeparture()}
	for _, op := range o.Operations {
		if err := op.Class().Valid(); err != nil {
			return nil, fmt.Errorf("tool %s: %w", op.Tool(), err)
		}
		if op.Class() == ClassRead || len(op.Steps()) == 0 {
			return nil, fmt.Errorf("tool %s: an operation writes, in at least one step", op.Tool())
		}
		if _, twice := e.operations[op.Tool()]; twice {
			return nil, fmt.Errorf("tool %s: registered twice", op.Tool())
		}
		e.operations[op.Tool()] = op
	}
	return e, nil
}

// Do performs one call of a write tool and answers within the answer budget.
// The arguments have been validated against the tool's schema.
func (e *Engine) Do(ctx context.Context, tool string, args Arguments) (result Result) {
	op, ok := e.operations[tool]
	if !ok {
		e.fault("do", fmt.Errorf("tool %q is not registered", tool))
		return e.refuse(Refusal{Reason: ReasonInternal})
	}
	if _, asked := Principal(ctx); !asked {
		ctx = WithPrincipal(ctx, "")
	}
	exit := e.leave.enter()
	defer exit()
	c := e.newCall(op, args)
	defer func() { c.land() }()
	defer func() {
		if p := recover(); p != nil {
			e.fault("panic in "+tool, caught(p))
			result = c.afterPanic(ctx)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, e.o.AnswerWithin-e.reserve()/4)
	defer cancel()
	if op.Class() == ClassHandoff {
		return c.handoff(ctx)
	}
	return c.run(ctx)
}

// run takes the steps of the design, one line each. A step that answers ends
// the call; a claim that found the world moved begins the reading again.
func (c *call) run(ctx context.Context) Result {
	if answer := c.recognise(ctx); answer != nil {
		return *answer
	}
	c.e.at(PointRecognised)
	for {
		plan, answer := c.readAndCheck(ctx)
		if answer != nil {
			return *answer
		}
		if plan == nil {
			continue // waited, or found that the row has changed: read again
		}
		row, answer := c.claim(ctx, plan)
		if answer != nil {
			return *answer
		}
		if row == nil {
			continue // a resource, the scope or the row has moved: read again
		}
		return c.act(ctx, *row, plan.act)
	}
}

// call is one run of Do.
type call struct {
	e       *Engine
	op      Operation
	args    Arguments
	due     time.Time // when the answer is due, on the clock of contexts
	claimBy time.Time // after it there is no time to send and look up; on the wall clock, by which a sleep counts
	loc     Locator
	fp      Fingerprint
	claimed *Row   // set once the claim is durable
	before  int    // sends that earlier calls made
	land    func() // ends this call's flight, if it has one; may be called again
}

func (e *Engine) newCall(op Operation, args Arguments) *call {
	loc := op.Locate(args)
	return &call{
		e: e, op: op, args: args, loc: loc,
		due:     deadlineIn(e.o.AnswerWithin),
		claimBy: e.clock.now().Add(e.o.AnswerWithin - e.o.ProviderTimeout - e.o.ProviderTimeout/2), land: func() {},
		fp: DeriveFingerprint(e.o.Ledger.Account(), op.Tool(), again(loc.Given, loc.Again)),
	}
}

// again adds the effect that a deliberate repeat follows to the facts.
func again(facts []Fact, effectID string) []Fact {
	if effectID == "" {
		return facts
	}
	return append(append([]Fact(nil), facts...), Fact{Name: "again_after", Value: effectID})
}

func (e *Engine) at(p Point) {
	if e.o.At != nil {
		e.o.At(p)
	}
}

func (e *Engine) fault(where string, err error) {
	if e.o.Fault != nil && err != nil {
		e.o.Fault(where, err)
	}
}

// flights are the acts under way in this process, so that a call joins one
// without asking the ledger over and over.
type flights struct{ m sync.Map }

// take registers a flight; ok is false where there is one already.
func (f *flights) take(key Key) (done chan struct{}, ok bool) {
	mine := make(chan struct{})
	_, loaded := f.m.LoadOrStore(key, mine)
	return mine, !loaded
}

// land ends a flight that take registered.
func (f *flights) land(key Key, done chan struct{}) {
	f.m.CompareAndDelete(key, done)
	close(done)
}

// under returns the end of the flight of key, nil where there is none.
func (f *flights) under(key Key) chan struct{} {
	done, _ := f.m.Load(key)
	end, _ := done.(chan struct{})
	return end
}
