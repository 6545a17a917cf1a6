//go:build unix

package e2e_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

var damages = flag.Int("damages", 2, "how often TestDamagedLedger plays each damage, each time at another place")

// damage is something that happens to a ledger's files while nobody uses them.
type damage struct {
	name   string
	killed bool // the process before it was killed, so that the -wal holds all of its work
	// truthful: what is left is a ledger, only an older one, so that every answer
	// is still true. A byte that is another one may say anything.
	truthful bool
	file     string // what is damaged
	do       func(rng *rand.Rand, content []byte) []byte
}

var allDamages = []damage{
	{"the -wal is cut off", true, true, "-wal", cutAnywhere},
	{"the -wal is cut between two of its frames", true, true, "-wal", cutFrames},
	{"the -wal is gone", true, true, "-wal", func(*rand.Rand, []byte) []byte { return nil }},
	{"a byte of the -wal is another", true, true, "-wal", flip},
	{"the -shm is noise", true, true, "-shm", noise},
	{"a byte of the file is another", false, false, "", flip},
	{"a byte of the file is another, under a -wal", true, false, "", flip},
	{"a page of the file is empty", false, false, "", emptyPage},
	{"the file is cut off", false, false, "", cutAnywhere},
}

const pageSize, frameSize, walHeader = 4096, 4096 + 24, 32

func cutAnywhere(rng *rand.Rand, content []byte) []byte { return content[:rng.IntN(len(content))] }

func cutFrames(rng *rand.Rand, content []byte) []byte {
	return content[:walHeader+frameSize*rng.IntN((len(content)-walHeader)/frameSize)]
}

func flip(rng *rand.Rand, content []byte) []byte {
	content[rng.IntN(len(content))] ^= byte(1 + rng.IntN(255))
	return content
}

func emptyPage(rng *rand.Rand, content []byte) []byte {
	page := rng.IntN(len(content) / pageSize)
	clear(content[page*pageSize : (page+1)*pageSize])
	return content
}

func noise(rng *rand.Rand, content []byte) []byte {
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	return content
}

// oneProtection are marketplaces that take a repeated key as one request, or can
// be asked what they have, but not both. The desk always takes it as one: a
// handoff is promised at least once, and to a desk without keys it may go twice.
var oneProtection = []string{
	"refunds.dedupe=none,messages.dedupe=none,pickups.dedupe=none,replacements.dedupe=none",
	everyKind("lookup=none"),
}

// A ledger is damaged and everything is asked for once more, and what had not
// been asked for yet. Nothing acts twice where the provider deduplicates or can
// be asked, and a server that has met the damage sends nothing more.
func TestDamagedLedger(t *testing.T) {
	binary := build(t, "")
	acts := newWorld(t, binary, "").acts(3)
	for _, d := range allDamages {
		for n := range *damages {
			t.Run(fmt.Sprintf("%s/%d", d.name, n), func(t *testing.T) {
				t.Parallel()
				p := &damaging{acts: acts, rng: rand.New(rand.NewPCG(uint64(n), 0)), canBeAsked: n%2 == 0}
				p.world = newWorld(t, binary, oneProtection[n%2])
				p.play(d)
			})
		}
	}
}

type damaging struct {
	*world
	acts         []act
	rng          *rand.Rand
	canBeAsked   bool // the marketplace
	before, then notes
}

func (d *damaging) play(what damage) {
	d.Helper()
	c := d.serve()
	half := d.acts[:len(d.acts)/2]
	for _, a := range half {
		if heard := d.asks(c, a, &d.before); !heard.done() {
			d.Fatalf("before any damage: %s", heard.text)
		}
	}
	if what.killed {
		c.kill()
	} else {
		c.close()
	}
	d.harm(d.ledger()+what.file, what.do)

	c = d.serve()
	d.then.booked = d.before.booked
	refusing := false
	for range 2 {
		for _, a := range d.acts {
			made := d.count(a.kind)
			heard := d.asks(c, a, &d.then)
			if refusing && (heard.Outcome == "performed" || d.count(a.kind) != made) {
				d.Errorf("the damage was met, and then it acted: %s", heard.text)
			}
			refusing = refusing || heard.Reason == "ledger_unavailable"
		}
	}
	c.close()
	if d.Failed() {
		d.Log(c.log.String())
	}
	effects := d.effects()
	d.auditOnce(effects)
	if what.truthful && d.canBeAsked {
		d.auditDone(d.then.heard, effects)
		d.auditUndone(d.then.heard, effects)
	}
	d.Log(append([]any{"refused:", refusing}, outcomes(d.then.tally())...)...)
}

// count counts the effects of one kind. A person may be told of the damage.
func (d *damaging) count(kind string) (n int) {
	d.Helper()
	for _, e := range d.effects() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// asks makes one call; a cancellation only where something was booked.
func (d *damaging) asks(c *client, a act, n *notes) told {
	d.Helper()
	args, known := n.arguments(a)
	if !known {
		return told{}
	}
	began := time.Now()
	heard := c.mustCall(a.tool, args)
	n.take(a, began, heard, nil)
	return heard
}

// harm changes a file of the ledger's. No process may be using it.
func (d *damaging) harm(path string, do func(*rand.Rand, []byte) []byte) {
	d.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(path, do(d.rng, content), 0o600); err != nil {
		d.Fatal(err)
	}
}
