//go:build unix

// Package e2e_test drives the built binary from outside, as a client, an
// operator and an unlucky machine would. It knows what the product promises and
// nothing of how it keeps it.
//
// Each script in testdata is one history: start, fault, call, kill, start, call.
// What exists is counted at the marketplace (books), never taken from an answer.
// Beside testscript's own, these commands exist:
//
//	ask TOOL [JSON] [KEY=VALUE…]
//	    One call by a process of its own (counterfoil call). A KEY=VALUE changes
//	    the JSON. The answer becomes stdout.
//	serve NAME [VAR=VALUE…] [FLAG…]
//	    Starts counterfoil serve and shakes hands with it.
//	mcp NAME call ID TOOL JSON      sends a call; ID may be a range, 1..9
//	mcp NAME result ID              waits for the answer; it becomes stdout
//	mcp NAME error ID               waits for a JSON-RPC error; it becomes stdout
//	mcp NAME unanswered ID          nothing has come back yet
//	mcp NAME cancel ID              gives a call up (notifications/cancelled)
//	answer PATH=VALUE PATH~REGEXP !PATH …
//	    Compares members of the JSON in stdout. A path has dots; a number is an
//	    index, len a length; !PATH means that there is no such member.
//	keep VAR PATH                   puts a member into a variable
//	tally [same] OUTCOME=N …
//	    Counts the outcomes of the answers since the last tally; same: they are
//	    also one text.
//	books KIND=N KIND:STATUS=N SELLER=CENTS …
//	    What the marketplace has. A kind that is not named must not exist.
//	rows STATE=N …                  the ledger's rows, by state
//	until [sweep [FLAG…]] books|rows|notified …
//	    Looks until it is so; sweep: sweeps before each look.
//	start NAME [VAR=VALUE…] CMD [ARG…]  starts a process with live pipes
//	await NAME REGEXP [VAR]         waits for a line; VAR gets its first group
//	say NAME TEXT | part NAME TEXT  writes to its input; part: without the newline
//	endinput NAME                   closes its input
//	signal NAME KILL|TERM|INT|STOP|CONT
//	ended NAME CODE|killed|any [within DURATION]
//	    Waits for its end; its output becomes stdout and stderr. The duration
//	    counts from its start, or the last signal or endinput.
//	lose ledger                     removes whatever lies in the data directory
//	                                beside the marketplace
//	spoil ledger                    writes over its beginning
//	outdate                         makes the ledger that of a newer binary
//	age DURATION                    makes all that is in it so much older
//	footprint FILE                  lists the data directory, to be compared
//	private                         files there are 0600, in 0700 directories
//	listen SECRET VAR               takes notifications, at the address in VAR
//	notified N                      so many have come, signed; the last becomes stdout
//	web STATUS URL [NAME:VALUE…] [JSON]
//	    One request over HTTP, with these headers; with JSON it is a POST. The
//	    answer becomes stdout, a tool's as after mcp; status and headers, stderr.
//	between in_use|unplug|plug      stands before COUNTERFOIL_SANDBOX_URL: the next
//	    write is done and answered with 409; after the next lookup no connection is
//	    taken; or all are again
//	between writes N                so many writes have passed it
//	post PATH JSON                  what somebody else does, at COUNTERFOIL_SANDBOX_URL
//
// Every answer that passes through a script is held to the laws of answers that
// CONTRACT states for all of them (laws_test.go).
package e2e_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait. Nothing takes it where nothing is wrong.
const patience = 20 * time.Second

// Scripts mostly wait for a marketplace that does not answer: more of them than
// there are processors may do so at once.
const atOnce = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		if err := flag.Set("test.parallel", atOnce); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(built.dir)
	os.Exit(code)
}

// TestScripts plays every script that no case has played.
func TestScripts(t *testing.T) {
	begins(t)
	for _, name := range allScripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playScript(t, name)
		})
	}
}

// commands are what a script may say beside testscript's own.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"age":       age,
	"answer":    answer,
	"ask":       ask,
	"await":     await,
	"between":   stand,
	"books":     books,
	"ended":     ended,
	"endinput":  endInput,
	"footprint": footprint,
	"keep":      keep,
	"listen":    listen,
	"lose":      lose,
	"mcp":       mcp,
	"notified":  notified,
	"outdate":   outdate,
	"part":      part,
	"post":      post,
	"private":   private,
	"rows":      rows,
	"say":       say,
	"serve":     serve,
	"signal":    signalTo,
	"spoil":     spoil,
	"start":     start,
	"tally":     tally,
	"until":     until,
	"web":       web,
}
