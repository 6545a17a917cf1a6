package intent_test

import (
	"sync/atomic"
	"testing"
	"time"

	"counterfoil/intent"
)

// setClock gives the rig's processes a wall clock that is off by what set says
// last, and a clock since the machine's start that nobody sets.
func (r *rig) setClock() (set func(time.Duration)) {
	var off atomic.Int64
	began := time.Now()
	r.alter = func(o *intent.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
		o.Uptime = func() intent.Uptime { return intent.Uptime{Boot: 1, Since: time.Since(began)} }
	}
	return func(d time.Duration) { off.Store(int64(d)) }
}

// A clock that jumps, forward or back, while a send may still land, costs an
// escalation at most, and never a second effect.
func TestClockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{"a day forward": 26 * time.Hour, "a minute forward": time.Minute, "hours back": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				set := r.setClock()
				p := r.process("P1")
				r.fault("refunds.create", "land_late", 1, 25*time.Second)
				want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
				set(jump)
				second := p.Do(r.ctx, "issue_refund", refund(nil))
				if second.Outcome == intent.Unknown && second.Escalation == nil {
					t.Errorf("unknown, and nobody is told: %s", second.Verdict)
				}
				r.later(time.Minute)
				r.wantEffects("refund", 1)
				if third := p.Do(r.ctx, "issue_refund", refund(nil)); third.Outcome != intent.AlreadyPerformed {
					t.Errorf("reads %s (%s), and the refund exists", third.Outcome, third.Verdict)
				}
			})
		})
	}
}

// The same without the jump: the clocks agree, and a proven absence is one.
func TestClocksAgree(t *testing.T) {
	bubble(t, func(r *rig) {
		r.setClock()
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		r.later(25 * time.Hour)
		want(t, p.do(nil), intent.Performed, "", intent.RetryNotNeeded)
		r.wantEffects("refund", 1)
	})
}

// A clock that fell back shows no key's age: what may still land is not sent
// again until it has caught up, and a person is told.
func TestClockThatFellBack(t *testing.T) {
	bubble(t, func(r *rig) {
		set := r.setClock()
		p := r.process("P1")
		r.faultOnce("refunds.create", "timeout_before_accept")
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonAbsent, intent.RetryWait)
		set(-3 * time.Hour)
		second := p.do(nil)
		want(t, second, intent.Unknown, intent.ReasonLookupWeak, intent.RetryNever)
		if second.Escalation == nil {
			t.Error("nobody is told")
		}
		r.wantEffects("refund", 0)
	})
}
