package server_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"counterfoil/server"
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

func TestHTTPCallThatWaitsNeverRunsOnceItsClientIsGone(t *testing.T) {
	t.Parallel()
	var arrived, gated, ran atomic.Int64
	gate, left := make(chan struct{}), make(chan struct{})
	catalog := tools(map[string]handler{"slow": waitsFor(gate, &gated), "pay": waitsFor(gate, &ran)})
	h := open(t, catalog, func(o *server.HTTPOptions) {
		o.Admit = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				arrived.Add(1)
				next.ServeHTTP(w, r)
				if r.Context().Err() != nil {
					close(left)
				}
			})
		}
	})
	var answers []<-chan got
	for id := range 64 {
		answers = append(answers, h.later(t.Context(), callLine(id, "slow")))
	}
	for gated.Load() < 64 {
		runtime.Gosched()
	}
	ctx, leave := context.WithCancel(t.Context())
	waits := h.later(ctx, callLine(100, "pay"))
	for arrived.Load() < 65 {
		runtime.Gosched()
	}
	leave()
	receive(t, waits)
	receive(t, left)
	close(gate)
	for _, answer := range answers {
		receive(t, answer)
	}
	if got := ran.Load(); got != 0 {
		t.Error("a call whose client had gone while it waited was run")
	}
}
