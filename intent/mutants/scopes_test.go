package mutants

// scopes are mistakes about what other acts on the same thing mean: siblings,
// sums, and other processes.
var scopes = []mutant{
	{
		name: "siblings ignored", breaks: "siblings",
		says: "An open act on the same thing keeps nobody back.",
		swaps: []swap{
			{"intent/siblings.go", `if p.reading.Scope == "" {`, `if p.reading.Scope != p.row.Key.String() {`},
			{"intent/claim.go", "Since: p.mark, Exclusive: true}", "Since: p.mark}"},
		},
	},
	{
		name: "mark dropped", breaks: "sums", test: "TestHistoryStaleReadingIsReadAgain",
		says: "The claim does not ask whether what was read has changed.",
		swaps: []swap{{
			"intent/claim.go",
			"Since: p.mark, Exclusive: true}",
			"Exclusive: true}",
		}},
	},
	{
		name: "release for good", breaks: "siblings", test: "TestHoleG_ReleaseOutlivesItsSend",
		says: "A release outlives the attempt that it was given for.",
		swaps: []swap{{
			"intent/claim.go",
			"row.Reopened, row.Released = false, false",
			"row.Reopened = false",
		}},
	},
	{
		name: "sender taken for dead", breaks: "owner",
		says: "Whoever meets another process's act takes its sender for gone.",
		swaps: []swap{{
			"intent/settle.go",
			"return !e.o.Ledger.Alive(row.Owner)",
			"return row.Owner != e.o.Ledger.Owner()",
		}},
	},
	{
		name: "lease too short", breaks: "owner",
		says: "A claim expires after the time of one request, while its sender is still looking up.",
		swaps: []swap{{
			"intent/settle.go",
			"func (e *Engine) claimLasts() time.Duration { return 2 * e.o.AnswerWithin }",
			"func (e *Engine) claimLasts() time.Duration { return e.o.ProviderTimeout }",
		}},
	},
	{
		name: "lease by the wall clock", breaks: "owner", test: "TestSimFoundClockSetWhileAnotherWaits",
		says: "A wall clock that is set forward ends the turn of whoever is at work.",
		swaps: []swap{{
			"intent/settle.go",
			"!now.Before(row.DueAt) && e.elapsed(row, now) >= row.DueAt.Sub(row.ClaimedAt)",
			"!now.Before(row.DueAt)",
		}},
	},
	{
		name: "lease by who looks", breaks: "owner", test: "TestHistoryClaimOfAHastierProcess",
		says: "How long a claim lasts depends on who looks at it.",
		swaps: []swap{{
			"intent/settle.go",
			"e.elapsed(row, now) >= row.DueAt.Sub(row.ClaimedAt)",
			"e.elapsed(row, now) >= e.claimLasts()",
		}},
	},
	{
		name: "mark after the reading", breaks: "sums", test: "TestMutantWrittenWhileItWasRead",
		says: "What the claim compares with begins once the reading has ended, and not before it.",
		swaps: []swap{
			{
				"intent/read_check.go",
				"\tmark, err := c.e.o.Ledger.Mark(ctx)\n\tif err != nil {\n\t\treturn nil, c.ledgerDown(ctx, \"mark\", err)\n\t}\n",
				"",
			},
			{
				"intent/read_check.go",
				"\tc.e.at(PointRead)\n",
				"\tmark, err := c.e.o.Ledger.Mark(ctx)\n\tif err != nil {\n\t\treturn nil, c.ledgerDown(ctx, \"mark\", err)\n\t}\n\tc.e.at(PointRead)\n",
			},
		},
	},
	{
		name: "watch blocks nothing", breaks: "siblings", test: "TestHistoryShavedCentWaitsForLateLanding",
		says: "An act that may still land keeps nobody back, since it reads as not done.",
		swaps: []swap{{
			"intent/ledger.go",
			"r.Open() && r.State != StatePerformed && !r.Released",
			"r.Open() && r.State != StatePerformed && r.State != StateNotPerformed && !r.Released",
		}},
	},
	{
		name: "sent again beside another", breaks: "siblings", test: "TestMutantSentAgainBesideAnother",
		says: "The second send of a reversible act does not look for another act at work in its scope.",
		swaps: []swap{{
			"intent/act.go",
			"Seen: row.Version, Exclusive: true}",
			"Seen: row.Version}",
		}},
	},
}
