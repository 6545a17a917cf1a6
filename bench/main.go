// Command bench measures counterfoil's engine next to its peers, on one machine
// and one file system, in one run: each takes its turn again and again, so that
// what else the machine does falls on all of them. It measures as well how the
// ledger grows, and how several processes share it.
//
// It is a module of its own: what it compares with is no dependency of the
// product.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

type options struct {
	dir       string
	rounds    int
	period    time.Duration
	peers     string
	postgres  string
	grow      int64
	processes int
	update    string

	// Of the processes that the program starts of itself.
	saturate string
	turn     string
	run      string
	callers  int
	repeats  bool
	from     int64
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "where to measure: a directory on a real disk, in which grown ledgers stay (default: a temporary one)")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each contender takes its turn")
	flag.DurationVar(&o.period, "for", 2*time.Second, "how long a turn is")
	flag.StringVar(&o.peers, "only", "", "contenders to measure, by name, with commas between them (default: all)")
	flag.StringVar(&o.postgres, "postgres", "", "a Postgres to measure DBOS on: what postgres.sh start says")
	flag.Int64Var(&o.grow, "grow", 100_000, "how many intents the large ledger is to have; 0: no large ledger")
	flag.IntVar(&o.processes, "processes", 4, "how many processes share one ledger; 0: none")
	flag.StringVar(&o.update, "update", "", "the page whose generated part to write anew, docs/PERFORMANCE.md")
	const itself = "for the program itself"
	flag.StringVar(&o.saturate, "saturate", "", itself)
	flag.StringVar(&o.turn, "turn", "", itself)
	flag.StringVar(&o.run, "run", "", itself)
	flag.IntVar(&o.callers, "callers", 1, itself)
	flag.BoolVar(&o.repeats, "repeats", false, itself)
	flag.Int64Var(&o.from, "from", 0, itself)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	switch {
	case o.saturate != "":
		return saturate(ctx, o)
	case o.turn != "":
		return takeTurn(ctx, o)
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "bench"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	var r report
	r.about(o)
	if r.peers, err = comparePeers(ctx, o); err != nil {
		return err
	}
	if o.processes > 0 {
		if r.shared, err = share(ctx, o); err != nil {
			return err
		}
	}
	if o.grow > 0 {
		if r.growth, err = grow(ctx, o); err != nil {
			return err
		}
	}
	text := r.text()
	fmt.Print(text)
	if o.update == "" {
		return nil
	}
	return rewrite(o.update, text)
}

// chosen says whether a contender is to be measured.
func (o options) chosen(name string) bool {
	if o.peers == "" {
		return true
	}
	for only := range strings.SplitSeq(o.peers, ",") {
		if only == name {
			return true
		}
	}
	return false
}
