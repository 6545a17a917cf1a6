//go:build unix

package e2e_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	kills    = flag.Int("kills", 40, "how many processes TestKilledAtRandom kills")
	killSeed = flag.Uint64("kill-seed", 1, "where TestKilledAtRandom begins; the machine's own timing is not repeated")
)

const (
	killsPerRound = 50
	serversAtOnce = 4
)

// Four servers on one ledger are killed with SIGKILL at random moments, each
// under a caller of its own and all under one marketplace that misbehaves. Each
// is replaced at once. In the end nothing has acted twice, and every answer that
// anybody got was true.
func TestKilledAtRandom(t *testing.T) {
	binary := build(t, "")
	total := 0
	for round := uint64(0); total < *kills; round++ {
		n := min(*kills-total, killsPerRound)
		total += n
		t.Run(fmt.Sprintf("seed %d", *killSeed+round), func(t *testing.T) {
			r := &killing{world: newWorld(t, binary, promptly), rng: rand.New(rand.NewPCG(*killSeed+round, 0))}
			r.round(n)
		})
	}
}

// killing is one round: a marketplace, a ledger and what is done to them.
type killing struct {
	*world
	rng     *rand.Rand // the killer's
	acts    []act
	notes   notes
	at      atomic.Int64 // how far the callers have come
	struck  atomic.Int64 // kills that took a call's answer away
	servers [serversAtOnce]atomic.Pointer[client]
}

func (k *killing) round(n int) {
	k.flags = []string{"--provider-timeout", "700ms", "--answer-within", "4s"}
	k.acts = k.world.acts(n)
	stop := make(chan struct{})
	var running sync.WaitGroup
	for i := range serversAtOnce {
		running.Go(func() { k.caller(i, stop) })
	}
	running.Go(func() { k.weather(stop) })
	for range n {
		k.strike()
	}
	close(stop)
	for i := range k.servers { // the last ones too
		if c := k.servers[i].Load(); c != nil {
			c.kill()
		}
	}
	running.Wait()
	k.clearFaults()
	k.flags = patiently
	<-time.After(1200 * time.Millisecond) // what was promised to land has landed
	k.settle()
	k.auditLast(k.finish(k.acts, &k.notes))
	for _, err := range k.notes.wrong {
		k.Error(err)
	}
	k.audit(k.notes.heard)
	k.Log(append([]any{n, "kills,", k.struck.Load(), "in the middle of a call; answers:"}, outcomes(k.notes.tally())...)...)
}

// strike waits a while and kills one of the servers, whatever it is doing.
func (k *killing) strike() {
	for {
		<-time.After(time.Duration(k.rng.Int64N(int64(100 * time.Millisecond))))
		c := k.servers[k.rng.IntN(serversAtOnce)].Load()
		if c == nil || isClosed(c.gone) {
			continue
		}
		c.kill()
		return
	}
}

// caller keeps a server running and calls it, one call after the other.
func (k *killing) caller(i int, stop <-chan struct{}) {
	rng := rand.New(rand.NewPCG(*killSeed, uint64(i)+1))
	for !isClosed(stop) {
		c, err := launch(k.T, k.serving("--sweep-every", "300ms"))
		if err != nil {
			k.Error(err)
			return
		}
		k.servers[i].Store(c)
		err = c.greet()
		for err == nil && !isClosed(stop) {
			err = k.callOnce(c, rng)
		}
		c.kill()
	}
}

// callOnce makes the next call, or one that somebody has made or is making.
func (k *killing) callOnce(c *client, rng *rand.Rand) error {
	at := int(k.at.Load())
	if rng.IntN(2) == 0 {
		at = int(k.at.Add(1))
	} else {
		at = max(0, at+3-rng.IntN(16))
	}
	a := k.acts[at%len(k.acts)]
	args, known := k.notes.arguments(a)
	if !known {
		return nil
	}
	began := time.Now()
	heard, err := c.call(a.tool, args)
	if errors.Is(err, errGone) {
		k.struck.Add(1)
		return err
	}
	k.notes.take(a, began, heard, err)
	return nil
}

// weather makes the marketplace misbehave all the time, now in this way and now
// in that one.
func (k *killing) weather(stop <-chan struct{}) {
	rng := rand.New(rand.NewPCG(*killSeed, 99))
	writes := []string{"refunds.create", "messages.create", "pickups.create", "pickups.cancel", "replacements.create", "escalations.create"}
	reads := []string{"refunds.list", "messages.list", "pickups.list", "replacements.list", "orders.get", "tickets.get"}
	modes := []string{
		"slow", "slow", "slow", "slow", "accept_then_timeout", "timeout_before_accept", "accept_then_500", "accept_then_drop",
		"accept_then_garbage", "wrong_echo", "reject_500", "reject_transient", "land_late", "deliver_twice", "down", "stored_500",
	}
	for {
		fault := map[string]any{"operation": writes[rng.IntN(len(writes))], "mode": modes[rng.IntN(len(modes))], "times": 1, "delay_ms": 20 + rng.IntN(200)}
		if rng.IntN(10) == 0 {
			fault["operation"], fault["mode"] = reads[rng.IntN(len(reads))], "down"
		}
		if err := k.tryHTTP("POST", "/admin/faults", fault, nil); err != nil {
			k.Error(err)
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(rng.Int64N(int64(40 * time.Millisecond)))):
		}
	}
}
