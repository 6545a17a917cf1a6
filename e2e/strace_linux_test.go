package e2e_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// What the kernel is asked for, as strace sees it. These tests need strace and
// are skipped without it; e2e/strace.sh runs them where it may be installed.

// strace is its path.
func strace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace here")
	}
	if out, err := exec.Command(path, "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v\n%s", err, out)
	}
	return path
}

// An act that is performed costs two syncs of the ledger: one before a byte of
// the request leaves, one before a byte of the answer does. A repeat costs none.
// The -wal is far from where it is moved into the file, so nothing else is
// synced; the marketplace has files and a process of its own.
func TestTwoSyncsOfAPerformedIntent(t *testing.T) {
	t.Parallel()
	path := strace(t)
	w := newWorld(t, build(t, ""), "")
	trace := filepath.Join(t.TempDir(), "trace")
	server := w.serving()
	traced := exec.Command(path, append([]string{
		"-f", "-y", "-qq", "-s", "64", "-o", trace, "-e", "signal=none",
		"-e", "trace=write,writev,sendto,sendmsg,fsync,fdatasync,sync_file_range,msync", server.Path,
	}, server.Args[1:]...)...)
	traced.Env = server.Env
	c, err := launch(t, traced)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.greet(); err != nil {
		t.Fatal(err)
	}
	refund := values{"ticket_id": "T-4127", "order_id": "SU-88421", "item_id": "SHELF-OAK-4", "amount_cents": 11800}
	for _, call := range []struct {
		tool string
		args values
		want string
	}{
		{"message_seller", values{"ticket_id": "T-4127", "seller_id": "S-ASHCOMBE", "text": "It is cracked."}, "performed"},
		{"issue_refund", refund, "performed"},
		{"issue_refund", refund, "already_performed"},
		{"book_pickup", values{"ticket_id": "T-4127", "order_id": "SU-88421", "date": "2031-12-09"}, "performed"},
	} {
		if heard := c.mustCall(call.tool, call.args); heard.Outcome != call.want || *heard.Attempts != 1 {
			t.Fatalf("%s: %s", call.tool, heard.text)
		}
	}
	c.close()
	wal := "sync " + w.ledger() + "-wal"
	want := []string{
		"answer 2",
		wal, "POST /v1/refunds", wal, "answer 3",
		"answer 4",
		wal, "POST /v1/pickups", wal, "answer 5",
	}
	got := events(t, trace)
	for len(got) > 0 && got[0] != want[0] { // the making of the ledger, and the first act in it
		got = got[1:]
	}
	got = got[:min(len(got), len(want))] // and not the end, which tidies up
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was asked of the kernel (-want +got):\n%s", diff)
	}
}

var (
	syncCall  = regexp.MustCompile(`^(\d+) +(?:fsync|fdatasync|sync_file_range|msync)\((?:\d+<([^>]*)>)?(.*)$`)
	syncEnd   = regexp.MustCompile(`^(\d+) +<\.\.\. (?:fsync|fdatasync|sync_file_range|msync) resumed>`)
	postCall  = regexp.MustCompile(`^\d+ +(?:write|writev|sendto|sendmsg)\(\d+<[^>]*>, .*"(POST [^ ]+) HTTP`)
	replyCall = regexp.MustCompile(`^\d+ +writev?\(1<[^>]*>, .*\\"id\\":(\d+),\\"result`)
)

// events are the syncs, by when they have ended, and the requests that act and
// the answers, by when they begin.
func events(t *testing.T, trace string) (seen []string) {
	t.Helper()
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syncing := map[string]string{} // the file, by thread
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if m := syncCall.FindStringSubmatch(line); m != nil {
			syncing[m[1]] = m[2]
			if !strings.Contains(m[3], "<unfinished") {
				seen = append(seen, "sync "+m[2])
			}
		} else if m := syncEnd.FindStringSubmatch(line); m != nil {
			seen = append(seen, "sync "+syncing[m[1]])
		} else if m := postCall.FindStringSubmatch(line); m != nil {
			seen = append(seen, m[1])
		} else if m := replyCall.FindStringSubmatch(line); m != nil {
			seen = append(seen, "answer "+m[1])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return seen
}

// The disk takes what is written and cannot say that it will keep it.
func TestSyncErrorBeforeTheSend(t *testing.T) {
	t.Parallel()
	strace(t)
	d := newDisk(t)
	heal := d.breakSyncs()
	d.refuses()
	heal()
	d.recovers()
}

func TestSyncErrorAfterTheSend(t *testing.T) {
	t.Parallel()
	strace(t)
	d := newDisk(t)
	var heal func()
	heard := d.sendWhile(func() { heal = d.breakSyncs() })
	if heard.Outcome != "performed" || heard.Recorded == nil {
		t.Errorf("paid, and not known to be written down: %s", heard.text)
	}
	d.refuses()
	d.server.kill()
	heal()
	again := d.ask("issue_refund", d.second)
	if again.Outcome != "already_performed" || again.effectID != heard.effectID {
		t.Errorf("after a restart: %s", again.text)
	}
	d.payments(2)
}

// breakSyncs has every fdatasync of the server, which is how its database asks
// for one, end in an I/O error until heal.
func (d *disk) breakSyncs() (heal func()) {
	d.Helper()
	pid := strconv.Itoa(d.server.cmd.Process.Pid)
	cmd := exec.Command("strace", "-f", "-p", pid, "-o", os.DevNull, "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO")
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.Fatal(err)
	}
	heal = func() {
		_ = cmd.Process.Signal(unix.SIGINT) // it lets go; where the server has ended, so has it
		_ = cmd.Wait()
	}
	d.Cleanup(heal)
	attached := bufio.NewScanner(log)
	for attached.Scan() {
		if strings.Contains(attached.Text(), "not permitted") {
			d.Skipf("another process may not be traced here: %s", attached.Text())
		}
		if strings.Contains(attached.Text(), fmt.Sprintf("Process %s attached", pid)) {
			return heal
		}
	}
	d.Fatalf("strace did not attach to %s", pid)
	return nil
}
