package mutants

// claims are mistakes about what is durable when: the claim before the send, the
// record before the answer.
var claims = []mutant{
	{
		name: "claim skipped", quick: true, breaks: "once",
		says: "The request is sent without a durable claim.",
		swaps: []swap{{
			"intent/claim.go",
			"claimed, err := c.e.commit(ctx, ch)",
			"claimed, err := *ch.Row, error(nil)",
		}},
	},
	{
		name: "claim not written", breaks: "once",
		says: "A claim that the ledger could not write is sent all the same: the record will make up for it.",
		swaps: []swap{{
			"intent/claim.go",
			"claimed, err := c.e.commit(ctx, ch)\n",
			"claimed, err := c.e.commit(ctx, ch)\n\tif err != nil && !moved(err) {\n\t\tclaimed, err = row, nil\n\t}\n",
		}},
	},
	{
		name: "record before send", quick: true, breaks: "true",
		says: "The row says performed from the claim on, and is put right if the send goes wrong.",
		swaps: []swap{{
			"intent/claim.go",
			`row.State, row.Reason, row.Retry, row.Evidence = StateInFlight, "", "", ""`,
			`row.State, row.Reason, row.Retry, row.Evidence = StatePerformed, "", "", ""`,
		}},
	},
	{
		name: "answer before record", breaks: "stable",
		says: "The answer leaves before the record is durable; the sweeper is to find it.",
		swaps: []swap{{
			"intent/act.go",
			"recorded, told, err := c.record(ctx, row, act, end)",
			"recorded, told, err := end.ruling.row, (*Escalation)(nil), error(nil)",
		}},
	},
	{
		name: "expired is sent", breaks: "once", test: "TestHistoryKeyStaysWhileTheSenderLives",
		says: "A row in flight whose time is over is sent again, without a lookup.",
		swaps: []swap{
			{
				"intent/recognise.go",
				"\tcase StateInFlight:\n",
				"\tcase StateInFlight:\n\t\tif c.e.expired(row) {\n\t\t\treturn nil\n\t\t}\n",
			},
			{
				"intent/read_check.go",
				"\tp.seen = c.e.lookUp(ctx, c.op.Steps()[0], p.row, p.act)\n",
				"\tp.seen = sighting{finding: Absent{}, asked: c.e.clock.now()}\n\tif p.row.State != StateInFlight {\n\t\tp.seen = c.e.lookUp(ctx, c.op.Steps()[0], p.row, p.act)\n\t}\n",
			},
		},
	},
	{
		name: "no deadline", breaks: "budget",
		says: "A send has no deadline of its own and takes the time of the lookup.",
		swaps: []swap{{
			"intent/act.go",
			"ctx, cancel := context.WithTimeout(ctx, row.SendBy.Sub(c.e.clock.now()))",
			"ctx, cancel := context.WithCancel(ctx)",
		}},
	},
	{
		name: "sender wakes", breaks: "once", test: "TestHistorySleepingSender",
		says: "A sender that slept through its claim sends all the same.",
		swaps: []swap{
			{
				"intent/act.go",
				"Request: act.Request, Payload: act.Payload, SendBy: row.SendBy,",
				"Request: act.Request, Payload: act.Payload, SendBy: c.e.clock.now().Add(c.e.o.ProviderTimeout),",
			},
			{
				"intent/act.go",
				"ctx, cancel := context.WithTimeout(ctx, row.SendBy.Sub(c.e.clock.now()))",
				"ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.e.o.ProviderTimeout)",
			},
		},
	},
	{
		name: "stale record", breaks: "true", test: "TestHistoryLateAnswerWinsAndIsTold",
		says: "A record that comes late overwrites what was written meanwhile.",
		swaps: []swap{{
			"intent/act.go",
			"case current.Nonce == mine.Nonce && current.State == StateInFlight:",
			"case current.Key == mine.Key:",
		}},
	},
	{
		name: "record given up", breaks: "lost", test: "TestHoleZ_SpilledThenUnknown",
		says: "A record that the ledger cannot take is dropped: nothing is spilled.",
		swaps: []swap{{
			"intent/settle.go",
			`e.fault("spill", e.o.Ledger.Spill(c))`,
			`e.fault("spill", errors.New("dropped"))`,
		}},
	},
	{
		name: "withdrawn claims", breaks: "true", test: "TestCancellation",
		says: "A call that its caller has withdrawn claims and sends all the same.",
		swaps: []swap{{
			"intent/claim.go",
			"\tif ctx.Err() != nil {\n\t\treturn c.interrupted(ctx)\n\t}\n\tif !c.e.leave",
			"\tif !c.e.leave",
		}},
	},
	{
		name: "leaving claims", breaks: "live", test: "TestHistoryNothingIsClaimedWhileLeaving",
		says: "A departing engine still claims.",
		swaps: []swap{{
			"intent/leave.go",
			"return !d.leaving || now.Before(d.claimUntil)",
			"return true",
		}},
	},
	{
		name: "cut reads unknown", breaks: "true", test: "TestLeaving",
		says: "A departing engine writes unknown over what it was cut off from, and does not leave it to the next one.",
		swaps: []swap{
			{
				"intent/act.go",
				"\tif c.e.leave.wasCut() && !learnt(seen) {\n\t\treturn conclusion{left: true}\n\t}\n",
				"",
			},
			{
				"intent/act.go",
				"\tif c.e.leave.wasCut() {\n\t\treturn conclusion{left: true}\n\t}\n",
				"",
			},
		},
	},
	{
		name: "panic reads nothing", breaks: "true", test: "TestHoleL_PanicReadsAlready",
		says: "A panic after the claim is answered like one before it: nothing was sent.",
		swaps: []swap{{
			"intent/say.go",
			"if c.claimed == nil {\n\t\treturn c.e.refuse(Refusal{Reason: ReasonInternal})",
			"if c.claimed == nil || c.e != nil {\n\t\treturn c.e.refuse(Refusal{Reason: ReasonInternal})",
		}},
	},
	{
		name: "sends not counted", breaks: "attempts",
		says: "A send is counted when it is answered, not when it is claimed.",
		swaps: []swap{
			{"intent/claim.go", "\trow.Sends++\n", ""},
			{"intent/act.go", "\tcase AnsweredPerformed:\n\t\treturn c.conc", "\tcase AnsweredPerformed:\n\t\tended.Sends++\n\t\treturn c.conc"},
		},
	},
	{
		name: "record made twice", breaks: "attempts", test: "TestSimFoundRecordMadeAndAnsweredWithAnError",
		says: "A record that was made and answered with an error is made again.",
		swaps: []swap{{
			"intent/act.go",
			"case moved && madeBefore(ch, current):",
			"case moved && madeBefore(ch, Row{}):",
		}},
	},
	{
		name: "taken back once more", breaks: "attempts", test: "TestSimFoundRecordThatWasMadeIsNotMadeTwice",
		says: "A record that nothing left is made once more on the claim that another process has made since.",
		swaps: []swap{{
			"intent/act.go",
			"kept := c.kept(ctx, ch)",
			"kept := len(ch.Row.Key) == 0",
		}},
	},
	{
		name: "a repeat's claim in doubt", breaks: "stable", test: "TestSimFoundRepeatThatWasClaimedAllTheSame",
		says: "The second send of a reversible act is left, though claimed, where the claim was answered with an error.",
		swaps: []swap{{
			"intent/act.go",
			"moved && madeBefore(ch, current) {",
			"moved && madeBefore(ch, Row{}) && current.Sends < 0 {",
		}},
	},
	{
		name: "no time to look up", breaks: "true", test: "TestMutantNoTimeToLookUp",
		says: "A call whose reads have taken its time sends all the same, and cannot look up what becomes of it.",
		swaps: []swap{{
			"intent/claim.go",
			"if c.e.clock.now().After(c.claimBy) {",
			"if c.claimBy.IsZero() {",
		}},
	},
	{
		name: "lookups by the wall clock", breaks: "true", test: "TestSimFoundClockSetWhileWaiting",
		says: "A wall clock that is set while a call waits takes the time in which it is to look up.",
		swaps: []swap{{
			"intent/act.go",
			"context.WithDeadline(ctx, c.due.Add(-c.e.reserve()))",
			"context.WithTimeout(ctx, c.claimBy.Sub(c.e.clock.now()))",
		}},
	},
	{
		name: "record tried once", breaks: "told", test: "TestMutantRecordIsTriedAgain",
		says:  "A record that the ledger cannot take at once is not tried again.",
		swaps: []swap{{"intent/detach.go", "recordTries = 4", "recordTries = 1"}},
	},
	{
		name: "leaving sends again", breaks: "live", test: "TestMutantLeavingBetweenTwoSends",
		says: "A departing engine sends a reversible act a second time.",
		swaps: []swap{{
			"intent/act.go",
			" || c.mayClaim(ctx) != nil {",
			" {",
		}},
	},
	{
		name: "end of another's claim", breaks: "once", test: "TestMutantEndOfAnothersClaim",
		says: "A sender that wakes up late ends the claim that another has made since.",
		swaps: []swap{{
			"intent/act.go",
			"\tif current.Nonce == mine.Nonce { // no later claim",
			"\tif current.Key == mine.Key { // no later claim",
		}},
	},
}
