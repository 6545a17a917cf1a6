package mutants

// ledgers are mistakes in the SQLite ledger. The simulation has a ledger of its
// own, so the tests of store are what has to notice.
var ledgers = []mutant{
	{
		name: "sync relaxed", breaks: "lost",
		says: "A commit is not synced: the page cache is durable enough.",
		swaps: []swap{{"store/connect.go",
			`"synchronous = FULL",`,
			`"synchronous = NORMAL",`}},
	},
	{
		name: "version ignored", breaks: "stable",
		says: "A change is written whatever has been written since it was decided.",
		swaps: []swap{{"store/commit.go",
			"if before.version != c.Seen {",
			"if before.version < c.Seen {"}},
	},
	{
		name: "blocker ignored", breaks: "siblings",
		says: "The transaction that claims does not look for an open act in the scope.",
		swaps: []swap{{"store/commit.go",
			`if c.Exclusive && c.Row.Scope != "" {`,
			`if c.Exclusive && c.Row.Scope == "" {`}},
	},
	{
		name: "marks ignored", breaks: "sums",
		says: "The transaction that claims does not look whether a resource has changed.",
		swaps: []swap{{"store/commit.go",
			"if err == nil && moved {",
			"if err != nil && moved {"}},
	},
	{
		name: "commit not resolved", breaks: "once",
		says: "A commit whose result is not known counts as not made.",
		swaps: []swap{{"store/commit.go",
			"return err == nil && now == want, err",
			"return err != nil && now == want, err"}},
	},
	{
		name: "spill over a performed row", breaks: "stable",
		says: "A spilled effect replaces the one that the row has.",
		swaps: []swap{{"store/spill.go",
			"\tcase now.State == intent.StatePerformed:\n\t\tc.Row = &now\n",
			"\tcase now.State == intent.StatePerformed:\n"}},
	},
	{
		name: "spill after the ledger", breaks: "stable",
		says: "A process that has spilled goes on writing without reading its spill file first.",
		swaps: []swap{{"store/spill.go",
			"if !l.spilled.CompareAndSwap(true, false) {",
			"if l.spilled.CompareAndSwap(true, false) {"}},
	},
}
