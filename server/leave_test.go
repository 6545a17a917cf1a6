package server_test

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"counterfoil/server"
)

func TestEndOfInputIsNotCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"slow": takes(2 * time.Second)}))
		for id := range 10 {
			r.call(id, "slow")
		}
		r.end()
		for id := range 10 {
			if got := r.text(id); got != "context: <nil>" {
				t.Errorf("call %d: %s", id, got)
			}
		}
		r.mustLeave(2 * time.Second)
		r.engine.mustHaveLeft(t, afterInput)
	})
}

func TestLastLineNeedsNoNewline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"pay": says("paid")}))
		if _, err := io.WriteString(r.in, callLine(1, "pay")); err != nil {
			t.Fatal(err)
		}
		r.end()
		if got := r.text(1); got != "paid" {
			t.Errorf("got %q", got)
		}
		r.mustLeave(0)
	})
}

func TestEveryLineOfALongInputIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 3000 // more than may be in flight
		r := connect(t, tools(map[string]handler{"slow": takes(time.Millisecond)}))
		for id := range calls {
			r.call(id, "slow")
		}
		r.end()
		for id := range calls {
			r.text(id)
		}
		if _, err := r.left(); err != nil {
			t.Error(err)
		}
	})
}

// Calls that wait for a place when input ends are run before their right to
// claim is over, or right after it, when the engine refuses them at once.
func TestQueuedCallsAreServedWhenInputEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		gate := make(chan struct{})
		r := connect(t, tools(map[string]handler{"gated": waitsFor(gate, &ran), "pay": says("paid")}))
		for id := range 64 {
			r.call(id, "gated")
		}
		synctest.Wait() // every place is taken
		r.call(64, "pay")
		r.end()
		if got := r.text(64); got != "paid" {
			t.Errorf("got %q", got)
		}
		if got := time.Since(r.begun); got != time.Second {
			t.Errorf("the queued call ran after %v, want 1s", got)
		}
		close(gate)
		r.mustLeave(time.Second)
	})
}

func TestSignalLetsRunningCallsAnswer(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := connect(t, tools(map[string]handler{"slow": takes(2500 * time.Millisecond)}))
				r.call(1, "slow")
				r.call(2, "slow")
				synctest.Wait()
				r.signals <- sig
				synctest.Wait()
				r.engine.mustHaveLeft(t, afterSignal)
				for _, id := range []int{1, 2} {
					if got := r.text(id); got != "context: <nil>" {
						t.Errorf("call %d: %s", id, got)
					}
				}
				r.mustLeave(2500 * time.Millisecond)
			})
		})
	}
}

func TestNothingIsTakenAfterASignal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		gate := make(chan struct{})
		close(gate)
		r := connect(t, tools(map[string]handler{"slow": takes(time.Second), "pay": waitsFor(gate, &ran)}))
		r.call(1, "slow")
		synctest.Wait()
		r.signals <- syscall.SIGTERM
		synctest.Wait()
		r.call(2, "pay")
		r.mustLeave(time.Second)
		if ran.Load() != 0 {
			t.Error("a line that came after the signal was served")
		}
	})
}

func TestSignalAfterEndOfInputIsStricter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"slow": takes(2 * time.Second)}))
		r.call(1, "slow")
		r.end()
		synctest.Wait()
		r.signals <- syscall.SIGTERM
		synctest.Wait()
		r.signals <- syscall.SIGTERM // clients repeat themselves
		r.text(1)
		r.mustLeave(2 * time.Second)
		r.engine.mustHaveLeft(t, afterInput, afterSignal)
	})
}

func TestSecondInterruptLeavesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"slow": takes(time.Hour)}))
		r.call(1, "slow")
		synctest.Wait()
		r.signals <- os.Interrupt
		synctest.Wait()
		r.signals <- os.Interrupt
		r.mustGiveUp(0)
	})
}

func TestLeavingIsBounded(t *testing.T) {
	t.Parallel()
	const bound = 3800 * time.Millisecond
	t.Run("a call that hears nothing", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := connect(t, tools(map[string]handler{"hang": takes(time.Hour)}))
			r.call(1, "hang")
			r.end()
			r.mustGiveUp(bound)
		})
	})
	t.Run("an engine that is never at rest", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := connect(t, tools(nil))
			r.engine.detached.Go(func() { <-time.After(time.Hour) })
			r.signals <- syscall.SIGTERM
			r.mustGiveUp(bound)
		})
	})
	t.Run("a client that does not read", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := connectUnread(t, tools(map[string]handler{"pay": says("paid")}))
			r.call(1, "pay")
			r.send("not JSON")
			r.end()
			r.mustGiveUp(bound)
		})
	})
	t.Run("a read that heeds its context answers before", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := connect(t, tools(map[string]handler{"read": untilCancelled}))
			r.call(1, "read")
			r.end()
			if got := r.text(1); got != "context: context canceled" {
				t.Errorf("got %q", got)
			}
			r.mustLeave(3 * time.Second)
		})
	})
}

func TestLeavingWaitsForDetachedWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(nil))
		r.engine.detached.Go(func() { <-time.After(2 * time.Second) })
		r.end()
		r.mustLeave(2 * time.Second)
	})
}

func TestOrphanLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"slow": takes(3 * time.Second)}))
		<-time.After(time.Minute)
		r.call(1, "slow")
		r.parent.Store(1)
		<-time.After(2500 * time.Millisecond)
		r.engine.mustHaveLeft(t, afterInput) // seen at 61 s and again at 62 s
		r.text(1)
		r.mustLeave(63 * time.Second)
	})
}

// A parent that writes its calls and exits leaves them in the pipe.
func TestLastLinesOfADeadParentAreServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"pay": says("paid")}))
		r.parent.Store(1)
		<-time.After(1500 * time.Millisecond) // it has been seen once
		r.call(1, "pay")
		r.end()
		if got := r.text(1); got != "paid" {
			t.Errorf("got %q", got)
		}
		r.mustLeave(1500 * time.Millisecond)
	})
}

func TestEndOfContextLeavesAndCancelsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		defer func() { _ = client.Close() }()
		var ended atomic.Value
		s := tools(nil)
		s.AddTool(toolNamed("slow"), recordsContext(time.Second, &ended))
		ctx, cancel := context.WithCancel(t.Context())
		e := &engine{}
		done := make(chan error, 1)
		go func() {
			done <- server.Stdio(ctx, server.StdioOptions{MCP: s, In: in, Out: io.Discard, Engine: e})
		}()
		_, _ = io.WriteString(client, callLine(1, "slow")+"\n")
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if ended.Load() != "context: <nil>" {
			t.Errorf("the call ended with %v", ended.Load())
		}
		e.mustHaveLeft(t, afterSignal)
	})
}

func TestBrokenOutputLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := connectUnread(t, tools(map[string]handler{"pay": says("paid"), "slow": takes(time.Second)}))
		r.call(1, "slow")
		_ = r.out.Close()
		r.call(2, "pay")
		r.mustLeave(time.Second)
		r.engine.mustHaveLeft(t, afterSignal)
	})
}
