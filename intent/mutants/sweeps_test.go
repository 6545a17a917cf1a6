package mutants

// sweeps are mistakes in what is looked at once nobody asks any more.
var sweeps = []mutant{
	{
		name: "due rows skipped", breaks: "live",
		says: "The sweeper looks at what dead processes left, and not at what is due.",
		swaps: []swap{{"intent/sweep.go",
			"range append(orphans, due...) {",
			"range append(orphans, due[:0]...) {"}},
	},
	{
		name: "never due again", breaks: "live",
		says: "An unknown row is looked at once, and not again.",
		swaps: []swap{{"intent/settle.go",
			"\t\tif blind || row.Reason == ReasonMismatch {\n",
			"\t\tif blind || row.Reason == ReasonMismatch || row.Sweeps > 0 {\n"}},
	},
	{
		name: "pending not due", breaks: "live",
		says: "A pending effect is not looked at again.",
		swaps: []swap{{"intent/settle.go",
			"\t\tif row.Final || blind {\n",
			"\t\tif row.Final || blind || row.EffectID != \"\" {\n"}},
	},
	{
		name: "watch not due", breaks: "lost",
		says: "A send that can still land is on watch, and nobody looks.",
		swaps: []swap{{"intent/settle.go",
			"\t\tcase !row.OnWatch():\n\t\t\treturn time.Time{}\n",
			"\t\tcase !row.OnWatch() || row.Step == 0:\n\t\t\treturn time.Time{}\n"}},
	},
	{
		name: "approved not done", breaks: "live", test: "TestHistoryApprovedThenCrashed",
		says: "What was approved is done by the approving process or not at all.",
		swaps: []swap{{"intent/settle.go",
			"\tcase StateReady:\n\t\treturn now\n",
			"\tcase StateReady:\n\t\treturn time.Time{}\n"}},
	},
	{
		name: "followers forgotten", breaks: "live", test: "TestStepsFollow",
		says: "The later steps of an act are not written with the first one.",
		swaps: []swap{{"intent/settle.go",
			"\tif row.State != StatePerformed {\n\t\tc.Followers",
			"\tif row.State == StatePerformed {\n\t\tc.Followers"}},
	},
	{
		name: "stopping sweeper rules", breaks: "true",
		says: "A sweeper that is stopped takes what it did not see for seen.",
		swaps: []swap{{"intent/sweep.go",
			"\tif ctx.Err() != nil {\n\t\treturn // the sweeper is stopping: what it did not see says nothing\n\t}\n",
			""}},
	},
}
