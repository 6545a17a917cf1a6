//go:build unix

package e2e_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var wholeMatrix = flag.Bool("whole-matrix", false, "TestCrashMatrix plays every tool and every fault, and not only one tool of each class and what differs most")

// The engine's named points, in the order of a first call.
var (
	beforeClaim = []string{"recognised", "read", "looked_up", "before_claim"}
	afterClaim  = []string{"claimed", "sent", "settled", "recorded", "sweep_settled"}
	telling     = []string{"before_tell", "told"}
)

// classes are the safety classes, with tools that stand for them. Under no fault
// a call of theirs is killed at all of quiet; while the marketplace misbehaves,
// at those of faulty, where that makes a difference. A handoff is no claim and no
// send: it is written into the outbox and delivered from there.
var classes = []struct {
	class         string
	tools         []string
	quiet, faulty []string
}{
	{"irreversible", []string{"issue_refund", "reply_to_buyer", "message_seller"}, slices.Concat(beforeClaim, afterClaim, telling), afterClaim},
	{"reversible", []string{"book_pickup", "cancel_pickup", "send_replacement"}, slices.Concat(beforeClaim, afterClaim, telling), afterClaim},
	{"handoff", []string{"escalate_to_human"}, slices.Concat([]string{"read"}, telling), telling},
}

// operations are the marketplace's, by tool.
var operations = map[string]struct{ create, list string }{
	"issue_refund":      {"refunds.create", "refunds.list"},
	"reply_to_buyer":    {"messages.create", "messages.list"},
	"message_seller":    {"messages.create", "messages.list"},
	"book_pickup":       {"pickups.create", "pickups.list"},
	"cancel_pickup":     {"pickups.cancel", "pickups.list"},
	"send_replacement":  {"replacements.create", "replacements.list"},
	"escalate_to_human": {"escalations.create", "escalations.list"},
}

// The built binary is killed with SIGKILL at each point, in each safety class,
// while the marketplace misbehaves in each way; then another process is asked
// for the same, and sweeps.
func TestCrashMatrix(t *testing.T) {
	binary := build(t, "crashpoints")
	faults := []string{"", "accept_then_timeout", "timeout_before_accept", "accept_then_500", "land_late"}
	if *wholeMatrix {
		faults = append(faults, "accept_then_drop", "accept_then_garbage", "wrong_echo", "reject_500", "reject",
			"reject_transient", "slow", "deliver_twice", "down", "stored_500")
	}
	acts := newWorld(t, binary, "").acts(len(classes[0].quiet))
	for _, class := range classes {
		tools := class.tools
		if !*wholeMatrix {
			tools = tools[:1]
		}
		for _, tool := range tools {
			for _, fault := range faults {
				points := class.faulty
				if fault == "" {
					points = class.quiet
				}
				t.Run(fmt.Sprintf("%s/%s/%s", class.class, tool, cmp.Or(fault, "no fault")), func(t *testing.T) {
					t.Parallel()
					m := &matrix{world: newWorld(t, binary, promptly), fault: fault}
					m.flags = []string{"--provider-timeout", "800ms", "--answer-within", "4s"}
					m.play(points, tool, acts)
				})
			}
		}
	}
}

// matrix is a column: one tool under one fault, a ticket for each point.
type matrix struct {
	*world
	fault string
	notes notes
}

func (m *matrix) play(points []string, tool string, acts []act) {
	m.Helper()
	on := 0
	var of []act
	for i, a := range acts {
		if a.tool != tool {
			continue
		}
		if a.cancels {
			booking := acts[slices.IndexFunc(acts, func(b act) bool { return b.tool == "book_pickup" && b.ticket() == a.ticket() })]
			m.notes.take(booking, time.Now(), m.ask(booking.tool, booking.args), nil)
		}
		if on < len(points) {
			m.cell(points[on], acts[i])
			of = append(of, a)
		}
		on++
	}
	if on < len(points) {
		m.Fatalf("%d tickets for %d points", on, len(points))
	}
	m.flags = patiently
	m.settle()
	m.audit(m.notes.heard)
	m.over(of)
}

// cell is one crash and what comes after it.
func (m *matrix) cell(point string, a act) {
	m.Helper()
	args, _ := m.notes.arguments(a)
	o := operations[a.tool]
	if m.fault != "" {
		m.world.fault(o.create, m.fault, 1, 300*time.Millisecond)
	}
	switch {
	case slices.Contains(telling, point) && a.kind != "escalation":
		m.dieTelling(point, a, args)
	case point == "sweep_settled":
		m.die("claimed", m.asking(a.tool, args)...)
		m.die(point, append([]string{"sweep"}, m.flags...)...)
	default:
		m.die(point, m.asking(a.tool, args)...)
	}
	c := m.serve()
	began := time.Now()
	heard, err := c.obey(a.tool, args)
	m.notes.take(a, began, heard, err)
	if err != nil {
		m.Fatalf("%s, asked after the crash: %v", point, err)
	}
	c.close()
	m.sweep()
	m.clearFaults()
}

// dieTelling has a call end in an unknown, and crash when it tells a person of
// that: its answer is lost, and by then it cannot be looked up any more.
func (m *matrix) dieTelling(point string, a act, args values) {
	m.Helper()
	o := operations[a.tool]
	before := len(m.effects())
	status := func() (all string) {
		for _, e := range m.effects() {
			all += e.Status + " "
		}
		return all
	}
	was := status()
	m.world.fault(o.create, "accept_then_timeout", 1, 0)
	slowly := append(m.asking(a.tool, args), "--provider-timeout", "1500ms", "--answer-within", "3100ms")
	gone := make(chan struct{})
	go func() { defer close(gone); m.die(point, slowly...) }()
	m.until("an effect", func() bool { return len(m.effects()) > before || status() != was })
	m.world.fault(o.list, "reject_500", 1000, 0)
	<-gone
	m.clearFaults()
}

// die runs a process that is to crash at a point. On a busy machine it may not
// get so far: then it has begun nothing, and is run once more.
func (m *matrix) die(point string, args ...string) {
	m.Helper()
	var said []string
	for range 3 {
		cmd := m.command(args...)
		cmd.Env = append(cmd.Env, "COUNTERFOIL_CRASH_AT="+point)
		stdout, stderr, _ := endOf(m.T, cmd)
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signaled() && status.Signal() == syscall.SIGKILL {
			return
		}
		said = append(said, cmd.ProcessState.String(), stdout, stderr)
	}
	m.Errorf("%s: %v was not killed:\n%s", point, args[:2], strings.Join(said, "\n"))
}

// over is what is true when all is over: each act was done once, or refused, or
// left to a person who has been told.
func (m *matrix) over(acts []act) {
	m.Helper()
	last := m.finish(acts, &m.notes)
	if m.fault == "reject" {
		last = slices.DeleteFunc(last, func(l note) bool { return l.Reason == "refused_by_authority" })
	}
	m.auditLast(last)
	m.auditOnce(m.effects())
}
