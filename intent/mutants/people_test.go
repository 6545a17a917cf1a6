package mutants

// people are mistakes about a person's word.
var people = []mutant{
	{
		name: "approved on other figures", breaks: "sums", test: "TestHistoryApprovedOnOtherFigures",
		says: "An approval holds whatever the figures are when it is used.",
		swaps: []swap{{
			"intent/judge.go",
			" || p.act.Figures != j.Figures {",
			" {",
		}},
	},
	{
		name: "repeat without leave", breaks: "leave",
		says: "An irreversible act is repeated without a person's leave.",
		swaps: []swap{{
			"intent/repeat.go",
			"return earlier.RepeatAllowed",
			"return earlier.State == StatePerformed",
		}},
	},
	{
		name: "person not contradicted", breaks: "true", test: "TestAttackMistypedResolve",
		says: "A person's word is taken without asking the authority.",
		swaps: []swap{{
			"intent/person.go",
			"shown, err := e.contradicted(ctx, key, ref)",
			"shown, err := (*Effect)(nil), error(nil)",
		}},
	},
	{
		name: "word over a failure", breaks: "true", test: "TestAttackResolveBeforeTheEnd",
		says: "A person's word makes a performed act of an effect that came to nothing.",
		swaps: []swap{{
			"intent/person.go",
			"effect.ID == ref && effect.comeToNothing(op.Class()):",
			"effect.ID == ref && false:",
		}},
	},
	{
		name: "word said too early", breaks: "once", test: "TestAttackNotPerformedTooEarly",
		says: "After a person's word that nothing happened it is sent at once, deduplicated or not.",
		swaps: []swap{{
			"intent/person.go",
			"if !known || op.Steps()[row.Step].Capabilities().dedupesUntilLanded() {",
			"if !known || op.Steps() != nil {",
		}},
	},
	{
		name: "named id stays", breaks: "true", test: "TestMutantAnotherEffectThanNamed",
		says: "An id that a person named stays the answer, whatever the provider shows.",
		swaps: []swap{{
			"intent/ledger.go",
			"return r.Evidence == EvidencePerson && r.ConfirmedAt.IsZero()",
			"return false",
		}},
	},
	{
		name: "word ends the watch", breaks: "lost", test: "TestHoleX_ResolveEndsTheWatch",
		says: "A person's word that nothing happened ends the watch on a send that can still land.",
		swaps: []swap{{
			"intent/person.go",
			"row.WatchUntil = e.stillWatched(row)",
			"row.WatchUntil = time.Time{}",
		}},
	},
	{
		name: "approval keeps the watch", breaks: "true", test: "TestAttackPolicyTightensOverAnOpenAttempt",
		says: "An act that may not be sent now is put before a person while its earlier attempt may still land.",
		swaps: []swap{{
			"intent/judge.go",
			"\t\tif p.row.OnWatch() {\n\t\t\treturn nil, c.stillOnWatch(ctx, p)\n\t\t}\n",
			"",
		}},
	},
	{
		name: "absence over a person's word", breaks: "stable", test: "TestMutantAbsenceOverAPersonsWord",
		says: "A late absence overwrites a person's word that it was done.",
		swaps: []swap{
			{
				"intent/ruling.go",
				"\t\tcase StateInFlight, StateUnknown:\n\t\t\treturn ruleAbsent",
				"\t\tcase StateInFlight, StateUnknown, StatePerformed:\n\t\t\treturn ruleAbsent",
			},
			{"intent/ruling.go", "case StatePerformed, StateQueued:\n\t\t}\n\t\treturn ruling{row: row}", "case StateQueued:\n\t\t}\n\t\treturn ruling{row: row}"},
		},
	},
	{
		name: "decline keeps the approval", breaks: "leave", test: "TestMutantDeclineTakesBackAnApproval",
		says: "A decline does not take back an approval that was given before.",
		swaps: []swap{{
			"intent/judge.go",
			"\t\tcase VerbDecline:\n\t\t\tallowed = false\n",
			"",
		}},
	},
	{
		name: "approved while it waits", breaks: "leave", test: "TestMutantAskedAgainWhileItWaits",
		says: "An act that waits for a person once more is done by what they approved before.",
		swaps: []swap{{
			"intent/judge.go",
			"p.row.State == StateAwaiting || p.act.Figures",
			"p.act.Figures",
		}},
	},
	{
		name: "figures rewritten", breaks: "sums", test: "TestAttackFiguresRewrittenUnseen",
		says: "The figures that a person decides on are rewritten whenever the model asks again.",
		swaps: []swap{{
			"intent/judge.go",
			"\tif p.row.State == StateAwaiting {\n\t\treturn c.stillAwaiting",
			"\tif p.row.State == StateAwaiting && p.act.Figures == j.Figures {\n\t\treturn c.stillAwaiting",
		}},
	},
	{
		name: "figures outlive their wait", breaks: "leave", test: "TestMutantFiguresThatNobodyApproved",
		says: "Figures that were shown, and that the act then did without, are held to be approved by what was said of others.",
		swaps: []swap{{
			"intent/claim.go",
			"\tp.act = withoutUnapproved(p.row, p.act)\n",
			"",
		}},
	},
	{
		name: "figures outlive a mismatch", breaks: "leave", test: "TestMutantFiguresOfAMismatch",
		says: "Figures that were shown are held to be approved, though the act turned out to be unknown while it waited.",
		swaps: []swap{{
			"intent/settle.go",
			"if row.State == StateAwaiting && next.State != StateAwaiting {",
			"if row.State == StateAwaiting && next.State == StateAwaiting {",
		}},
	},
	{
		name: "re-opened while it waits", breaks: "leave", test: "TestHoleF_SecondDeclineDoesNotStick",
		says: "An act that a person re-opened stays so when it waits for them again, and when they decline it.",
		swaps: []swap{
			{"intent/person.go", "EvidencePerson\n\t\trow.Reopened = false", "EvidencePerson"},
			{"intent/judge.go", "waiting.Reopened, waiting.Released = false, false", "waiting.Released = false"},
			{"intent/judge.go", "\twaiting.Reopened = false\n", ""},
		},
	},
	{
		name: "undone and re-opened", breaks: "leave", test: "TestMutantReopenedAndUndone",
		says: "An effect that has come to nothing may be asked for again, since a person had re-opened its act before.",
		swaps: []swap{{
			"intent/ruling.go",
			"ReasonRefused, RetryNever\n\trow.Reopened = false\n",
			"ReasonRefused, RetryNever\n",
		}},
	},
	{
		name: "corrected word shown", breaks: "true", test: "TestMutantCorrectedWord",
		says: "An effect that a person named by mistake is shown after they have corrected it.",
		swaps: []swap{{
			"intent/person.go",
			"\t\t\trow.EffectID, row.Status = \"\", \"\"\n",
			"",
		}},
	},
	{
		name: "person's word by the ledger", breaks: "true", test: "TestMutantCorrectedWord",
		says: "What rests on a person's word is told as what the ledger has seen.",
		swaps: []swap{{
			"intent/recognise.go",
			"if row.Evidence == EvidencePerson {",
			"if row.Evidence == EvidencePerson && row.EffectID == \"\" {",
		}},
	},
	{
		name: "repeat of what is pending", breaks: "leave", test: "TestMutantRepeatOfWhatIsPending",
		says: "A repeat may be allowed of an effect that is still pending.",
		swaps: []swap{{
			"intent/person.go",
			"if row.EffectID == \"\" || !row.Final {",
			"if row.EffectID == \"\" {",
		}},
	},
	{
		name: "repeat of another act", breaks: "leave", test: "TestMutantRepeatOfAnotherAct",
		says: "A repeat that a person allowed of one act is taken by another that names its effect.",
		swaps: []swap{{
			"intent/repeat.go",
			"if c.sameFacts(p, earlier, act) && c.mayFollow",
			"if c.mayFollow",
		}},
	},
	{
		name: "approved has an answer", breaks: "true", test: "TestMutantApprovedAndNotReadable",
		says: "What was approved and not sent answers from its row while the authority cannot be read.",
		swaps: []swap{{
			"intent/read_check.go",
			"if ok && row.State != StateReady {",
			"if ok {",
		}},
	},
}
