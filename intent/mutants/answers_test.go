package mutants

// answers are mistakes about what the authority said, and what is said of it.
var answers = []mutant{
	{
		name: "no error is success", quick: true, breaks: "true",
		says: "An answer without an error reads as performed: a body that does not fit, a 500.",
		swaps: []swap{{
			"intent/act.go",
			"\tcase AnsweredAmbiguous:\n\t\tended.Ambiguous++\n",
			"\tcase AnsweredAmbiguous:\n\t\tif a.Detail != \"timeout\" {\n\t\t\treturn c.concludePerformed(ended, AnsweredPerformed{}, now)\n\t\t}\n\t\tended.Ambiguous++\n",
		}},
	},
	{
		name: "other facts adopted", breaks: "true",
		says: "An effect that bears our key and other facts is taken for ours.",
		swaps: []swap{{
			"intent/ruling.go",
			"return ruleOther(row, f.Effect)",
			"return ruleFound(row, class, f.Effect, s.asked)",
		}},
	},
	{
		name: "pending is final", breaks: "true",
		says: "An effect that is pending counts as final and is not looked at again.",
		swaps: []swap{{
			"intent/ruling.go",
			"effect.Status, effect.Final, effect.At",
			"effect.Status, effect.ID != \"\", effect.At",
		}},
	},
	{
		name: "undone stands", breaks: "true",
		says: "An effect that has come to nothing still counts as done.",
		swaps: []swap{{
			"intent/answer.go",
			"return e.Undone && e.Final && class != ClassReversible",
			"return e.Undone && e.Final && class == ClassRead",
		}},
	},
	{
		name: "performed twice", quick: true, breaks: "true",
		says: "Every caller is told performed, also the one that sent nothing.",
		swaps: []swap{{
			"intent/say.go",
			"\tcase StatePerformed:\n\t\treturn AlreadyPerformed",
			"\tcase StatePerformed:\n\t\treturn Performed",
		}},
	},
	{
		name: "replay reads performed", breaks: "true", test: "TestHistoryLostLedgerWhileListsLag",
		says: "An effect that an earlier call brought is told as this call's.",
		swaps: []swap{{
			"intent/act.go",
			"if end.earlier && (end.replayed || older) || !end.sent {",
			"if !older && !end.sent {",
		}},
	},
	{
		name: "own reads already", breaks: "true", test: "TestHoleL_PanicReadsAlready",
		says: "A call whose own send a lookup found is told that it had been done before.",
		swaps: []swap{{
			"intent/recognise.go",
			"\treturn Performed\n}",
			"\treturn AlreadyPerformed\n}",
		}},
	},
	{
		name: "late landing not told", breaks: "stable",
		says: "An effect that lands after all is recorded, and nobody is told.",
		swaps: []swap{{
			"intent/ruling.go",
			"if before.Belies(effect.ID) == CauseLateLanding || landedLate {",
			"if before.Belies(effect.ID) == CauseLateLanding && landedLate {",
		}},
	},
	{
		name: "late failure not told", breaks: "stable",
		says: "An effect that comes to nothing is recorded, and nobody is told.",
		swaps: []swap{{
			"intent/ruling.go",
			"\tif before.State != StateNotPerformed {\n\t\tr.causes",
			"\tif before.State == StateNotPerformed {\n\t\tr.causes",
		}},
	},
	{
		name: "second effect", breaks: "told", test: "TestHoleW_TwoEffectsAreNotTold",
		says: "A second effect replaces the first in the row, and nobody is told.",
		swaps: []swap{{
			"intent/ruling.go",
			"case row.Belies(effect.ID) == CauseSecondEffect:",
			"case row.Belies(row.EffectID) == CauseSecondEffect:",
		}},
	},
	{
		name: "older sighting", breaks: "true", test: "TestSimFoundOldSightingOfWhatFailed",
		says: "A sighting that is older than the one that stands overwrites it.",
		swaps: []swap{{
			"intent/ruling.go",
			"case (done || before.EffectID == effect.ID) && asked.Before(before.ConfirmedAt):",
			"case done && asked.Before(before.CreatedAt):",
		}},
	},
	{
		name: "believed for ever", breaks: "true", test: "TestAttackCancelledFromAnotherTicket",
		says: "What can be undone is believed from the ledger, whatever has happened in its scope since.",
		swaps: []swap{{
			"intent/recognise.go",
			"return age < confirmedForReversible && len(c.newerInScope(ctx, row)) == 0",
			"return age < confirmedForReversible",
		}},
	},
	{
		name: "unknown says wait", breaks: "once", test: "TestAttackMistypedResolve",
		says: "An unknown tells the caller to wait and ask again.",
		swaps: []swap{{
			"intent/say.go",
			"\tcase Unknown:\n\t}\n\treturn RetryNever, 0",
			"\tcase Unknown:\n\t\treturn RetryWait, 1\n\t}\n\treturn RetryNever, 0",
		}},
	},
	{
		name: "refused says wait", breaks: "leave", test: "TestEveryFaultOfARefund",
		says: "A refusal for good says that the same call may be made again.",
		swaps: []swap{{
			"intent/say.go",
			"if row.Retry == RetryWait && (row.State == StateNotPerformed ||",
			"if row.Retry != RetryFix && (row.State == StateNotPerformed ||",
		}},
	},
	{
		name: "joiner forgets", breaks: "true", test: "TestNineParallelCalls",
		says: "A call that waits for another one answers from the row as it was when it came.",
		swaps: []swap{{
			"intent/join.go",
			"\t\tif current.State != StateInFlight {\n\t\t\treturn c.remembered(ctx, current)\n\t\t}\n",
			"\t\tif current.State != StateInFlight {\n\t\t\treturn c.remembered(ctx, row)\n\t\t}\n",
		}},
	},
	{
		name: "refused on what has gone", breaks: "true", test: "TestMutantRefusedOnWhatHasGone",
		says: "A refusal is answered although the act has been done since what it rests on was read.",
		swaps: []swap{{
			"intent/judge.go",
			"return now.Version == p.row.Version, nil",
			"return now.Version >= p.row.Version, nil",
		}},
	},
	{
		name: "other effect as evidence", breaks: "true", test: "TestMutantAnotherEffectThanAnswered",
		says: "A lookup that shows another effect is given as the evidence for the one in the ledger.",
		swaps: []swap{{
			"intent/recognise.go",
			"there && found.Effect.ID == settled.EffectID || learnt",
			"there && found.Effect.ID != \"\" || learnt",
		}},
	},
	{
		name: "older than the call", breaks: "true", test: "TestMutantOlderThanTheCall",
		says: "An effect that is older than the claim of a call that broke off is told as its own.",
		swaps: []swap{{
			"intent/recognise.go",
			" || row.EffectAt.Before(c.claimed.ClaimedAt) {",
			" {",
		}},
	},
	{
		name: "seen and forgotten", breaks: "true", test: "TestSimFoundSeenAndWrittenMeanwhile",
		says: "What a call has seen is forgotten where another one has written the row meanwhile.",
		swaps: []swap{{
			"intent/read_check.go",
			"\t\treturn c.adopt(ctx, p)\n",
			"\t\treturn nil\n",
		}},
	},
	{
		name: "silent desk is open", breaks: "told", test: "TestAttackHandoffWhileTheDeskIsSilent",
		says: "A handoff is taken for delivered because the desk does not say that it has closed it.",
		swaps: []swap{{
			"intent/handoff.go",
			"open = silent && c.e",
			"open = silent || !silent || c.e",
		}},
	},
	{
		name: "old yes from memory", breaks: "true", test: "TestAttackOldYesWhileNobodyCanLook",
		says: "A booking that nobody could look at is told as one that stands.",
		swaps: []swap{{
			"intent/say.go",
			"if s.unseen && r.Outcome == AlreadyPerformed {",
			"if false && s.unseen && r.Outcome == AlreadyPerformed {",
		}},
	},
}
