package mutants

// absences are mistakes about what it is worth that nothing was found.
var absences = []mutant{
	{
		name: "absence too early", breaks: "once",
		says: "An absence is believed before the time in which the send may land is over.",
		swaps: []swap{{
			"intent/ruling.go",
			"case s.afterLanding(row, caps) && row.SenderDone:",
			"case row.SenderDone:",
		}},
	},
	{
		name: "absence before the claim", breaks: "true", test: "TestHoleD_StaleAbsenceSettlesLiveClaim",
		says: "A lookup that was begun before a claim settles it, and its sender is at it still.",
		swaps: []swap{{
			"intent/settle.go",
			"return !atWork && !s.asked.Before(row.ClaimedAt)",
			"return true",
		}},
	},
	{
		name: "other facts over a living claim", breaks: "owner", test: "TestSimFoundOtherFactsWhileSomebodyIsAtIt",
		says: "An effect of other facts, seen before a claim, is recorded while its sender is at it.",
		swaps: []swap{{
			"intent/settle.go",
			"\tcase FoundOther:\n\t\treturn !atWork\n",
			"\tcase FoundOther:\n\t\treturn true\n",
		}},
	},
	{
		name: "sender may wake", breaks: "once", test: "TestHistoryOldKeyOfALivingSender",
		says: "An absence closes an attempt although its sender may still wake up.",
		swaps: []swap{{
			"intent/ruling.go",
			"case s.afterLanding(row, caps) && row.SenderDone:",
			"case s.afterLanding(row, caps):",
		}},
	},
	{
		name: "closed by a living sender", breaks: "once", test: "TestHistoryOldKeyOfALivingSender",
		says: "The key of a sender that may still wake up is left behind.",
		swaps: []swap{{
			"intent/claim.go",
			"if over && seen.absenceCounts(row, caps) && row.SenderDone {",
			"if over && seen.absenceCounts(row, caps) {",
		}},
	},
	{
		name: "down reads absent", breaks: "once",
		says: "A lookup that went wrong reads as one that found nothing.",
		swaps: []swap{{
			"intent/lookup.go",
			"\t\t_, down := s.finding.(LookupFailed)\n",
			"\t\t_, down := s.finding.(LookupFailed)\n\t\tif down {\n\t\t\ts.finding = Absent{}\n\t\t}\n",
		}},
	},
	{
		name: "delayed reads immediate", breaks: "true",
		says: "An absence in a lookup that lags is believed at once.",
		swaps: []swap{{
			"intent/lookup.go",
			"return !s.asked.Before(shows) && s.elapsed >= shows.Sub(row.ClaimedAt)",
			"return !s.asked.Before(row.ClaimedAt) || shows.IsZero()",
		}},
	},
	{
		name: "lag left out", breaks: "once", test: "TestHoleB2_DelayedLookupWithoutDedupe",
		says: "When a send has landed is reckoned without the lag of the lookup that is to show it.",
		swaps: []swap{{
			"intent/capability.go",
			"\tif c.Lookup == LookupDelayed {\n\t\tlanded = landed.Add(c.LookupDelay)\n\t}\n",
			"",
		}},
	},
	{
		name: "refusal while open", breaks: "true", test: "TestRefusalWhileAnEarlierAttemptIsOpen",
		says: "A refusal settles the intent although an earlier attempt may still land.",
		swaps: []swap{{
			"intent/act.go",
			"detail: a.Code}\n\t\tif row.OnWatch() {",
			"detail: a.Code}\n\t\tif row.OnWatch() && row.Sends == 0 {",
		}},
	},
	{
		name: "not sent while open", breaks: "true", test: "TestHoleI_NotSentWhileOnWatch",
		says: "A request that provably did not leave settles the intent although an earlier attempt may still land.",
		swaps: []swap{{
			"intent/act.go",
			"ended.Sends--\n\t\tif row.OnWatch() {",
			"ended.Sends--\n\t\tif row.OnWatch() && row.Sends == 0 {",
		}},
	},
	{
		name: "watch ended", breaks: "lost", test: "TestAttackPolicyTightensOverAnOpenAttempt",
		says: "A send that can still land is not watched: the repeat under its key is harmless.",
		swaps: []swap{{
			"intent/ruling.go",
			"row.WatchUntil = latest(row.WatchUntil, caps.landedBy(row.SendBy))",
			"row.WatchUntil = time.Time{}",
		}},
	},
	{
		name: "limit forgotten", breaks: "once", test: "TestHistoryOldKeyOfALivingSender",
		says: "A sender that died does not count as an ambiguous send.",
		swaps: []swap{{
			"intent/settle.go",
			"\tif row.State == StateInFlight {\n\t\trow.Ambiguous++\n\t}\n",
			"",
		}},
	},
	{
		name: "third send", breaks: "once",
		says: "An irreversible act may have a third ambiguous send.",
		swaps: []swap{{
			"intent/class.go",
			"\treturn 2\n}\n\n// RetryRule",
			"\treturn 3\n}\n\n// RetryRule",
		}},
	},
	{
		name: "wait for ever", breaks: "leave", test: "TestHistoryTwoAmbiguousSends",
		says: "After two ambiguous sends the answer says to wait, and not never.",
		swaps: []swap{{
			"intent/ruling.go",
			"\t\tif exhausted {\n\t\t\trow.Retry, row.Reopened = RetryNever, false\n\t\t}\n",
			"",
		}},
	},
	{
		name: "never looked for", breaks: "once",
		says: "An intent that the ledger does not know is not looked for at the authority.",
		swaps: []swap{{
			"intent/read_check.go",
			"\tp.seen = c.e.lookUp(ctx, c.op.Steps()[0], p.row, p.act)\n",
			"\tp.seen = sighting{finding: Absent{}, asked: c.e.clock.now()}\n\tif exists {\n\t\tp.seen = c.e.lookUp(ctx, c.op.Steps()[0], p.row, p.act)\n\t}\n",
		}},
	},
	{
		name: "webhook reads lookup", breaks: "true", test: "TestMutantWebhookIsNoLookup",
		says: "A provider that tells us, and cannot be asked, counts as one that can be asked.",
		swaps: []swap{
			{
				"intent/lookup.go",
				"\tcase LookupReadAfterWrite:\n\t\treturn true\n\tcase LookupDelayed:\n",
				"\tcase LookupReadAfterWrite, LookupWebhook:\n\t\treturn true\n\tcase LookupDelayed:\n",
			},
			{"intent/lookup.go", "\tcase LookupNone, LookupWebhook:\n", "\tcase LookupNone:\n"},
			{"intent/capability.go", "c.Lookup == LookupNone || c.Lookup == LookupWebhook", "c.Lookup == LookupNone"},
		},
	},
	{
		name: "absence over a refusal", breaks: "stable", test: "TestMutantAbsenceOverARefusal",
		says: "A late absence opens an act again that was refused for good.",
		swaps: []swap{{
			"intent/ruling.go",
			"if row.Retry != RetryNever {",
			`if row.Retry != "" {`,
		}},
	},
	{
		name: "older failure settles", breaks: "true", test: "TestSimFoundOlderFailureLeavesTheSendOpen",
		says: "A failed effect of a ledger that was lost settles a send that came after it.",
		swaps: []swap{{
			"intent/ruling.go",
			"if f.Effect.comeToNothing(class) && s.leavesOpen(",
			"if false && f.Effect.comeToNothing(class) && s.leavesOpen(",
		}},
	},
}
