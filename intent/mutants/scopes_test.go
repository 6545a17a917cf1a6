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
		name: "scope not held", breaks: "siblings", test: "TestHistoryOneApprovalPerScope",
		says: "Siblings are looked for before the claim, and not by the commit that claims.",
		swaps: []swap{{"intent/claim.go",
			"Since: p.mark, Exclusive: true}",
			"Since: p.mark}"}},
	},
	{
		name: "mark dropped", breaks: "sums", test: "TestHistoryStaleReadingIsReadAgain",
		says: "The claim does not ask whether what was read has changed.",
		swaps: []swap{{"intent/claim.go",
			"Since: p.mark, Exclusive: true}",
			"Exclusive: true}"}},
	},
	{
		name: "mark after the reading", breaks: "sums", test: "TestHistoryStaleReadingIsReadAgain",
		says: "The mark is taken after the reading and not before it.",
		swaps: []swap{{"intent/judge.go",
			"\tview, err := c.view(ctx, p)\n",
			"\tview, err := c.view(ctx, p)\n\tp.mark, _ = c.e.o.Ledger.Mark(ctx)\n"}},
	},
	{
		name: "on watch blocks nothing", breaks: "siblings",
		says: "A send that may still land keeps nobody in its scope back.",
		swaps: []swap{{"intent/ledger.go",
			"return r.Scope != \"\" && r.Open() && r.State != StatePerformed && !r.Released",
			"return r.Scope != \"\" && r.Open() && r.State != StatePerformed && r.State != StateNotPerformed && !r.Released"}},
	},
	{
		name: "unknown alone is spent", breaks: "sums", test: "TestHistoryLagHidesMoney",
		says: "Of the acts that are not done yet, only the unknown ones count as spent.",
		swaps: []swap{{"tools/refund_rules.go",
			`(row.Open() || row.State == intent.StatePerformed)`,
			`(row.State == intent.StateUnknown || row.State == intent.StatePerformed)`}},
	},
	{
		name: "open is not spent", breaks: "sums", test: "TestContendedSeller",
		says: "A ceiling counts what is done, and not what is under way.",
		swaps: []swap{{"tools/issue_refund.go",
			"spent := v.Totals[ticketResource(o.market, r.Ticket)].Spent",
			"total := v.Totals[ticketResource(o.market, r.Ticket)]\n\tspent := total.Spent - total.Open"}},
	},
	{
		name: "figures believed", breaks: "sums", test: "TestHistoryLagHidesMoney",
		says: "The order's own figures are believed although they do not show our latest refunds yet.",
		swaps: []swap{{"tools/refund_rules.go",
			"if len(hidden) == 0 || fits && !inScope {",
			"if len(hidden) == 0 || fits || !inScope {"}},
	},
	{
		name: "release for good", breaks: "siblings", test: "TestHoleG_ReleaseOutlivesItsSend",
		says: "A release outlives the attempt that it was given for.",
		swaps: []swap{{"intent/claim.go",
			"row.Reopened, row.Released = false, false",
			"row.Reopened = false"}},
	},
	{
		name: "sender taken for dead", breaks: "owner",
		says: "Whoever meets another process's act takes its sender for gone.",
		swaps: []swap{{"intent/settle.go",
			"return !e.o.Ledger.Alive(row.Owner)",
			"return row.Owner != e.o.Ledger.Owner()"}},
	},
	{
		name: "lease too short", breaks: "owner",
		says: "A claim expires after the time of one request, while its sender is still looking up.",
		swaps: []swap{{"intent/claim.go",
			"row.DueAt = now.Add(2 * e.o.AnswerWithin)",
			"row.DueAt = now.Add(e.o.ProviderTimeout)"}},
	},
	{
		name: "lease for ever", breaks: "live", test: "TestHistoryDeadOwnerIsLookedUp",
		says: "A claim never expires, and nobody asks whether its sender lives.",
		swaps: []swap{
			{"intent/settle.go", "return !row.DueAt.IsZero() && !e.clock.now().Before(row.DueAt)", "return false"},
			{"intent/settle.go", "return !e.o.Ledger.Alive(row.Owner)", "return false"},
		},
	},
	{
		name: "two at the desk", breaks: "told", test: "TestHoleM2_HandoffAttempts",
		says: "Two calls for one handoff both send it.",
		swaps: []swap{{"intent/deliver.go",
			"if row.State != StateQueued || e.atTheDesk(row) {",
			"if row.State != StateQueued {"}},
	},
}
