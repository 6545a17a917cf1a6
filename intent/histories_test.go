package intent_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// simTable are the histories that must not go wrong, each with the tests that
// play it by hand, and whether the simulation has to reach it as well.
var simTable = []simTableRow{
	{1, "A refund of 118.00 is slow at the provider; one of 117.99 is asked for; then the first lands", "TestHistoryShavedCentWaitsForLateLanding", "", true, false},
	{2, "A performed refund is asked for in other words, or with its order spelt otherwise, while the authority is down", "TestHistoryOtherSpellingWhileDown", "", true, false},
	{3, "A person refunds the item in the provider's dashboard; then the model does", "TestHistoryRefundByAPerson", "", true, false},
	{4, "One process reads and pauses; another refunds; the first claims on what it has read", "TestHistoryStaleReadingIsReadAgain", "", true, false},
	{5, "What is open counts as spent", "TestContendedSeller", "", true, false},
	{6, "The first attempt lands late, and the second is told that it has been refunded", "TestHistorySecondAttemptMeetsTheFirst", "", true, true},
	{7, "The lookup lags by hours", "TestHistoryLaggingLookupStaysUnknown", "", true, false},
	{8, "Two ambiguous sends, each absent; then the first lands", "TestHistoryTwoAmbiguousSends TestHistoryLateLandingOfTheFirst", "", true, true},
	{9, "A courier without keys, the answer lost, the list empty", "TestHistoryCourierWithoutKeys", "", true, false},
	{10, "Test keys first, live keys later, in one directory", "TestOpenRefusesAnotherAccount TestLedgerOfAnotherAccount", "", false, false},
	{11, "On stdio first, then over HTTP with a token", "TestOneIntentOverBothTransports", "", false, false},
	{12, "A booking and its cancellation are replayed", "TestHistoryReplayedBooking", "", true, false},
	{13, "Pending, then failed; the model repeats", "TestHistoryPendingThenFailed TestHistoryPendingThenSucceeded", "", true, false},
	{14, "The provider has stored a 500 under our key", "TestHistoryStoredErrorThenNewOrdinal", "", true, false},
	{15, "The same call after wait_and_retry, once the world has changed", "TestHistoryRefusalsAreNotRemembered", "", true, false},
	{16, "A late answer meets a row that somebody else has settled", "TestHistoryLateAnswerWinsAndIsTold", "", true, false},
	{17, "An old absence is about to overwrite a person's word", "TestHistoryOldAbsenceGivesWay", "", true, false},
	{18, "An approval is escalated, and later the same intent is unknown", "TestHistoryTwoCausesTwoEscalations", "", true, false},
	{19, "The process dies between recording an unknown and telling the desk", "TestHistoryOutboxSurvivesACrash", "", true, false},
	{20, "A message is sent, the ledger is lost, the same text again", "TestHistoryMessageWithoutALedger", "", true, false},
	{21, "One booking cancelled, one live, the ledger lost, a booking is asked for", "TestHistoryBookingsWithoutALedger", "", true, false},
	{22, "Two ledgers on one account", "TestHistoryTwoLedgersOneAccount", "", true, false},
	{23, "A sender sleeps from Friday to Monday", "TestHistorySleepingSender", "", true, false},
	{24, "The connection drops under a request without a body", "TestDroppedConnectionIsNotSentAgain", "", false, false},
	{25, "Our key at the provider with another amount", "TestHistoryOurKeyOtherFacts", "", true, false},
	{26, "A line of two units, both broken", "TestHistoryTwoUnitsOfOneLine", "", true, false},
	{27, "A cancellation is unknown, and a booking is asked for", "TestHistoryCancelUnknownThenBook", "", true, false},
	{28, "The desk is down; two handoffs with two reasons", "TestHistoryHandoffsQueue", "", true, false},
	{29, "An unknown that nobody can look up, four hours later", "TestHistoryUnknownIsToldAgain", "", true, false},
	{30, "Two amounts for one item both want approval", "TestHistoryOneApprovalPerScope", "", true, false},
	{31, "Approved; the process dies before the claim", "TestHistoryApprovedThenCrashed", "", true, false},
	{32, "Killed in the middle of a send; the client's next process asks again", "TestHistoryDeadOwnerIsLookedUp", "", true, false},
	{33, "A read ends just before the process leaves", "TestHistoryNothingIsClaimedWhileLeaving", "", true, true},
	{34, "The provider said yes, and the disk is full", "TestHistoryRecordDoesNotFit", "", true, false},
	{35, "Two versions of the program on one file", "TestNewerVersionTakesTheFileOver", "", false, false},
	{36, "A currency without a ceiling", "TestHistoryCurrencyWithoutCeiling", "", true, false},
	{37, "A handler that asks its client for input runs twice", "", "no tool asks its client for input", false, false},
	{38, "A tool is switched off while an unknown waits", "", "no switch is built yet", false, false},
	{39, "The effect is there, and the page of the order does not show it yet", "TestHistoryLostLedgerWhileListsLag TestHistoryLagHidesMoney", "", true, true},
}

type simTableRow struct {
	n       int
	history string
	tests   string
	why     string // there is none
	reached bool   // by the simulation
	rare    bool   // and only by a long one
}

// Every history has its tests, and they are there.
func TestHistoriesHaveTests(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range simTable {
		if row.n != i+1 {
			t.Errorf("history %d stands at %d", row.n, i+1)
		}
		if (row.tests == "") == (row.why == "") {
			t.Errorf("history %d: a test, or a reason why there is none", row.n)
		}
		for _, name := range strings.Fields(row.tests) {
			if !strings.Contains(sources.String(), "func "+name+"(t *testing.T) {") {
				t.Errorf("history %d: no test is named %s", row.n, name)
			}
		}
	}
}
