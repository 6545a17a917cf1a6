//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// process is a process with live pipes.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out, err transcript
	awaited  int           // lines of out that await has passed
	toldAt   time.Time     // of its start, or the last signal or end of input
	ended    chan struct{} // closed when it has ended and its output is whole
	endedAt  time.Time     // valid once ended is closed
}

// transcript is what a process has written so far.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder
	grown chan struct{} // closed at the next write
}

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grown != nil {
		close(t.grown)
		t.grown = nil
	}
	return t.text.Write(b)
}

// read returns the complete lines, all of the text, and a channel that is closed
// when there is more.
func (t *transcript) read() (lines []string, text string, grown <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grown == nil {
		t.grown = make(chan struct{})
	}
	text = t.text.String()
	lines = strings.Split(text, "\n")
	return lines[:len(lines)-1], text, t.grown
}

// find waits for something in the output; look is given the complete lines.
func (p *process) find(look func(lines []string) bool) error {
	bound := time.After(patience)
	for {
		over := isClosed(p.ended)
		lines, out, grown := p.out.read()
		if look(lines) {
			return nil
		}
		_, log, _ := p.err.read()
		if over {
			return fmt.Errorf("the process has ended without it (%v)\n[stdout]\n%s\n[stderr]\n%s", p.cmd.ProcessState, out, log)
		}
		select {
		case <-grown:
		case <-p.ended:
		case <-bound:
			return fmt.Errorf("it did not come within %v\n[stdout]\n%s\n[stderr]\n%s", patience, out, log)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func processOf(ts *testscript.TestScript, name string) *process {
	p := stageOf(ts).processes[name]
	if p == nil {
		ts.Fatalf("there is no process %s", name)
	}
	return p
}

var assignment = regexp.MustCompile(`^[A-Z_]+=`)

func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME [VAR=VALUE…] CMD [ARG…]")
	}
	name, args := args[0], args[1:]
	var env []string
	for len(args) > 0 && assignment.MatchString(args[0]) {
		env, args = append(env, args[0]), args[1:]
	}
	if len(args) == 0 {
		ts.Fatalf("start %s: no command", name)
	}
	if old := stageOf(ts).processes[name]; old != nil && !isClosed(old.ended) {
		ts.Fatalf("%s is still running", name)
	}
	p := &process{cmd: command(ts, args[0], args[1:]...), ended: make(chan struct{})}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	p.cmd.WaitDelay = time.Second // a child of its own may hold its pipes
	in, err := p.cmd.StdinPipe()
	ts.Check(err)
	p.in = in
	p.toldAt = time.Now()
	ts.Check(p.cmd.Start())
	stageOf(ts).processes[name] = p
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		p.endedAt = time.Now()
		close(p.ended)
	}()
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: await NAME REGEXP [VAR]")
	}
	p, pattern := processOf(ts, args[0]), regexp.MustCompile(args[1])
	err := p.find(func(lines []string) bool {
		for ; p.awaited < len(lines); p.awaited++ {
			found := pattern.FindStringSubmatch(lines[p.awaited])
			if found == nil {
				continue
			}
			p.awaited++
			if len(args) == 3 {
				ts.Setenv(args[2], found[len(found)-1])
			}
			return true
		}
		return false
	})
	if err != nil {
		ts.Fatalf("await %s %s: %v", args[0], args[1], err)
	}
}

func say(ts *testscript.TestScript, neg bool, args []string)  { write(ts, neg, args, "\n") }
func part(ts *testscript.TestScript, neg bool, args []string) { write(ts, neg, args, "") }

func write(ts *testscript.TestScript, neg bool, args []string, end string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: say NAME TEXT, or: part NAME TEXT")
	}
	_, err := io.WriteString(processOf(ts, args[0]).in, args[1]+end)
	ts.Check(err)
}

func endInput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endinput NAME")
	}
	p := processOf(ts, args[0])
	p.toldAt = time.Now()
	ts.Check(p.in.Close())
}

var signals = map[string]syscall.Signal{
	"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}

func signalTo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || signals[args[1]] == 0 {
		ts.Fatalf("usage: signal NAME KILL|TERM|INT|STOP|CONT")
	}
	p := processOf(ts, args[0])
	p.toldAt = time.Now()
	ts.Check(p.cmd.Process.Signal(signals[args[1]]))
}

func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && (len(args) != 4 || args[2] != "within") {
		ts.Fatalf("usage: ended NAME CODE|killed|any [within DURATION]")
	}
	p := processOf(ts, args[0])
	select {
	case <-p.ended:
	case <-time.After(patience):
		_, out, _ := p.out.read()
		_, log, _ := p.err.read()
		ts.Fatalf("%s has not ended within %v\n[stdout]\n%s\n[stderr]\n%s", args[0], patience, out, log)
	}
	_, out, _ := p.out.read()
	_, log, _ := p.err.read()
	fmt.Fprint(ts.Stdout(), out)
	fmt.Fprint(ts.Stderr(), log)
	status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	got := strconv.Itoa(p.cmd.ProcessState.ExitCode())
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		got = "killed"
	}
	if want := args[1]; want != "any" && got != want {
		ts.Fatalf("%s ended: got %s, want %s", args[0], got, want)
	}
	if len(args) == 4 {
		bound, err := time.ParseDuration(args[3])
		ts.Check(err)
		if took := p.endedAt.Sub(p.toldAt); took > bound {
			ts.Fatalf("%s ended %v after it was told to, want at most %v", args[0], took, bound)
		}
	}
	if isAnswer([]byte(out)) {
		heard(ts, []byte(out))
	}
}
