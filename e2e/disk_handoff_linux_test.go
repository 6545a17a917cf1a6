package e2e_test

import (
	"testing"
	"time"
)

// The desk has taken a handoff, and the disk does not take that it has. The
// answer says who said so, as every answer does that says that something exists.
func TestDiskErrorAfterAHandoff(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	handoff := values{"ticket_id": "T-4127", "reason": "other", "summary": "The third one this month."}
	d.fault("escalations.create", "slow", 1, 3*time.Second)
	type end struct {
		told
		err error
	}
	answered := make(chan end, 1)
	go func() {
		heard, err := d.server.call("escalate_to_human", handoff)
		answered <- end{heard, err}
	}()
	d.until("the handoff", func() bool { return len(d.effects()) == 2 })
	limitFiles(t, d.server.cmd.Process.Pid, smallFiles)
	heard := <-answered
	if heard.err != nil {
		t.Fatal(heard.err)
	}
	if heard.Outcome != "performed" || heard.Evidence != "provider_response" || heard.Recorded == nil {
		t.Errorf("handed over, and not written down: %s", heard.text)
	}

	// It dies with that; the next process does not tell the desk again.
	d.server.kill()
	again := d.ask("escalate_to_human", handoff)
	if !again.done() || again.effectID != heard.effectID {
		t.Errorf("after a restart: %s", again.text)
	}
	if got := d.effects(); len(got) != 2 {
		t.Errorf("the desk has %+v", got)
	}
}
