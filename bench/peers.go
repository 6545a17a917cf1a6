package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// callersMeasured are how many callers there are at once.
var callersMeasured = []int{1, 16, 64}

// peer is a contender, and what was measured of it.
type peer struct {
	name   string
	open   func(ctx context.Context, dir string) (contender, error)
	single bool // says nothing with more than one caller, or of repeats
	contender
	next    int64 // the number that was acted under last
	results map[turn][]measured
}

// turn is one thing that is measured of a contender.
type turn struct {
	callers int
	repeat  bool
}

func peersOf(o options) []*peer {
	all := []*peer{
		{name: "floor", open: openFloor, single: true},
		{name: "plain", open: openPlain},
		{name: "counterfoil", open: openProduct},
		{name: "dbos-sqlite", open: openDBOSOnSQLite},
	}
	if o.postgres != "" {
		all = append(all, &peer{name: "dbos-postgres", open: func(ctx context.Context, _ string) (contender, error) {
			return openDBOSOnPostgres(ctx, o.postgres)
		}})
	}
	var chosen []*peer
	for _, p := range all {
		if o.chosen(p.name) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// comparePeers has the contenders take turns.
func comparePeers(ctx context.Context, o options) ([]*peer, error) {
	peers := peersOf(o)
	for _, p := range peers {
		p.results = map[turn][]measured{}
		dir := filepath.Join(o.dir, p.name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if p.contender, err = p.open(ctx, dir); err != nil {
			return nil, fmt.Errorf("open %s: %w", p.name, err)
		}
		defer p.close()
	}
	for round := range o.rounds {
		for _, callers := range callersMeasured {
			for _, repeat := range []bool{false, true} {
				t := turn{callers, repeat}
				for _, i := range rand.Perm(len(peers)) {
					fmt.Fprintf(os.Stderr, "round %d of %d: %d callers, %s%s          \r", round+1, o.rounds, callers, peers[i].name, map[bool]string{true: ", repeats"}[repeat])
					if err := peers[i].take(ctx, o, t); err != nil {
						return nil, fmt.Errorf("%s: %w", peers[i].name, err)
					}
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	return peers, nil
}

// take has one contender take one turn.
func (p *peer) take(ctx context.Context, o options, t turn) error {
	if p.single && (t.callers > 1 || t.repeat) {
		return nil
	}
	first := p.next
	m, err := measure(ctx, t.callers, o.period, func(ctx context.Context, n int64) error {
		if t.repeat {
			return p.once(ctx, 1+n%first)
		}
		return p.once(ctx, first+n)
	})
	if err != nil {
		return err
	}
	if !t.repeat {
		p.next += int64(len(m.took))
	}
	p.results[t] = append(p.results[t], m)
	return nil
}

// of is all that was measured of one thing.
func (p *peer) of(callers int, repeat bool) measured { return merge(p.results[turn{callers, repeat}]) }
