package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A disk that fails in the middle of work. The kernel refuses to write past a
// limit of this server's: its ledger's -wal is longer than that, a spill file is
// not.
const smallFiles = 16 << 10

// nobody is who may read what is the test's, and write none of it.
const nobody = 65534

func TestDiskErrorBeforeTheSend(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	limitFiles(t, d.server.cmd.Process.Pid, smallFiles)
	d.refuses()
	limitFiles(t, d.server.cmd.Process.Pid, unix.RLIM_INFINITY)
	d.recovers()
}

func TestDiskErrorAfterTheSend(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	heard := d.sendWhile(func() { limitFiles(t, d.server.cmd.Process.Pid, smallFiles) })
	if heard.Outcome != "performed" || heard.Recorded == nil {
		t.Errorf("paid, and not written down: %s", heard.text)
	}
	if _, err := os.Stat(d.ledger() + ".spill"); err != nil {
		t.Errorf("the spill file: %v", err)
	}
	d.refuses()
	again := d.server.mustCall("issue_refund", d.second)
	if again.Outcome != "already_performed" || again.effectID != heard.effectID {
		t.Errorf("asked again on a bad disk: %s", again.text)
	}

	// It dies with that; the next process reads the spill file first.
	d.server.kill()
	again = d.ask("issue_refund", d.second)
	if again.Outcome != "already_performed" || again.Evidence != "ledger" || again.effectID != heard.effectID {
		t.Errorf("from the spill file: %s", again.text)
	}
	if _, err := os.Stat(d.ledger() + ".spill"); !os.IsNotExist(err) {
		t.Errorf("the spill file, once read: %v", err)
	}
	d.payments(2)
}

// The whole disk is full. There is no room for a spill file either, so the next
// process has to look up what became of the send.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "size=1m")
	d := newDiskIn(t, dir)
	fill(t, dir)
	d.refuses()
	d.doctorSays(`(?m)^wrong +free disk space: `, `(?m)^ +-> make room on the disk`)
	empty(t, dir)
	d.recovers()

	heard := d.sendWhile(func() { fill(t, dir) })
	if heard.Outcome != "performed" || heard.Recorded == nil {
		t.Errorf("paid, and not written down: %s", heard.text)
	}
	d.server.kill()
	empty(t, dir)
	again := d.ask("issue_refund", d.second)
	if again.Outcome != "already_performed" || again.Evidence != "provider_lookup" || again.effectID != heard.effectID {
		t.Errorf("after a restart: %s", again.text)
	}
	d.payments(3)
}

// The ledger may be read and not be written: by its owner's choice, or since its
// disk was mounted so.
func TestReadOnlyLedger(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.server.close()
	d.readOnly()
	server, err := launch(t, d.asNobody(d.serving()))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.greet(); err != nil {
		t.Fatalf("the handshake: %v\n%s", err, server.log.String())
	}
	d.server = server
	d.refuses()
	d.doctorSays(`(?m)^wrong +ledger`, `(?m)^ +-> `)
	d.payments(1)
}

// disk is one server that has done one thing, and what it is asked next.
type disk struct {
	*world
	server               *client
	first, second, third values
	uid                  uint32 // of the processes to come; 0: our own
}

func newDisk(t *testing.T) *disk { t.Helper(); return newDiskIn(t, t.TempDir()) }

func newDiskIn(t *testing.T, dir string) *disk {
	t.Helper()
	d := &disk{world: newWorld(t, build(t, ""), "")}
	d.dir = filepath.Join(dir, "data")
	d.flags = []string{"--provider-timeout", "8s", "--answer-within", "20s"}
	refund := func(ticket, order, item string, cents int) values {
		return values{"ticket_id": ticket, "order_id": order, "item_id": item, "amount_cents": cents}
	}
	d.first = refund("T-4127", "SU-88421", "SHELF-OAK-4", 11800)
	d.second = refund("T-4188", "SU-88510", "LAMP-BRASS-1", 4900)
	d.third = refund("T-4127", "SU-88421", "HOOK-OAK-2", 2600)
	d.server = d.serve()
	if heard := d.server.mustCall("issue_refund", d.first); heard.Outcome != "performed" {
		t.Fatalf("on a good disk: %s", heard.text)
	}
	return d
}

// payments counts the refunds at the provider.
func (d *disk) payments(want int) {
	d.Helper()
	if got := d.effects(); len(got) != want {
		d.Errorf("the provider has %+v, want %d", got, want)
	}
}

// refuses: a new act is refused before it is sent. What is read at the
// marketplace is read as ever.
func (d *disk) refuses() {
	d.Helper()
	before := len(d.effects())
	heard := d.server.mustCall("issue_refund", d.third)
	if heard.Outcome != "not_performed" || heard.Reason != "ledger_unavailable" || heard.Retry != "wait_and_retry" || *heard.Attempts != 0 {
		d.Errorf("on a bad disk: %s", heard.text)
	}
	if order := d.server.mustCall("get_order", values{"order_id": "SU-88421"}); order.Outcome != "found" {
		d.Errorf("an order: %s", order.text)
	}
	d.payments(before)
}

// recovers: what was refused is done when it is asked for again, and what was
// done before is known.
func (d *disk) recovers() {
	d.Helper()
	if heard := d.server.mustCall("issue_refund", d.third); heard.Outcome != "performed" || *heard.Attempts != 1 {
		d.Errorf("on a disk that is well again: %s", heard.text)
	}
	if heard := d.server.mustCall("issue_refund", d.first); heard.Outcome != "already_performed" {
		d.Errorf("what was done before: %s", heard.text)
	}
	d.payments(2)
}

// sendWhile makes the second refund, and does something once the provider has
// paid it and before it answers.
func (d *disk) sendWhile(do func()) told {
	d.Helper()
	before := len(d.effects())
	d.fault("refunds.create", "slow", 1, 3*time.Second)
	type end struct {
		told
		err error
	}
	answered := make(chan end, 1)
	go func() {
		heard, err := d.server.call("issue_refund", d.second)
		answered <- end{heard, err}
	}()
	d.until("the payment", func() bool { return len(d.effects()) > before })
	do()
	e := <-answered
	if e.err != nil {
		d.Fatal(e.err)
	}
	return e.told
}

// doctorSays that something is wrong, and how to mend it.
func (d *disk) doctorSays(patterns ...string) {
	d.Helper()
	stdout, stderr, code := endOf(d.T, d.asNobody(d.command("doctor")))
	if code != 1 {
		d.Errorf("doctor: exit status %d\n%s%s", code, stdout, stderr)
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(stdout) {
			d.Errorf("doctor does not say %s:\n%s", pattern, stdout)
		}
	}
}

// readOnly leaves the data directory to be read by anybody and written by nobody
// but root, whom nothing stops: then the processes to come are not root's.
func (d *disk) readOnly() {
	d.Helper()
	if os.Getuid() == 0 {
		d.uid = nobody
	}
	for dir := filepath.Dir(d.dir); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		d.mode(dir, 0o755)
	}
	d.chmod(d.dir, 0o444, 0o555)
	d.Cleanup(func() { d.chmod(d.dir, 0o600, 0o700) })
}

func (d *disk) chmod(root string, file, dir os.FileMode) {
	d.Helper()
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(path, dir)
		}
		if err == nil {
			err = os.Chmod(path, file)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
}

func (d *disk) mode(path string, mode os.FileMode) {
	d.Helper()
	if err := os.Chmod(path, mode); err != nil {
		d.Fatal(err)
	}
}

// asNobody has a process be the user whom readOnly means.
func (d *disk) asNobody(cmd *exec.Cmd) *exec.Cmd {
	if d.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: d.uid, Gid: d.uid}}
	}
	return cmd
}

// limitFiles bounds the files that a process may write from now on.
func limitFiles(t *testing.T, pid int, bytes uint64) {
	t.Helper()
	var now unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &now); err != nil {
		t.Fatal(err)
	}
	now.Cur = min(bytes, now.Max)
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &now, nil); err != nil {
		t.Fatal(err)
	}
}

// smallDisk mounts a disk of the test's own.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a disk of one's own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

const filler = "filler"

// fill leaves no byte free on a disk.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, filler), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	some := []byte(strings.Repeat("x", 4096))
	for err == nil {
		_, err = f.Write(some)
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, filler)); err != nil {
		t.Fatal(err)
	}
}
