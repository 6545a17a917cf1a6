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
			"\tif err := e.contradicted(ctx, key, ref); err != nil {\n\t\treturn Row{}, err\n\t}\n",
			"",
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
}
