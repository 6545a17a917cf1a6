package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// build makes the product's binary, in the product's own module.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "bin", "counterfoil")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return binary, cmd.Run()
}

// ledgerIn has a server make its data, and says where its ledger is.
func ledgerIn(ctx context.Context, binary, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, binary, "call", "--data-dir", dir, "get_order", "order_id=SU-88421")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	ledgers, err := filepath.Glob(filepath.Join(dir, "*.ledger.db"))
	if err != nil || len(ledgers) != 1 {
		return "", errors.Join(err, fmt.Errorf("ledgers in %s: %v", dir, ledgers))
	}
	return ledgers[0], nil
}

const (
	startsMeasured = 7
	idleFor        = 3 * time.Second
)

// serve starts a server on the ledger, several times, until its first answer,
// and looks at the last one's memory once it has nothing to do.
func (g *growth) serve(ctx context.Context, binary, dir string) error {
	for n := range startsMeasured {
		begin := time.Now()
		cmd := exec.CommandContext(ctx, binary, "--data-dir", dir)
		cmd.Stderr = io.Discard
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := firstAnswer(stdin, stdout); err != nil {
			return errors.Join(err, stdin.Close(), cmd.Wait())
		}
		g.started = append(g.started, time.Since(begin))
		if n == startsMeasured-1 {
			idle := time.NewTimer(idleFor)
			<-idle.C
			if g.resident, err = resident(cmd.Process.Pid); err != nil {
				return err
			}
		}
		if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
			return err
		}
	}
	return nil
}

// firstAnswer asks for what is on a ticket, as a client does, and waits for it.
func firstAnswer(stdin io.Writer, stdout io.Reader) error {
	_, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_effects","arguments":{"ticket_id":"T-4127"}}}
`)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"id":2`) {
			if strings.Contains(lines.Text(), `"error"`) {
				return fmt.Errorf("the server answers %s", lines.Text())
			}
			return nil
		}
	}
	return errors.Join(errors.New("the server said nothing"), lines.Err())
}

// resident is how much memory a process has, in bytes; 0 where that cannot be
// asked.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	for line := range strings.Lines(string(text)) {
		if kib, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kib), "kB")), 10, 64)
			return n << 10, err
		}
	}
	return 0, err
}
