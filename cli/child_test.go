package cli_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"counterfoil/cli"
)

// asCounterfoil makes a child of this test the program itself.
const asCounterfoil = "COUNTERFOIL_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asCounterfoil) != "" {
		os.Exit(cli.Run(os.Args[1:], cli.ThisProcess()))
	}
	os.Exit(m.Run())
}

// child starts the program as a process of its own on this machine.
func (r *rig) child(args ...string) *exec.Cmd {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asCounterfoil+"=1", "COUNTERFOIL_DATA_DIR="+r.dir)
	r.t.Cleanup(func() { kill(); _ = cmd.Wait() })
	return cmd
}

// peakMemory is the most that a process has held, as Linux counts it: "12345 kB".
func peakMemory(t *testing.T, pid string) string {
	t.Helper()
	status, err := os.Open("/proc/" + pid + "/status")
	if err != nil {
		return ""
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		if peak, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			return strings.TrimSpace(peak)
		}
	}
	return ""
}
