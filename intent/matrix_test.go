package intent_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"counterfoil/intent"
)

// faultsOfRefunds are the ways in which one refund can go wrong. ends is the
// outcome that a model which does as it is told reads last, effects what the
// authority then has.
var faultsOfRefunds = []struct {
	mode    string
	ends    intent.Outcome
	effects int
}{
	{"accept_then_timeout", intent.Performed, 1},
	{"timeout_before_accept", intent.Performed, 1},
	{"accept_then_500", intent.Performed, 1},
	{"accept_then_drop", intent.Performed, 1},
	{"accept_then_garbage", intent.Performed, 1},
	{"wrong_echo", intent.Performed, 1},
	{"reject_500", intent.Performed, 1},
	{"reject", intent.NotPerformed, 0},
	{"reject_transient", intent.Performed, 1},
	{"slow", intent.Performed, 1},
	{"land_late", intent.Performed, 1},
	{"lag", intent.Performed, 1},
	{"deliver_twice", intent.Performed, 1},
	{"down", intent.Performed, 1},
	{"stored_500", intent.Performed, 1},
	{"pending_then_succeeded", intent.Performed, 1},
	{"pending_then_failed", intent.Performed, 1},
}

func TestEveryFaultOfARefund(t *testing.T) {
	for _, tt := range faultsOfRefunds {
		t.Run(tt.mode, func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				r.fault("refunds.create", tt.mode, 1, 3*time.Second)
				last := r.obey(p, nil)
				if last.Outcome != tt.ends {
					t.Errorf("a model that obeys reads %s (%s) last, want %s", last.Outcome, last.Verdict, tt.ends)
				}
				r.wantEffects("refund", tt.effects)
				for range 3 { // and one that does not obey changes nothing
					p.do(nil)
				}
				r.wantEffects("refund", tt.effects)
			})
		})
	}
}

// Twice the same fault: the second ambiguous send of an irreversible act is the
// last.
func TestEveryFaultTwice(t *testing.T) {
	for _, tt := range faultsOfRefunds {
		t.Run(tt.mode, func(t *testing.T) {
			bubble(t, func(r *rig) {
				p := r.process("P1")
				r.fault("refunds.create", tt.mode, 2, 3*time.Second)
				r.obey(p, nil)
				for range 5 {
					r.later(20 * time.Second)
					r.sweep(p)
				}
				if got := r.effects("refund"); len(got) > 1 {
					t.Errorf("%d refunds, want at most one", len(got))
				}
				r.checkTruth(p.do(nil))
			})
		})
	}
}

// A process is killed at each point, under each fault, restarted and asked
// again: one effect at the most, and every answer true.
func TestCrashAtEveryPoint(t *testing.T) {
	for _, point := range intent.Points() {
		for _, tt := range faultsOfRefunds {
			t.Run(fmt.Sprintf("%s/%s", point, tt.mode), func(t *testing.T) {
				bubble(t, func(r *rig) {
					r.fault("refunds.create", tt.mode, 1, 3*time.Second)
					p1 := r.process("P1")
					p1.at = func(at intent.Point) {
						if at == point {
							runtime.Goexit()
						}
					}
					r.crash(p1, nil)
					p2 := r.process("P2")
					if tt.mode == "lag" { // breaks what the marketplace declares of its lookup
						r.later(3 * time.Second)
					}
					r.obey(p2, nil)
					for range 4 {
						r.later(20 * time.Second)
						r.sweep(p2)
					}
					last := p2.do(nil)
					r.checkTruth(last)
					if got := r.effects("refund"); len(got) > 1 {
						t.Errorf("%d refunds, want at most one: %+v", len(got), got)
					}
					if last.Outcome == intent.Unknown {
						t.Errorf("still unknown after the authority could be asked: %s", last.Verdict)
					}
				})
			})
		}
	}
}

// obey calls as a model that does what the answers say, and checks each answer
// against the authority's books.
func (r *rig) obey(p *process, changes map[string]any) intent.Result {
	r.t.Helper()
	for range 6 {
		answer := p.do(changes)
		r.checkTruth(answer)
		if answer.Retry != intent.RetryWait {
			return answer
		}
		r.later(time.Duration(answer.RetryAfterSeconds) * time.Second)
	}
	r.t.Error("told to wait and retry for ever")
	return intent.Result{}
}

// checkTruth compares an answer with the authority's books.
func (r *rig) checkTruth(answer intent.Result) {
	r.t.Helper()
	refunds := r.effects("refund")
	switch answer.Outcome {
	case intent.Performed, intent.AlreadyPerformed:
		for _, e := range refunds {
			if e.ID == answer.RefundID && e.Intent == answer.IntentKey && e.Cents == answer.Cents {
				return
			}
		}
		r.t.Errorf("%s %s, and the authority has %+v", answer.Outcome, answer.RefundID, refunds)
	case intent.NotPerformed:
		for _, e := range refunds {
			if e.Intent == answer.IntentKey && e.Status != "failed" && answer.IntentKey != "" {
				r.t.Errorf("not_performed (%s), and the authority has %+v", answer.Reason, e)
			}
		}
	case intent.Unknown:
	}
}
