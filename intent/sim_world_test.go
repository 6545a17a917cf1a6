package intent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
	"counterfoil/tools"
)

// simWorld is one history: an authority, a ledger, processes, a model, people.
type simWorld struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // the bubble's own
	seed  uint64
	rng   *rand.Rand // of the script
	fates *rand.Rand // of the authority's own lags
	sched *simSched
	cover *simCover

	mu    sync.Mutex // of the authority, the facts below and what was promised
	seq   int
	epoch int // of the ledger: raised when it is lost or restored

	orders       []provider.Order
	tickets      []provider.Ticket
	refunds      *simOp
	messages     *simOp
	pickups      *simOp
	replacements *simOp
	cancels      *simOp
	desk         *simOp
	orderLag     time.Duration
	unread       float64
	calm         bool
	full         atomic.Bool
	liars        bool
	everFull     bool
	misled       bool         // a person has said what was not so
	failing      atomic.Value // how the next commit fails: before, after; empty: not at all
	over         atomic.Bool  // nobody begins anything any more
	rows         *simSeen
	newBook      func() simBook

	contradicted []simContradiction

	deafUntil time.Time
	book      simBook
	backup    simBook
	books     []simBook // to close at the end
	began     time.Time
	skew      atomic.Int64        // of the wall clock, nanoseconds
	jumpy     bool                // somebody sets it
	outbox    []intent.Escalation // all that was ever written to it, or may have been
	policy    policy.Policy
	procs     []*simProc
	started   int
	claims    atomic.Int64
	threads   atomic.Int64 // of the model and of people, that are not done
	asked     []simAsk
	wishes    []simAsk        // what the model may want in this history: few, so that calls meet
	allowed   map[string]bool // effects of which a person allowed a repeat

	facts map[string]*simKeyFacts
	log   simLog
	fault simFault
}

// simProc is one process of ours.
type simProc struct {
	*intent.Engine
	owner       string
	dead        atomic.Bool
	diedAt      time.Time
	asleepUntil time.Time
	sleepFor    time.Duration
	crash       simDoom
	sleep       simDoom
	leaving     bool // it takes no more calls, and ends once it is idle
	person      bool // a command that a person runs: calls do not come here
}

func newSimWorld(t *testing.T, seed uint64, cover *simCover, sqlite bool) *simWorld {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &simWorld{
		t: t, ctx: t.Context(), seed: seed, rng: rng, cover: cover,
		fates: rand.New(rand.NewPCG(seed, 2)),
		sched: newSimSched(rand.New(rand.NewPCG(seed, 3))),
		facts: map[string]*simKeyFacts{}, allowed: map[string]bool{}, policy: policy.Default(), began: time.Now(),
		rows: newSimSeen(), newBook: newSimMemory,
	}
	w.orders = []provider.Order{
		{OrderID: "SU-1", TicketIDs: []string{"T-1"}, BuyerID: "B-1", Currency: "USD", PaidCents: 14400, Items: []provider.Item{
			{ItemID: "SHELF", Title: "shelf", Quantity: 1, PaidCents: 11800, SellerID: "S-1"},
			{ItemID: "HOOK", Title: "hook", Quantity: 1, PaidCents: 2600, SellerID: "S-1"},
		}, Sellers: []provider.Seller{{ID: "S-1", Name: "one", BalanceCents: 18900}}},
		{OrderID: "SU-2", TicketIDs: []string{"T-2"}, BuyerID: "B-2", Currency: "USD", PaidCents: 50000, Items: []provider.Item{
			{ItemID: "SOFA", Title: "sofa", Quantity: 1, PaidCents: 42000, SellerID: "S-1"},
			{ItemID: "RUG", Title: "rug", Quantity: 2, PaidCents: 8000, SellerID: "S-1"},
		}, Sellers: []provider.Seller{{ID: "S-1", Name: "one", BalanceCents: 18900}}},
		{OrderID: "SU-3", TicketIDs: []string{"T-3"}, BuyerID: "B-3", Currency: "JPY", PaidCents: 9000, Items: []provider.Item{
			{ItemID: "LAMP", Title: "lamp", Quantity: 1, PaidCents: 9000, SellerID: "S-2"},
		}, Sellers: []provider.Seller{{ID: "S-2", Name: "two", BalanceCents: 90000}}},
	}
	w.tickets = []provider.Ticket{
		{TicketID: "T-1", BuyerID: "B-1", OrderIDs: []string{"SU-1"}},
		{TicketID: "T-2", BuyerID: "B-2", OrderIDs: []string{"SU-2"}},
		{TicketID: "T-3", BuyerID: "B-3", OrderIDs: []string{"SU-3"}},
	}
	hostile, deaf := []float64{0.05, 0.3, 0.7}[rng.IntN(3)], []float64{0, 0.1, 0.5}[rng.IntN(3)]
	op := func(name, prefix string) *simOp {
		return &simOp{w: w, name: name, prefix: prefix, caps: drawCaps(rng), hostile: hostile, deaf: deaf, naive: rng.IntN(2) == 0, keys: map[string]*simKept{}}
	}
	w.refunds, w.messages, w.pickups, w.cancels, w.desk = op("refund", "RE-"), op("message", "MS-"), op("pickup", "BK-"), op("cancel", "CX-"), op("desk", "HO-")
	w.replacements = op("replacement", "RP-")
	w.refunds.pending = true
	w.desk.hostile, w.desk.deaf = hostile/2, deaf/2
	w.desk.caps.Lookup = intent.LookupReadAfterWrite
	w.unread = []float64{0, 0.05, 0.3}[rng.IntN(3)]
	w.orderLag = []time.Duration{0, 0, 3 * time.Second, time.Minute}[rng.IntN(4)]
	w.liars = rng.IntN(5) == 0
	all := simWishes()
	for range 2 + rng.IntN(3) {
		w.wishes = append(w.wishes, all[rng.IntN(len(all))])
	}
	if sqlite {
		w.newBook = func() simBook { return newSimFile(t, w) }
	}
	w.failing.Store("")
	w.jumpy = rng.IntN(3) == 0
	w.keep(w.newBook())
	for _, o := range w.ops() {
		w.logf(nil, "%s", o.describe())
	}
	w.logf(nil, "reads down %.2f, orders lag %v, people err %v", w.unread, w.orderLag, w.liars)
	return w
}

func (w *simWorld) ops() []*simOp {
	return []*simOp{w.refunds, w.messages, w.pickups, w.cancels, w.replacements, w.desk}
}

// opOf is the operation behind a tool.
func (w *simWorld) opOf(tool string) *simOp {
	switch tool {
	case "issue_refund":
		return w.refunds
	case "message_seller", "reply_to_buyer":
		return w.messages
	case "book_pickup":
		return w.pickups
	case "send_replacement":
		return w.replacements
	case "cancel_pickup":
		return w.cancels
	}
	return w.desk
}

// tick is the next moment in the order of events. Under mu.
func (w *simWorld) tick() int {
	w.seq++
	return w.seq
}

// start starts a process on the ledger as it now is. Opening it reads the spill.
func (w *simWorld) start(person bool) *simProc {
	w.started++
	p := &simProc{owner: "P" + simNth(w.started), person: person}
	if person {
		p.owner = "H" + simNth(w.started)
	}
	if !w.full.Load() {
		w.book.replay()
	}
	market := w.market()
	engine, err := intent.New(intent.Options{
		Ledger: &simLedger{w.book.open(p.owner), w, p}, Desk: tools.Step(market.Desk), Environment: "test",
		Operations: []intent.Operation{
			tools.NewIssueRefund(market, func() policy.Policy { return w.policy }),
			tools.NewSendReplacement(market), tools.NewMessageSeller(market), tools.NewReplyToBuyer(market),
			tools.NewBookPickup(market), tools.NewCancelPickup(market), tools.NewEscalateToHuman(market),
		},
		Now: w.now, Uptime: w.uptime, NewID: func() string { return fmt.Sprintf("claim-%d", w.claims.Add(1)) },
		Jitter:          w.jitter,
		ProviderTimeout: providerTimeout, AnswerWithin: answerWithin,
		At:    func(point intent.Point) { w.sched.gate(w.sched.lane(), string(point)) },
		Fault: func(where string, err error) { w.logf(w.sched.lane(), "fault at %s: %v", where, err) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	p.Engine = engine
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs = append(w.procs, p)
	w.logf(nil, "%s starts", p.owner)
	return p
}

// jitter is drawn from the simulated time, not from a sequence: who asks first
// of several that wake up together must not matter.
func (w *simWorld) jitter(most time.Duration) time.Duration {
	now := uint64(time.Now().UnixNano())
	return time.Duration(rand.New(rand.NewPCG(w.seed, now)).Int64N(int64(most) + 1))
}

// kill ends a process: its lanes end at their gates.
func (w *simWorld) kill(p *simProc) {
	if !p.dead.Swap(true) {
		p.diedAt = time.Now()
	}
	w.book.kill(p.owner)
}

// depart has a process leave as it does on a signal, and end once it is idle.
func (w *simWorld) depart(p *simProc) {
	claimFor, finishWithin := time.Duration(w.rng.IntN(1500))*time.Millisecond, time.Duration(w.rng.IntN(8000))*time.Millisecond
	w.logf(nil, "%s leaves: claims for %v, finishes within %v", p.owner, claimFor, finishWithin)
	w.cover.event("process leaves")
	p.leaving = true
	p.Leave(claimFor, finishWithin)
	w.threads.Add(1)
	go func() {
		defer w.threads.Add(-1)
		p.Wait(w.ctx)
		if !p.dead.Load() {
			w.logf(nil, "%s is gone", p.owner)
			w.kill(p)
		}
	}()
}

// putToSleep stops a process for a while.
func (w *simWorld) putToSleep(p *simProc) {
	p.asleepUntil = time.Now().Add(p.sleepFor)
	w.sched.mu.Lock()
	defer w.sched.mu.Unlock()
	for _, l := range w.sched.lanes {
		if l.proc == p {
			l.slept = true
		}
	}
}

// alive are the processes that take calls.
func (w *simWorld) alive() []*simProc {
	w.mu.Lock()
	defer w.mu.Unlock()
	var live []*simProc
	for _, p := range w.procs {
		if !p.dead.Load() && !p.person && !p.leaving {
			live = append(live, p)
		}
	}
	return live
}

// another replaces the ledger by an empty one, or by an older copy. Every
// process that knew the one before is dead first.
func (w *simWorld) another(book simBook, how string) {
	w.logf(nil, "LEDGER %s", how)
	w.cover.event("ledger " + how)
	w.mu.Lock()
	procs := w.procs
	w.epoch++
	w.mu.Unlock()
	for _, p := range procs {
		w.kill(p)
	}
	w.keep(book)
	for _, p := range procs { // an older copy may take them for alive
		w.kill(p)
	}
	w.full.Store(false)
	w.forget()
}

// keep has the histories go on in a book.
func (w *simWorld) keep(book simBook) {
	w.book = book
	w.books = append(w.books, book)
}

// ledger is what anybody may look at.
func (w *simWorld) ledger() intent.Ledger { return w.book.reader() }

// fill makes the disk full, or frees it.
func (w *simWorld) fill(full bool) {
	w.logf(nil, "disk full: %v", full)
	w.full.Store(full)
	if full {
		w.cover.event("disk full")
	}
	w.everFull = w.everFull || full
}
