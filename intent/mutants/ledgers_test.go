package mutants

// ledgers are mistakes in the SQLite ledger. The simulation has a ledger of its
// own, so the tests of store are what has to notice.
var ledgers = []mutant{
	{
		name: "version ignored", breaks: "stable", test: "TestLedger",
		says: "A change is written whatever has been written since it was decided.",
		swaps: []swap{{
			"store/commit.go",
			"if before.version != c.Seen {",
			"if before.version < c.Seen {",
		}},
	},
	{
		name: "blocker ignored", breaks: "siblings", test: "TestLedger",
		says: "The transaction that claims does not look for an open act in the scope.",
		swaps: []swap{{
			"store/commit.go",
			`if c.Exclusive && c.Row.Scope != "" {`,
			`if c.Exclusive && c.Row.Scope == "" {`,
		}},
	},
	{
		name: "marks ignored", breaks: "sums", test: "TestLedger",
		says: "The transaction that claims does not look whether a resource has changed.",
		swaps: []swap{{
			"store/commit.go",
			"if err == nil && moved {",
			"if err != nil && moved {",
		}},
	},
	{
		name: "commit not resolved", breaks: "once", test: "TestCommitOfABatchFails",
		says: "A commit whose result is not known counts as not made.",
		swaps: []swap{{
			"store/commit.go",
			"return err == nil && now == want, err",
			"return err != nil && now == want, err",
		}},
	},
	{
		name: "spill over a performed row", breaks: "stable", test: "TestLedger",
		says: "A spilled effect replaces the one that the row has.",
		swaps: []swap{{
			"store/spill.go",
			"\tcase now.State == intent.StatePerformed:\n\t\tc.Row = &now\n",
			"\tcase now.State == intent.StatePerformed:\n",
		}},
	},
	{
		name: "spill tells nobody", breaks: "stable", test: "TestLedger",
		says: "A spilled effect is laid over a row from which the contrary was answered, and nobody is told.",
		swaps: []swap{{
			"store/spill.go",
			"c.Escalate = append(c.Escalate, c.LateOver(now)...)",
			"c.LateOver(now)",
		}},
	},
	{
		name: "spill after the ledger", breaks: "stable", test: "TestLedger",
		says: "A process that has spilled goes on writing without reading its spill file first.",
		swaps: []swap{{
			"store/spill.go",
			"if !l.spilled.CompareAndSwap(true, false) {",
			"if l.spilled.CompareAndSwap(true, false) {",
		}},
	},
	{
		name: "unknown alone is spent", breaks: "sums", test: "TestLedger",
		says: "Of the intents that are not done, only the unknown ones count as spent.",
		swaps: []swap{
			{"store/sums.go", "if r.Open() || performed {", "if r.State == intent.StateUnknown || performed {"},
			{"store/sums.go", `open = 1 OR " + t + "state = 'performed', "`, `state = 'unknown' OR " + t + "state = 'performed', "`},
		},
	},
}
