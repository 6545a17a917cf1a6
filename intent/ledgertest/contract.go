package ledgertest

import (
	"testing"

	"counterfoil/intent"
)

// Ledgers is one fresh ledger, and what may be done to it from outside.
type Ledgers struct {
	// First is a process's view of the ledger.
	First intent.Ledger
	// Second is another process's view of the same ledger.
	Second intent.Ledger
	// KillSecond ends the second process without its doing.
	KillSecond func()
	// Reopen ends all processes and returns the view of a new one.
	Reopen func() intent.Ledger
}

// Account is the account that the ledgers of Run are opened for.
const Account = "acct_1/test"

// Run checks that a ledger keeps the contract of intent.Ledger. Each part of it
// gets a fresh one from open, which sees to the tidying up.
func Run(t *testing.T, open func(t *testing.T) Ledgers) {
	t.Helper()
	parts := []struct {
		name string
		run  func(t *testing.T, ls Ledgers)
	}{
		{"an empty ledger has nothing", emptyHasNothing},
		{"a row comes back as it was written", rowComesBack},
		{"times are UTC milliseconds, zero is none", timesComeBack},
		{"what cannot be is refused", nonsenseIsRefused},
		{"the act is kept until it is replaced", actIsKept},
		{"a key is won once", keyIsWonOnce},
		{"a stale version is refused", staleIsRefused},
		{"versions and marks only rise", versionsRise},
		{"a resource that moved is seen", movedIsSeen},
		{"a row that grows touches more", growingRow},
		{"an open sibling blocks", siblingBlocks},
		{"what blocks and what does not", whatBlocks},
		{"the order of refusals", orderOfRefusals},
		{"a refused change leaves nothing", refusedLeavesNothing},
		{"attempts are numbered and appended", attemptsAppended},
		{"decisions are kept", decisionsKept},
		{"followers are made once", followersOnce},
		{"an escalation is written once per key", escalationOnce},
		{"a delivered escalation stays delivered", deliveredStays},
		{"a repeat is recognised on its ticket", recognised},
		{"an effect is found by its id", byEffect},
		{"totals", totals},
		{"around is newest first", aroundNewestFirst},
		{"list is open first, then newest", listOpenFirst},
		{"due is the longest due first", dueLongestFirst},
		{"the outbox is the longest due first", outboxLongestFirst},
		{"orphans are the rows of the dead", orphansOfTheDead},
		{"both processes see every commit", bothSee},
		{"a cancelled caller does not lose a commit", cancelledStillCommits},
		{"a repeat is counted without a commit", repeatCosts},
		{"all is there after reopening", allThereAfterReopening},
		{"the spill is read first", spillReadFirst},
		{"spilled evidence wins", spilledEvidenceWins},
		{"spilled evidence without a row makes one", spilledEvidenceMakesARow},
		{"other spilled changes must fit", otherSpillMustFit},
		{"concurrent commits are linear", concurrentAreLinear},
		{"concurrent claims of one key", concurrentClaims},
		{"as the model does", asTheModelDoes},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.run(t, open(t))
		})
	}
}
