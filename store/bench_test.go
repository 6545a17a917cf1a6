package store_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"counterfoil/intent"
)

// The absolute times are the disk's; what travels is the ratio to one sync of
// it, which the benchmarks report.

// disk measures how long a write of 4 KiB at the end of a file takes to be
// durable, again and again, since that changes while a benchmark runs.
type disk struct {
	file  *os.File
	spent time.Duration
	syncs int
}

func newDisk(b *testing.B) *disk {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "sync"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return &disk{file: f}
}

func (d *disk) sync(b *testing.B) {
	b.Helper()
	b.StopTimer()
	defer b.StartTimer()
	begin := time.Now()
	if _, err := d.file.Write(make([]byte, 4096)); err != nil {
		b.Fatal(err)
	}
	if err := datasync(d.file); err != nil {
		b.Fatal(err)
	}
	d.spent += time.Since(begin)
	d.syncs++
}

// now is sync every thousandth time.
func (d *disk) now(b *testing.B, n int) {
	b.Helper()
	if n%1000 == 0 {
		d.sync(b)
	}
}

// report gives the time of one operation in syncs.
func (d *disk) report(b *testing.B) {
	b.Helper()
	one := float64(d.spent) / float64(d.syncs)
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/one, "syncs/op")
}

func BenchmarkClaimAndRecord(b *testing.B) {
	d := newDisk(b)
	l := open(b, newPath(b))
	n := 0
	for b.Loop() {
		d.sync(b)
		n++
		c := claim(n)
		c.Row.Owner = l.Owner()
		commit(b, l, record(commit(b, l, c)))
	}
	d.report(b)
}

func BenchmarkClaimAndRecord16(b *testing.B) {
	d := newDisk(b)
	for range 200 {
		d.sync(b)
	}
	l := open(b, newPath(b))
	var n atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range 16 {
		wg.Go(func() {
			for {
				i := int(n.Add(1))
				if i > b.N {
					return
				}
				c := claim(i)
				c.Row.Owner = l.Owner()
				row, err := l.Commit(b.Context(), c)
				if err == nil {
					_, err = l.Commit(b.Context(), record(row))
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	d.report(b)
}

const benchRows = 2000

// filled is a ledger with benchRows performed intents.
func filled(b *testing.B) *benchLedger {
	b.Helper()
	l := open(b, newPath(b))
	for n := range benchRows {
		commit(b, l, record(commit(b, l, claim(n))))
	}
	return &benchLedger{l}
}

type benchLedger struct{ intent.Ledger }

func BenchmarkFind(b *testing.B) {
	d := newDisk(b)
	l := filled(b)
	n := 0
	b.ResetTimer()
	for b.Loop() {
		d.now(b, n)
		n++
		if _, ok := find(b, l, key(n%benchRows)); !ok {
			b.Fatal("not found")
		}
	}
	d.report(b)
}

func BenchmarkRecognise(b *testing.B) {
	d := newDisk(b)
	l := filled(b)
	n := 0
	b.ResetTimer()
	for b.Loop() {
		d.now(b, n)
		n = (n + 1) % benchRows
		ticket := intent.Resource{Kind: "ticket", ID: "T-" + key(n).String()[:12]}
		if _, ok, err := l.Recognise(b.Context(), ticket, fingerprint(n)); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	d.report(b)
}

// BenchmarkTotals asks for a seller that all intents touch.
func BenchmarkTotals(b *testing.B) {
	d := newDisk(b)
	l := filled(b)
	seller := []intent.Resource{{Kind: "seller", ID: "S-ASHCOMBE"}}
	n := 0
	b.ResetTimer()
	for b.Loop() {
		d.now(b, n)
		n++
		if _, err := l.Totals(b.Context(), seller, "USD", key(1)); err != nil {
			b.Fatal(err)
		}
	}
	d.report(b)
}
