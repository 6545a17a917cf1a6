//go:build unix

package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// client is the other end of one server's pipes. Its calls may come from any
// number of goroutines.
type client struct {
	*testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	log  bytes.Buffer  // valid once gone is closed
	gone chan struct{} // closed when the server has ended

	mu     sync.Mutex
	lastID int
	waits  map[string]chan *response
}

// errGone: the server ended before it answered.
var errGone = errors.New("the server is gone")

// serve starts a server and shakes hands with it.
func (w *world) serve(flags ...string) *client {
	w.Helper()
	c, err := launch(w.T, w.serving(flags...))
	if err != nil {
		w.Fatal(err)
	}
	if err := c.greet(); err != nil {
		c.kill()
		w.Fatalf("the handshake: %v\n%s", err, c.log.String())
	}
	return c
}

// serving is a server that has not been started.
func (w *world) serving(flags ...string) *exec.Cmd {
	return w.command(append(append([]string{"serve"}, w.flags...), flags...)...)
}

// launch starts a server, which may be killed before it has shaken hands.
func launch(t *testing.T, cmd *exec.Cmd) (*client, error) {
	c := &client{T: t, cmd: cmd, gone: make(chan struct{}), waits: map[string]chan *response{}}
	c.cmd.Stderr = &c.log
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.listen(out)
	t.Cleanup(c.kill)
	return c, nil
}

// listen hands every answer to the call that waits for it.
func (c *client) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r response
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		c.mu.Lock()
		wait := c.waits[string(r.ID)]
		delete(c.waits, string(r.ID))
		c.mu.Unlock()
		if wait != nil {
			wait <- &r
		}
	}
	_ = c.cmd.Wait() // how it ended is in ProcessState
	close(c.gone)
}

// kill ends the server as kill -9 does, and waits until it is gone.
func (c *client) kill() {
	_ = c.cmd.Process.Kill() // it may have ended by itself
	<-c.gone
}

// close ends its input and waits until it has left.
func (c *client) close() {
	c.Helper()
	_ = c.in.Close()
	select {
	case <-c.gone:
	case <-time.After(patience):
		c.Fatal("a server did not leave when its input ended")
	}
}

// request sends a request and waits for its answer. Within patience an answer or
// the server's end comes; neither is a failure of the test.
func (c *client) request(method, params string) (*response, error) {
	wait := make(chan *response, 1)
	c.mu.Lock()
	c.lastID++
	id := fmt.Sprint(c.lastID)
	c.waits[id] = wait
	_, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params)
	c.mu.Unlock()
	if err != nil {
		return nil, errGone
	}
	select {
	case r := <-wait:
		return r, nil
	case <-c.gone:
		select {
		case r := <-wait: // its last words
			return r, nil
		default:
			return nil, errGone
		}
	case <-time.After(patience):
		return nil, fmt.Errorf("%s %s was not answered within %v", method, params, patience)
	}
}

// greet shakes hands.
func (c *client) greet() error {
	r, err := c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}`)
	if err != nil {
		return err
	}
	if r.Error != nil {
		return fmt.Errorf("initialize: %s", r.Error)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// call calls a tool and holds its answer to the laws. The error is errGone, or
// what is wrong with the answer.
func (c *client) call(tool string, args values) (told, error) {
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return told{}, err
	}
	r, err := c.request("tools/call", string(text))
	if err != nil {
		return told{}, err
	}
	if r.Error != nil || r.Result == nil {
		return told{}, fmt.Errorf("%s was answered with an error: %s", tool, r.Error)
	}
	heard, err := hear(r.Result.StructuredContent)
	if err != nil {
		return told{}, err
	}
	if want := exits[heard.Outcome] == 1; r.Result.IsError != want {
		return told{}, fmt.Errorf("isError: got %v, want %v for %s", r.Result.IsError, want, heard.Outcome)
	}
	return heard, nil
}

// mustCall is call where the server must live.
func (c *client) mustCall(tool string, args values) told {
	c.Helper()
	heard, err := c.call(tool, args)
	if err != nil {
		if errors.Is(err, errGone) {
			<-c.gone
			err = fmt.Errorf("%w\n%s", err, c.log.String())
		}
		c.Fatalf("%s %v: %v", tool, args, err)
	}
	return heard
}

// obey calls as a client does that does as it is told: the same call once more
// after wait_and_retry.
func (c *client) obey(tool string, args values) (told, error) {
	for range 5 {
		heard, err := c.call(tool, args)
		if err != nil || heard.Retry != "wait_and_retry" {
			return heard, err
		}
		<-time.After(time.Duration(*heard.RetryAfterSeconds) * time.Second)
	}
	return told{}, errors.New("told to wait and retry for ever")
}
