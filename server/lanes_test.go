package server_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestSlowWritesDoNotHoldUpReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		gate := make(chan struct{})
		s := tools(map[string]handler{"pay": waitsFor(gate, &ran)})
		readTool(s, "list_effects")
		r := connect(t, s)
		const writes = 300
		for id := range writes {
			r.call(id, "pay")
		}
		r.call(1001, "list_effects")
		if got := r.text(1001); got != "read" {
			t.Errorf("got %q", got)
		}
		r.send(`{"jsonrpc":"2.0","id":1002,"method":"tools/list"}`)
		r.reply("1002")
		synctest.Wait()
		if got := ran.Load(); got != 64 {
			t.Errorf("%d writes run at a time, want 64", got)
		}
		close(gate)
		for id := range writes {
			r.text(id)
		}
		r.end()
		r.mustLeave(0)
	})
}

func TestCancelledCallThatWaitsNeverRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var gated, ran atomic.Int64
		gate := make(chan struct{})
		r := connect(t, tools(map[string]handler{"slow": waitsFor(gate, &gated), "pay": waitsFor(gate, &ran)}))
		for id := range 64 {
			r.call(id, "slow")
		}
		synctest.Wait()
		r.call(100, "pay")
		r.call(101, "pay")
		synctest.Wait()
		r.send(cancelled(`100`), cancelled(`"101"`)) // the second names another request
		synctest.Wait()
		close(gate)
		for id := range 64 {
			r.text(id)
		}
		r.text(101)
		if got := ran.Load(); got != 1 {
			t.Errorf("%d of the two waiting calls ran, want the one that was not cancelled", got)
		}
		r.mustBeSilent()
		r.end()
		if _, err := r.left(); err != nil {
			t.Error(err)
		}
	})
}

func TestCancelledCallThatRunsHearsOfItAndAnswers(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`1`, `"one"`} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := connect(t, tools(map[string]handler{"read": untilCancelled}))
				r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"read"}}`)
				synctest.Wait()
				r.send(cancelled(id))
				if got := r.reply(id).text(t); got != "context: context canceled" {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"gave up"}}`, id)
}
