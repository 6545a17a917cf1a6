package mutants

// people are mistakes about a person's word.
var people = []mutant{
	{
		name: "absence over a person's word", breaks: "stable", test: "TestHoleE_DeclineLostBySweep",
		says: "A late absence overwrites a decline, or a refusal for good.",
		swaps: []swap{{"intent/ruling.go",
			"if row.Retry != RetryNever {\n\t\t\t\treturn ruleAbsent",
			"if row.Retry != RetryFix {\n\t\t\t\treturn ruleAbsent"}},
	},
	{
		name: "decline forgotten", breaks: "leave", test: "TestHistoryDeclined",
		says: "A decline does not take back an earlier approval.",
		swaps: []swap{{"intent/judge.go",
			"\t\tcase VerbDecline:\n\t\t\tallowed = false\n",
			""}},
	},
	{
		name: "approved on other figures", breaks: "sums", test: "TestHistoryApprovedOnOtherFigures",
		says: "An approval holds whatever the figures are when it is used.",
		swaps: []swap{{"intent/judge.go",
			" || p.act.Figures != j.Figures {",
			" {"}},
	},
	{
		name: "waiting is approved", breaks: "leave", test: "TestHoleP_ShownAgainIsNotTold",
		says: "An approval is used a second time by an intent that waits again.",
		swaps: []swap{{"intent/judge.go",
			"if p.row.Version == 0 || p.row.State == StateAwaiting ||",
			"if p.row.Version == 0 ||"}},
	},
	{
		name: "figures rewritten", breaks: "leave", test: "TestAttackFiguresRewrittenUnseen",
		says: "The figures of a waiting intent are replaced by newer ones that the person has not seen.",
		swaps: []swap{{"intent/judge.go",
			"\t\tkept.Arguments = p.act.Arguments\n",
			"\t\tkept.Arguments, kept.Figures = p.act.Arguments, p.act.Figures\n"}},
	},
	{
		name: "repeat without leave", breaks: "leave",
		says: "An irreversible act is repeated without a person's leave.",
		swaps: []swap{{"intent/repeat.go",
			"return earlier.RepeatAllowed",
			"return earlier.State == StatePerformed"}},
	},
	{
		name: "repeat of what stands", breaks: "leave", test: "TestNoRepeatOfABookingThatStands",
		says: "A reversible act is repeated although the one before it stands.",
		swaps: []swap{{"intent/repeat.go",
			"return undone(seen)",
			"return learnt(seen)"}},
	},
	{
		name: "leave for other facts", breaks: "leave",
		says: "A leave to repeat one effect is used for an act with other facts.",
		swaps: []swap{{"intent/repeat.go",
			"if c.sameFacts(p, earlier, act) && c.mayFollow",
			"if c.mayFollow"}},
	},
	{
		name: "reopened for good", breaks: "leave", test: "TestHoleF_SecondDeclineDoesNotStick",
		says: "An intent that was re-opened once stays open, whatever is decided later.",
		swaps: []swap{{"intent/person.go",
			"RetryNever, EvidencePerson\n\t\trow.Reopened = false\n",
			"RetryNever, EvidencePerson\n"}},
	},
	{
		name: "person not contradicted", breaks: "true", test: "TestAttackMistypedResolve",
		says: "A person's word is taken without asking the authority.",
		swaps: []swap{{"intent/person.go",
			"\tif err := e.contradicted(ctx, key, ref); err != nil {\n\t\treturn Row{}, err\n\t}\n",
			""}},
	},
	{
		name: "word ends the watch", breaks: "lost", test: "TestHoleX_ResolveEndsTheWatch",
		says: "A person's word that nothing happened ends the watch on a send that can still land.",
		swaps: []swap{{"intent/person.go",
			"row.WatchUntil = e.stillWatched(row)",
			"row.WatchUntil = time.Time{}"}},
	},
	{
		name: "approval keeps the watch", breaks: "true", test: "TestAttackPolicyTightensOverAnOpenAttempt",
		says: "An act that may not be sent now is put before a person while its earlier attempt may still land.",
		swaps: []swap{{"intent/judge.go",
			"\t\tif p.row.OnWatch() {\n\t\t\treturn nil, c.stillOnWatch(ctx, p)\n\t\t}\n",
			""}},
	},
}
