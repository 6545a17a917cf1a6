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
	"testing"

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
