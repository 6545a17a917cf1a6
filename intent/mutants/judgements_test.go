package mutants

// judgements are mistakes in what the tools decide on. The simulation seldom gets
// to where they matter, so the tests of tools are what has to notice.
var judgements = []mutant{
	{
		name: "ceiling of what is done", breaks: "sums", test: "TestMutantOpenCountsTowardsTheCeiling",
		says: "A ceiling counts what has been done, and not what is open.",
		swaps: []swap{{
			"tools/issue_refund.go",
			"spent := v.Totals[ticketResource(o.market, r.Ticket)].Spent",
			"total := v.Totals[ticketResource(o.market, r.Ticket)]\n\tspent := total.Spent - total.Open",
		}},
	},
	{
		name: "hidden where unknown", breaks: "sums", test: "TestMutantHiddenRefunds",
		says: "Of the refunds that the order does not show yet, only the unknown ones are held against what was paid.",
		swaps: []swap{{
			"tools/refund_rules.go",
			"(row.Open() || row.State == intent.StatePerformed)",
			"row.State == intent.StateUnknown",
		}},
	},
}
