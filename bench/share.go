package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// callersSharing is how many callers each of the processes has that share a
// ledger.
const callersSharing = 16

// shared is what one process says of its calls.
type shared struct {
	Calls   int
	Seconds float64
	P50     time.Duration
	P99     time.Duration
	Longest time.Duration
}

// share has several processes refund on one ledger as fast as they can.
func share(ctx context.Context, o options) ([]shared, error) {
	dir := filepath.Join(o.dir, "shared")
	if err := anew(dir); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var processes []*sharing
	for range o.processes {
		p, err := startSharing(ctx, self, dir, 5*o.period)
		if err != nil {
			return nil, err
		}
		processes = append(processes, p)
	}
	for _, p := range processes {
		if _, err := io.WriteString(p.stdin, "go\n"); err != nil {
			return nil, err
		}
	}
	var all []shared
	for _, p := range processes {
		var s shared
		err := p.answers.Decode(&s)
		if err := errors.Join(err, p.cmd.Wait()); err != nil {
			return nil, fmt.Errorf("a process that shares the ledger: %w", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// sharing is one of the processes.
type sharing struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	answers *json.Decoder
}

// startSharing starts one, and returns once it has opened the ledger.
func startSharing(ctx context.Context, self, dir string, period time.Duration) (*sharing, error) {
	cmd := exec.CommandContext(ctx, self, "-saturate", dir, "-for", period.String())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	answers := json.NewDecoder(stdout)
	var ready bool
	return &sharing{cmd, stdin, answers}, answers.Decode(&ready)
}

// saturate is what such a process does.
func saturate(ctx context.Context, o options) error {
	p, err := openProduct(ctx, o, o.saturate)
	if err != nil {
		return err
	}
	fmt.Println("true")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	own := int64(os.Getpid()) << 32
	m, err := measure(ctx, callersSharing, o.period, func(ctx context.Context, n int64) error { return p.once(ctx, own+n) })
	if err := errors.Join(err, p.close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(shared{len(m.took), m.all.Seconds(), m.at(0.5), m.at(0.99), m.at(1)})
}
