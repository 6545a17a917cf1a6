package intent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/intent"
)

// An error is stored under the key, and its act lands after all: the key stays
// until the lookup, which lags, could have shown it.
func TestMutantStoredErrorThatActs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{lag: 2 * time.Second}
		b.caps = intent.Capabilities{Dedupe: 24 * time.Hour, ErrorsStored: true, Lookup: intent.LookupDelayed, LookupDelay: 2 * time.Second, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(intent.Order) (time.Duration, bool, intent.Answer) {
			return 25 * time.Second, true, intent.AnsweredAmbiguous{Detail: "http 500", Stored: true}
		}, okNow)
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(5 * time.Second)
		t.Log(es[0].Do(t.Context(), "act", intent.Arguments(`{}`)).Verdict)
		<-time.After(time.Minute)
		if b.count() != 1 {
			t.Errorf("%d effects, want 1", b.count())
		}
	})
}

// The provider keeps a key for two minutes from its first arrival, however often
// it comes.
func TestMutantAgeOfAKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b := &books{lag: time.Second}
		b.caps = intent.Capabilities{Dedupe: 2 * time.Minute, Lookup: intent.LookupDelayed, LookupDelay: time.Second, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(o intent.Order) (time.Duration, bool, intent.Answer) {
			switch at := time.Since(began); {
			case at < 110*time.Second:
				return 0, false, lost
			case at < 2*time.Minute:
				return 25 * time.Second, true, lost
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if at, there := b.effects[o.Key]; there { // the key is forgotten, the act still in the queue
				delete(b.effects, o.Key)
				b.effects["forgotten"] = at
			}
			return okNow(o)
		})
		_, es := enginesOn(t, intent.ClassReversible, b, "P1")
		for range 12 {
			r := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
			t.Log(time.Since(began), r.Outcome, r.Reason, r.Retry, r.Attempts)
			<-time.After(10 * time.Second)
		}
		if b.count() > 1 {
			t.Errorf("%d effects, want 1 at most", b.count())
		}
	})
}

// A key is left alone a sixth of its time before the provider forgets it: clocks
// differ, and a request takes its time.
func TestMutantMarginOfAKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := map[string]time.Time{}
		b := &books{lag: time.Second}
		b.caps = intent.Capabilities{Dedupe: 2 * time.Minute, Lookup: intent.LookupDelayed, LookupDelay: time.Second, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(o intent.Order) (time.Duration, bool, intent.Answer) {
			if _, known := first[o.Key]; !known {
				first[o.Key] = time.Now()
			}
			if age := time.Since(first[o.Key]); age > 100*time.Second {
				t.Errorf("sent under a key that is %v old", age)
			}
			return 0, false, lost
		})
		_, es := enginesOn(t, intent.ClassReversible, b, "P1")
		for range 13 {
			es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
			<-time.After(10 * time.Second)
		}
	})
}

// What has not been told to us yet may be there.
func TestMutantWebhookIsNoLookup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{lag: time.Minute}
		b.caps = intent.Capabilities{Dedupe: 24 * time.Hour, Lookup: intent.LookupWebhook, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(intent.Order) (time.Duration, bool, intent.Answer) { return 0, true, lost })
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		r := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		if r.Outcome != intent.Unknown || r.Retry != intent.RetryNever {
			t.Errorf("%s %s %s, want unknown", r.Outcome, r.Reason, r.Retry)
		}
	})
}

// A person says that it was done, by hand and under no key of ours: a lookup that
// does not find it takes nothing back.
func TestMutantAbsenceOverAPersonsWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{}
		b.caps = intent.Capabilities{Lookup: intent.LookupReadAfterWrite, LandsWithin: 30 * time.Second}
		b.script = append(b.script, func(intent.Order) (time.Duration, bool, intent.Answer) { return 0, false, lost })
		_, es := enginesOn(t, intent.ClassIrreversible, b, "P1")
		r := es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		key, err := intent.ParseKey(r.IntentKey)
		if err != nil || r.Outcome != intent.Unknown {
			t.Fatal(r.Outcome, r.Reason, err)
		}
		if _, err := es[0].Resolve(t.Context(), key, intent.Person{Name: "A. Person"}, "BY-HAND-1"); err != nil {
			t.Fatal(err)
		}
		<-time.After(25 * time.Hour)
		r = es[0].Do(t.Context(), "act", intent.Arguments(`{}`))
		if r.Outcome != intent.AlreadyPerformed || r.Retry != intent.RetryNotNeeded {
			t.Errorf("%s %s %s, want already_performed: a person has said so", r.Outcome, r.Reason, r.Retry)
		}
	})
}

// Reads that take too long leave no time to look up what becomes of a send:
// nothing is sent.
func TestMutantNoTimeToLookUp(t *testing.T) {
	bubble(t, func(r *rig) {
		p, other := r.process("P1"), r.process("P2")
		slowly := func() {
			r.fault("orders.get", "slow", 1, 4500*time.Millisecond)
			r.fault("refunds.list", "slow", 1, 4500*time.Millisecond)
		}
		slowly()
		p.at = func(point intent.Point) {
			if point != intent.PointBeforeClaim {
				return
			}
			p.at = nil // what was read moves, once: it is read again
			want(t, other.do(map[string]any{"item_id": "HOOK-OAK-2", "amount_cents": 2600}), intent.Performed, "", intent.RetryNotNeeded)
			slowly()
			r.faultOnce("refunds.create", "accept_then_timeout")
		}
		want(t, p.do(nil), intent.NotPerformed, intent.ReasonUnreachable, intent.RetryWait)
	})
}
