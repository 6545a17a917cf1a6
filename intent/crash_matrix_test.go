package intent_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"counterfoil/intent"
)

// The points at which a call of each kind can be killed, with the faults that
// make a difference there. Before the claim nothing has met the marketplace's
// write, so one fault will do; to have a person told, an answer must be lost.
var (
	pointsBeforeClaim = []intent.Point{intent.PointRecognised, intent.PointRead, intent.PointLookedUp, intent.PointBeforeClaim}
	pointsAfterClaim  = []intent.Point{intent.PointClaimed, intent.PointSent, intent.PointSettled, intent.PointRecorded, intent.PointSweepSettled}
	pointsOfTelling   = []intent.Point{intent.PointBeforeTell, intent.PointTold}
	lostAnswers       = []string{"accept_then_timeout", "timeout_before_accept", "accept_then_500", "down", "land_late"}
)

func TestCrashPointsAreAllPlayed(t *testing.T) {
	t.Parallel()
	played := slices.Sorted(slices.Values(slices.Concat(pointsBeforeClaim, pointsAfterClaim, pointsOfTelling)))
	if want := slices.Sorted(slices.Values(intent.Points())); !slices.Equal(played, want) {
		t.Errorf("played %v, want %v", played, want)
	}
}

// Every tool that writes is killed at each point under each fault, and another
// process goes on. TestCrashAtEveryPoint has the faults that only refunds have.
func TestCrashInEveryClass(t *testing.T) {
	refunds := deskTool{
		tool: "issue_refund", create: "refunds.create", list: "refunds.list", kind: "refund", effects: 1,
		args: map[string]any{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800},
	}
	faults, tools := deskFaults, append(deskTools(), refunds)
	tools = slices.DeleteFunc(tools, func(tool deskTool) bool { return tool.tool == "reply_to_buyer" }) // to the engine as the seller's
	if raced {                                                                                          // what goroutines meet does not depend on the tool
		faults, tools = lostAnswers[:2], tools[len(tools)-1:]
	}
	for _, tool := range tools {
		crashUnder(t, tool, pointsBeforeClaim, lostAnswers[:1])
		crashUnder(t, tool, pointsAfterClaim, faults)
		crashUnder(t, tool, pointsOfTelling, lostAnswers)
	}
	handoffs := deskTool{
		tool: "escalate_to_human", create: "escalations.create", list: "escalations.list", kind: "escalation", effects: 1,
		args: map[string]any{"ticket_id": "T-4127", "reason": "other", "summary": "The third one this month."},
	}
	// A handoff is written into the outbox and delivered from there: there is no
	// claim, and no send of its own.
	crashUnder(t, handoffs, append([]intent.Point{intent.PointRead}, pointsOfTelling...), faults)
}

func crashUnder(t *testing.T, tool deskTool, points []intent.Point, faults []string) {
	for _, point := range points {
		for _, mode := range faults {
			t.Run(fmt.Sprintf("%s/%s/%s", tool.tool, point, mode), func(t *testing.T) {
				bubble(t, func(r *rig) { r.crashAndGoOn(tool, point, mode) })
			})
		}
	}
}

func (r *rig) crashAndGoOn(tool deskTool, point intent.Point, mode string) {
	r.t.Helper()
	args := maps.Clone(tool.args)
	p1 := r.process("P1")
	if tool.before != nil {
		maps.Copy(args, tool.before(r, p1))
	}
	r.fault(tool.create, mode, 1, 3*time.Second)
	r.crashCall(p1, tool, args, point)

	p2 := r.process("P2")
	if point == intent.PointSweepSettled {
		r.crashAt(p2, point, func() { _, _ = p2.Sweep(r.ctx) })
		p2 = r.process("P3")
	}
	r.obeyCall(p2, tool.tool, args, p2.call(tool.tool, args))
	for range 4 {
		r.later(20 * time.Second)
		r.sweep(p2)
	}
	last := r.obeyCall(p2, tool.tool, args, p2.call(tool.tool, args))
	r.checkOnce(tool, last)
	refused := last.Reason == intent.ReasonRefused && mode == "reject"
	gaveUp := last.Reason == intent.ReasonAbsent && last.Retry == intent.RetryNever && last.Attempts == 2 && !tool.reversible
	if done := last.Outcome == intent.Performed || last.Outcome == intent.AlreadyPerformed; !done && !refused && !gaveUp {
		r.t.Errorf("ends in %s %q: %s", last.Outcome, last.Reason, last.Verdict)
	}
}

// crashCall kills p in its call at the point, or, where that is the sweeper's,
// before it has settled anything. Where a person is to be told, no lookup can
// tell any more once the claim is made.
func (r *rig) crashCall(p *process, tool deskTool, args map[string]any, point intent.Point) {
	r.t.Helper()
	at := point
	switch {
	case point == intent.PointSweepSettled:
		at = intent.PointSent
	case slices.Contains(pointsOfTelling, point) && tool.kind != "escalation":
		p.at = func(passed intent.Point) {
			if passed == intent.PointClaimed {
				r.fault(tool.list, "down", 0, 0)
			}
		}
	}
	r.crashAt(p, at, func() { p.call(tool.tool, args) })
	if at != point || slices.Contains(pointsOfTelling, point) {
		r.clearReads(tool)
	}
}

// clearReads lets the lookups work again, and leaves what waits for a write.
func (r *rig) clearReads(tool deskTool) {
	r.t.Helper()
	waiting, err := r.box.Faults(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	r.clearFaults()
	for _, f := range waiting {
		if f.Operation != tool.list {
			r.fault(f.Operation, f.Mode, f.Times, f.Delay)
		}
	}
}

// crashAt runs something that p's own hook ends at the point, and makes p dead.
func (r *rig) crashAt(p *process, point intent.Point, run func()) {
	r.t.Helper()
	reached := false
	before := p.at
	p.at = func(at intent.Point) {
		if before != nil {
			before(at)
		}
		if at == point {
			reached = true
			runtime.Goexit()
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	<-done
	r.ledger.Kill(p.owner)
	if !reached {
		r.t.Errorf("%s was never at %s", p.owner, point)
	}
}

// checkOnce: one effect at the most, and what is said of it is so.
func (r *rig) checkOnce(tool deskTool, last intent.Result) {
	r.t.Helper()
	var of []string
	for _, e := range r.effects(tool.kind) {
		if e.Intent == last.IntentKey || tool.tool == "cancel_pickup" {
			of = append(of, e.ID)
		}
	}
	said := last.Outcome == intent.Performed || last.Outcome == intent.AlreadyPerformed
	there := len(of) == 1
	if tool.tool == "cancel_pickup" { // its effect is the booking, cancelled
		there = there && r.effects("pickup")[0].Status == "cancelled"
	}
	if len(of) > 1 || said && !there || last.Outcome == intent.NotPerformed && there {
		r.t.Errorf("%s, and the authority has %v: %s", last.Outcome, of, last.Verdict)
	}
}
