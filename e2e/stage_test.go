//go:build unix

package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// stage is what one script has beside its files: its processes and the answers
// that it was given.
type stage struct {
	binary    string
	processes map[string]*process
	answers   [][]byte // since the last tally
	hook      *webhook // who is notified, if anybody
	between   *between // what stands before the marketplace, if anything
}

type stageKey struct{}

// Acts that many scripts begin with, as a tool's arguments.
const (
	shelf = `{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"SHELF-OAK-4","amount_cents":11800}`
	hook  = `{"ticket_id":"T-4127","order_id":"SU-88421","item_id":"HOOK-OAK-2","amount_cents":2600}`
	lamp  = `{"ticket_id":"T-4188","order_id":"SU-88510","item_id":"LAMP-BRASS-1","amount_cents":4900}`
	rug   = `{"ticket_id":"T-4188","order_id":"SU-88510","item_id":"RUG-JUTE-2","amount_cents":4000}`
	sofa  = `{"ticket_id":"T-4188","order_id":"SU-88510","item_id":"SOFA-LINEN-3","amount_cents":42000}`
)

// newStage gives a script its own data directory, the binary, short time-outs
// and the acts above.
func newStage(env *testscript.Env, binary string) error {
	s := &stage{binary: binary, processes: map[string]*process{}}
	env.Values[stageKey{}] = s
	env.Defer(s.clear)
	env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("COUNTERFOIL_DATA_DIR", filepath.Join(env.WorkDir, "data"))
	env.Setenv("PROVIDER_TIMEOUT", "600ms")
	env.Setenv("ANSWER_WITHIN", "4500ms")
	for name, act := range map[string]string{"SHELF": shelf, "HOOK": hook, "LAMP": lamp, "RUG": rug, "SOFA": sofa} {
		env.Setenv(name, act)
	}
	return nil
}

func stageOf(ts *testscript.TestScript) *stage {
	s, ok := ts.Value(stageKey{}).(*stage)
	if !ok {
		ts.Fatalf("the script has no stage")
	}
	return s
}

// clear ends what the script has left running.
func (s *stage) clear() {
	for _, p := range s.processes {
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// timing are the flags that keep a call short.
func timing(ts *testscript.TestScript) []string {
	return []string{"--provider-timeout", ts.Getenv("PROVIDER_TIMEOUT"), "--answer-within", ts.Getenv("ANSWER_WITHIN")}
}

// inherited are the variables that a script's processes get.
var inherited = []string{"PATH", "HOME", "TMPDIR", "COUNTERFOIL_DATA_DIR", "COUNTERFOIL_SANDBOX_URL", "COUNTERFOIL_CRASH_AT", "COUNTERFOIL_CRASH_AFTER"}

// command is a command of the script's, in its directory and environment.
func command(ts *testscript.TestScript, name string, args ...string) *exec.Cmd {
	if name == "counterfoil" {
		name = stageOf(ts).binary
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, variable := range inherited {
		if value := ts.Getenv(variable); value != "" {
			cmd.Env = append(cmd.Env, variable+"="+value)
		}
	}
	return cmd
}

// run runs the binary to its end.
func run(ts *testscript.TestScript, args ...string) (stdout, stderr string, code int) {
	var out, log bytes.Buffer
	cmd := command(ts, "counterfoil", args...)
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("run counterfoil %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// lose removes the ledger and all that belongs to it. No process may be using it.
func lose(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "ledger" {
		ts.Fatalf("usage: lose ledger")
	}
	ledgerFile(ts) // there is one to lose
	dir := ts.Getenv("COUNTERFOIL_DATA_DIR")
	entries, err := os.ReadDir(dir)
	ts.Check(err)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "sandbox.db") {
			ts.Check(os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}
}

// spoil writes over the beginning of the ledger. No process may be using it.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "ledger" {
		ts.Fatalf("usage: spoil ledger")
	}
	name := ledgerFile(ts)
	content, err := os.ReadFile(name)
	ts.Check(err)
	copy(content, bytes.Repeat([]byte("spoilt "), 1000))
	ts.Check(os.WriteFile(name, content, 0o600))
}

// ledgerFile is the one ledger in the data directory.
func ledgerFile(ts *testscript.TestScript) string {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("COUNTERFOIL_DATA_DIR"), "*.ledger.db"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("want one ledger in the data directory, got %d", len(found))
	}
	return found[0]
}
