package mutants

// words are mistakes about what people are told.
var words = []mutant{
	{
		name: "queued said delivered", breaks: "told",
		says: "An escalation that is in the outbox is said to be with a person.",
		swaps: []swap{{"intent/escalate.go",
			"if esc.DeliveredAt.IsZero() {\n\t\treturn &EscalationResult",
			"if esc.DeliveredAt.IsZero() && esc.Tries == 0 {\n\t\treturn &EscalationResult"}},
	},
	{
		name: "unknown not told", breaks: "told",
		says: "Nobody is told of an unknown.",
		swaps: []swap{{"intent/ruling.go",
			"\treturn ruling{row: row, causes: []Cause{CauseUnknown}}\n}\n\n// withEffect",
			"\treturn ruling{row: row}\n}\n\n// withEffect"}},
	},
	{
		name: "told once for ever", breaks: "told", test: "TestHoleO_SecondUnknownIsNotTold",
		says: "A person who has decided is not told again when the same comes up once more.",
		swaps: []swap{{"intent/escalate.go",
			"\t\t\t\tepisode++\n",
			"\t\t\t\tepisode += 0\n"}},
	},
	{
		name: "outbox apart", breaks: "told", test: "TestHistoryOutboxSurvivesACrash",
		says: "A person is told after the commit, and not by it: a crash in between is silent.",
		swaps: []swap{{"intent/settle.go",
			"\t\t\tc.Escalate = append(c.Escalate, esc)\n",
			"\t\t\te.deliver(ctx, esc)\n"}},
	},
	{
		name: "desk not asked", breaks: "told", test: "TestAttackHandoffBehindALaggingLookup",
		says: "A message to the desk whose answer was lost is sent again without a lookup.",
		swaps: []swap{{"intent/deliver.go",
			"if esc.Tries > 0 || e.clock.now().Sub(esc.CreatedAt) > within {",
			"if esc.Tries < 0 {"}},
	},
	{
		name: "desk's stored error", breaks: "told", test: "TestEveryFaultOfTheDesk",
		says: "An error that the desk stores keeps the key of a message to it for ever.",
		swaps: []swap{{"intent/deliver.go",
			"\t\t\tif a.Stored && e.o.Desk.Capabilities().Lookup == LookupReadAfterWrite {\n\t\t\t\tesc.Ordinal++\n\t\t\t}\n",
			""}},
	},
	{
		name: "muted in silence", breaks: "told", test: "TestHistoryMutedInSilence",
		says: "An unknown that keeps its scope closed for hours is not told again.",
		swaps: []swap{{"intent/sweep.go",
			"\t\te.raise(ctx, op, row, act, CauseStillUnknown)\n",
			"\t\te.postpone(ctx, row)\n"}},
	},
}
