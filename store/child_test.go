package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"counterfoil/intent"
	"counterfoil/store"
)

// A child is this test's own binary, started again to be another process.
const (
	childDoes = "COUNTERFOIL_TEST_CHILD"
	childPath = "COUNTERFOIL_TEST_LEDGER"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childDoes) {
	case "":
		os.Exit(m.Run())
	case "hold":
		childMust(holdOne(os.Getenv(childPath)))
	case "race":
		childMust(race(os.Getenv(childPath)))
	case "claim":
		childMust(claimOn(os.Getenv(childPath)))
	case "claim together":
		childMust(claimTogether(os.Getenv(childPath)))
	case "saturate":
		childMust(saturate(os.Getenv(childPath)))
	}
}

// childMust ends the child, not well.
func childMust(err error) {
	if err != nil {
		panic(err)
	}
}

// holdOne claims an intent, says who it is, and stays until its input ends.
func holdOne(path string) error {
	l, err := store.Open(context.Background(), options(path))
	if err != nil {
		return err
	}
	c := claim(1)
	c.Row.Owner = l.Owner()
	if _, err := l.Commit(context.Background(), c); err != nil {
		return err
	}
	fmt.Println(l.Owner())
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, l.Close())
}

const raceKeys = 20

// race waits for its input to end, opens the ledger, claims each of a few keys
// and says how many it has won.
func race(path string) error {
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	l, err := store.Open(context.Background(), options(path))
	if err != nil {
		return err
	}
	won := 0
	for n := range raceKeys {
		c := claim(n)
		c.Row.Owner = l.Owner()
		_, err := l.Commit(context.Background(), c)
		var stale *intent.StaleError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &stale):
			return err
		}
	}
	fmt.Println(won)
	return l.Close()
}

// claimOn claims one intent after the other and says so each time.
func claimOn(path string) error {
	l, err := store.Open(context.Background(), options(path))
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if _, err := l.Commit(context.Background(), claim(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// callers is how many callers a child has that claim at once.
const callers = 16

// claimTogether has callers claim one intent after the other, and says so each
// time.
func claimTogether(path string) error {
	l, err := store.Open(context.Background(), options(path))
	if err != nil {
		return err
	}
	var n atomic.Int64
	failed := make(chan error)
	for range callers {
		go func() {
			for {
				i := int(n.Add(1))
				if _, err := l.Commit(context.Background(), claim(i)); err != nil {
					failed <- err
				}
				fmt.Println(i)
			}
		}()
	}
	return <-failed
}

// saturate opens the ledger, waits for a line of input, has callers claim until
// the input ends, and says how many claims that were and the longest that one of
// them has taken.
func saturate(path string) error {
	l, err := store.Open(context.Background(), options(path))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	var stop atomic.Bool
	var n, longest atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for !stop.Load() {
				c := claim(0)
				c.Row.Key = intent.DeriveKey(l.Owner(), "issue_refund", []intent.Fact{intent.IntFact("n", n.Add(1))})
				begin := time.Now()
				_, err := l.Commit(context.Background(), c)
				childMust(err)
				for took := int64(time.Since(begin)); ; {
					if was := longest.Load(); took <= was || longest.CompareAndSwap(was, took) {
						break
					}
				}
				if n.Load() == saturated {
					fmt.Println("enough")
				}
			}
		})
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	stop.Store(true)
	wg.Wait()
	fmt.Println(n.Load(), time.Duration(longest.Load()))
	return l.Close()
}

// saturated is after how many claims a child says that it has made enough.
const saturated = 500

type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, does, path string) *child {
	t.Helper()
	c := &child{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.cmd.Env = append(os.Environ(), childDoes+"="+does, childPath+"="+path)
	c.cmd.Stderr = os.Stderr
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// line is the next line of the child's output.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child said nothing: %v", errors.Join(c.lines.Err(), c.cmd.Wait()))
	}
	return strings.TrimSpace(c.lines.Text())
}

// kill ends the child as kill -9 does, and waits until it is gone.
func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // it was killed: that is what Wait says
}

func TestProcessesRaceFromTheFirstOpenOn(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	children := make([]*child, 8)
	for i := range children {
		children[i] = start(t, "race", path)
		children[i].line(t)
	}
	for _, c := range children {
		c.stdin.Close()
	}
	won := 0
	for _, c := range children {
		n, err := strconv.Atoi(c.line(t))
		if err != nil {
			t.Fatal(err)
		}
		won += n
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
	if won != raceKeys {
		t.Errorf("%d wins of %d keys", won, raceKeys)
	}
	orphans, err := open(t, path).Orphans(t.Context(), 100)
	if err != nil || len(orphans) != raceKeys {
		t.Errorf("%d orphans, %v; want all %d rows", len(orphans), err, raceKeys)
	}
}

func TestKilledProcessIsDead(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	l := open(t, path)
	c := start(t, "hold", path)
	owner := c.line(t)
	if !l.Alive(owner) {
		t.Error("a process that runs is alive")
	}
	if orphans, err := l.Orphans(t.Context(), 10); err != nil || len(orphans) != 0 {
		t.Errorf("orphans while it runs: %v, %v", orphans, err)
	}
	c.kill(t)
	var wg sync.WaitGroup
	for range 8 { // who asks at the same time does not see the other askers
		wg.Go(func() {
			for range 100 {
				if l.Alive(owner) {
					t.Error("a process that was killed is dead")
					return
				}
			}
		})
	}
	wg.Wait()
	orphans, err := l.Orphans(t.Context(), 10)
	if err != nil || len(orphans) != 1 || orphans[0].Owner != owner || orphans[0].Key != key(1) {
		t.Errorf("orphans after it was killed: %+v, %v", orphans, err)
	}
	// A file of a dead owner stays for as long as a row names it.
	ownerFile := path + ".owners/" + owner
	open(t, path)
	if _, err := os.Stat(ownerFile); err != nil {
		t.Errorf("with a row in flight: %v", err)
	}
	commit(t, l, record(orphans[0]))
	open(t, path)
	if _, err := os.Stat(ownerFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without one: %v", err)
	}
	if l.Alive(owner) || !l.Alive(l.Owner()) {
		t.Error("tidying up changed who is alive")
	}
}

func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	c := start(t, "claim", path)
	for range 40 {
		c.line(t)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	last := "39"
	for c.lines.Scan() { // what it had said before it died
		last = c.lines.Text()
	}
	_ = c.cmd.Wait() // it was killed: that is what Wait says
	n, err := strconv.Atoi(last)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	for i := range n + 1 {
		if _, ok := find(t, l, key(i)); !ok {
			t.Errorf("claim %d of %d is lost", i, n+1)
		}
	}
}

func TestKilledInTheMiddleOfBatches(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	c := start(t, "claim together", path)
	var told []string
	for range 400 {
		told = append(told, c.line(t))
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for c.lines.Scan() { // what it had said before it died
		told = append(told, c.lines.Text())
	}
	_ = c.cmd.Wait() // it was killed: that is what Wait says
	l := open(t, path)
	for _, line := range told {
		n, err := strconv.Atoi(line)
		if err != nil {
			continue // cut off
		}
		if _, ok := find(t, l, key(n)); !ok {
			t.Errorf("claim %d is lost", n)
		}
	}
	// What nobody was told of is there as a whole, or not at all.
	rows := count(t, l, "SELECT count(*) FROM intents")
	if unheard := rows - len(told); unheard < 0 || unheard > callers {
		t.Errorf("%d rows, %d of them told", rows, len(told))
	}
	if n := count(t, l, "SELECT count(*) FROM resources WHERE changed = 0 OR last = 0"); n != 0 {
		t.Errorf("%d resources that nothing touches", n)
	}
	if n := count(t, l, "SELECT count(*) FROM acts"); n != rows {
		t.Errorf("%d acts of %d rows", n, rows)
	}
	seller := intent.Resource{Kind: "seller", ID: "S-ASHCOMBE"}
	if around, err := l.Around(t.Context(), seller, 2*rows); len(around) != rows || err != nil {
		t.Errorf("%d of %d rows at the seller, %v", len(around), rows, err)
	}
	totals, err := l.Totals(t.Context(), []intent.Resource{seller}, "USD", intent.Key{})
	if want := int64(rows) * 11800; err != nil || totals[seller].Open != want {
		t.Errorf("open at the seller %d, %v; want %d", totals[seller].Open, err, want)
	}
}

// TestProcessesTakeTurns has four processes write as fast as they can. SQLite's
// own waiting lets one of them make a handful of claims meanwhile.
func TestProcessesTakeTurns(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	children := make([]*child, 4)
	for i := range children {
		children[i] = start(t, "saturate", path)
		children[i].line(t)
	}
	for _, c := range children {
		if _, err := io.WriteString(c.stdin, "go\n"); err != nil {
			t.Fatal(err)
		}
	}
	enough := children[0].line(t)
	var most, least int
	for _, c := range children {
		c.stdin.Close()
	}
	for i, c := range children {
		last := c.line(t)
		for last == enough {
			last = c.line(t)
		}
		var n int
		if _, err := fmt.Sscan(last, &n); err != nil {
			t.Fatal(err)
		}
		t.Logf("process %d: %s", i, last)
		if i == 0 {
			most, least = n, n
		}
		most, least = max(most, n), min(least, n)
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
	if most > 8*least {
		t.Errorf("one process made %d claims, another %d", most, least)
	}
}
