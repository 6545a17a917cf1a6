package mutants

// sweeps are mistakes in what is looked at once nobody asks any more.
var sweeps = []mutant{
	{
		name: "due rows skipped", breaks: "live",
		says: "The sweeper looks at what dead processes left, and not at what is due.",
		swaps: []swap{{
			"intent/sweep.go",
			"range append(orphans, due...) {",
			"range append(orphans, due[:0]...) {",
		}},
	},
	{
		name: "approved not done", breaks: "live", test: "TestHistoryApprovedThenCrashed",
		says: "What was approved is done by the approving process or not at all.",
		swaps: []swap{{
			"intent/settle.go",
			"\tcase StateReady:\n\t\treturn latest(row.RetryAt, now)\n",
			"\tcase StateReady:\n\t\treturn time.Time{}\n",
		}},
	},
	{
		name: "approved, tried once", breaks: "live", test: "TestAttackApprovedAndRefusedForNow",
		says: "What was approved is left to a model that was told not to ask again.",
		swaps: []swap{{
			"intent/settle.go",
			"return sent && again && act.Figures",
			"return false && sent && again && act.Figures",
		}},
	},
	{
		name: "followers forgotten", breaks: "live", test: "TestStepsFollow",
		says: "The later steps of an act are not written with the first one.",
		swaps: []swap{{
			"intent/settle.go",
			"\tif row.State != StatePerformed {\n\t\tc.Followers",
			"\tif row.State == StatePerformed {\n\t\tc.Followers",
		}},
	},
	{
		name: "unwritable is not read", breaks: "stable", test: "TestSimFoundUnwritableRowIsReadAgain",
		says: "What could not be written is spilled although somebody else has settled it meanwhile.",
		swaps: []swap{{
			"intent/settle.go",
			"return current, err == nil && ok && current.Version != c.Seen",
			"return current, err != nil && ok && current.Version != c.Seen",
		}},
	},
	{
		name: "stopped sweeper", breaks: "told", test: "TestMutantStoppedSweeperSaysNothing",
		says: "A sweeper that is stopped in the middle of a lookup records that nothing could be seen.",
		swaps: []swap{{
			"intent/sweep.go",
			"\tif ctx.Err() != nil {\n\t\treturn // the sweeper",
			"\tif ctx == nil {\n\t\treturn // the sweeper",
		}},
	},
}
