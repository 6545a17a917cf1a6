package mutants

// words are mistakes about what people are told.
var words = []mutant{
	{
		name: "queued said delivered", breaks: "told",
		says: "An escalation that is in the outbox is said to be with a person.",
		swaps: []swap{{
			"intent/escalate.go",
			"if esc.DeliveredAt.IsZero() {\n\t\treturn &EscalationResult",
			"if esc.DeliveredAt.IsZero() && esc.Tries == 0 {\n\t\treturn &EscalationResult",
		}},
	},
	{
		name: "unknown not told", breaks: "told",
		says: "Nobody is told of an unknown.",
		swaps: []swap{{
			"intent/ruling.go",
			"\treturn ruling{row: row, causes: []Cause{CauseUnknown}}\n}\n\n// withEffect",
			"\treturn ruling{row: row}\n}\n\n// withEffect",
		}},
	},
	{
		name: "told once for ever", breaks: "told", test: "TestHoleO_SecondUnknownIsNotTold",
		says: "A person who has decided is not told again when the same comes up once more.",
		swaps: []swap{{
			"intent/escalate.go",
			"\t\t\t\tepisode++\n",
			"\t\t\t\tepisode += 0\n",
		}},
	},
	{
		name: "outbox apart", breaks: "told",
		says: "A person is told after the commit, and not by it: a crash in between is silent.",
		swaps: []swap{{
			"intent/settle.go",
			"\t\t\tc.Escalate = append(c.Escalate, esc)\n",
			"\t\t\te.deliver(ctx, esc)\n",
		}},
	},
	{
		name: "unchanged tells nobody", breaks: "told", test: "TestMutantAnotherEffectThanAnswered",
		says: "A second effect that changes nothing in the row is told to nobody.",
		swaps: []swap{{
			"intent/settle.go",
			"if c.Attempt == nil && len(c.Escalate) == 0 && sameButForSweep",
			"if c.Attempt == nil && sameButForSweep",
		}},
	},
}
