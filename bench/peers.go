package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// callersMeasured are how many callers there are at once.
var callersMeasured = []int{1, 16, 64}

// opening opens a contender in its directory. The id of the run is in the keys
// of one that keeps them elsewhere.
type opening func(ctx context.Context, o options, dir string) (contender, error)

var contenders = map[string]opening{
	"floor":         openFloor,
	"plain":         openPlain,
	"counterfoil":   openProduct,
	"dbos-sqlite":   openDBOSOnSQLite,
	"dbos-postgres": openDBOSOnPostgres,
}

// peer is a contender, and what was measured of it.
type peer struct {
	name    string
	single  bool  // says nothing with more than one caller, or of repeats
	next    int64 // the number that was acted under last
	results map[turn][]measured
}

// turn is one thing that is measured of a contender.
type turn struct {
	callers int
	repeat  bool
}

func peersOf(o options) (chosen []*peer) {
	for _, name := range []string{"floor", "plain", "counterfoil", "dbos-sqlite", "dbos-postgres"} {
		if o.chosen(name) && (name != "dbos-postgres" || o.postgres != "") {
			chosen = append(chosen, &peer{name: name, single: name == "floor", results: map[turn][]measured{}})
		}
	}
	return chosen
}

// comparePeers has the contenders take turns, each in a process of its own, so
// that what one leaves running or lying about costs no other.
func comparePeers(ctx context.Context, o options) ([]*peer, error) {
	peers := peersOf(o)
	for _, p := range peers {
		if err := anew(filepath.Join(o.dir, p.name)); err != nil {
			return nil, err
		}
	}
	o.run = strconv.FormatInt(time.Now().Unix(), 10)
	for round := range o.rounds {
		for _, callers := range callersMeasured {
			for _, repeat := range []bool{false, true} {
				for _, i := range rand.Perm(len(peers)) {
					p := peers[i]
					if p.single && (callers > 1 || repeat) {
						continue
					}
					fmt.Fprintf(os.Stderr, "round %d of %d: %d callers, %-16s repeats: %-5v\r", round+1, o.rounds, callers, p.name, repeat)
					if err := p.take(ctx, o, turn{callers, repeat}); err != nil {
						return nil, fmt.Errorf("%s: %w", p.name, err)
					}
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	return peers, nil
}

// anew makes an empty directory.
func anew(dir string) error { return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)) }

// taken is what a turn came to.
type taken struct {
	Took []time.Duration
	All  time.Duration
	Last int64 // the number that was acted under last
}

// take has a contender take a turn.
func (p *peer) take(ctx context.Context, o options, t turn) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-turn", p.name, "-dir", filepath.Join(o.dir, p.name), "-run", o.run,
		"-callers", strconv.Itoa(t.callers), "-repeats="+strconv.FormatBool(t.repeat), "-from", strconv.FormatInt(p.next, 10),
		"-for", o.period.String(), "-postgres", o.postgres)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var result taken
	if err := errors.Join(gob.NewDecoder(out).Decode(&result), cmd.Wait()); err != nil {
		return err
	}
	p.next = result.Last
	p.results[t] = append(p.results[t], measured{result.Took, result.All})
	return nil
}

// warmUp is how long a contender is at it before it is measured.
const warmUp = 200 * time.Millisecond

// takeTurn is what the process of a turn does.
func takeTurn(ctx context.Context, o options) error {
	c, err := contenders[o.turn](ctx, o, o.dir)
	if err != nil {
		return err
	}
	last := o.from
	do := func(ctx context.Context, n int64) error { return c.once(ctx, o.from+n) }
	if o.repeats {
		do = func(ctx context.Context, n int64) error { return c.once(ctx, 1+n%o.from) }
	}
	m, err := measure(ctx, o.callers, warmUp, do)
	if err == nil {
		if !o.repeats {
			o.from += int64(len(m.took))
		}
		if m, err = measure(ctx, o.callers, o.period, do); err == nil && !o.repeats {
			last = o.from + int64(len(m.took))
		}
	}
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	return gob.NewEncoder(os.Stdout).Encode(taken{m.took, m.all, last})
}

// of is all that was measured of one thing.
func (p *peer) of(callers int, repeat bool) measured { return merge(p.results[turn{callers, repeat}]) }
