package mutants

// keys are mistakes about the intent's key, and about the provider's.
var keys = []mutant{
	{
		name: "key with the clock", breaks: "once", test: "TestClockJumps",
		says: "The day is one of the facts that the intent's key is derived from.",
		swaps: []swap{{
			"intent/read_check.go",
			"p.key = DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), again(reading.Facts, c.loc.Again))",
			"p.key = DeriveKey(c.e.o.Ledger.Account(), c.op.Tool(), append(again(reading.Facts, c.loc.Again), Fact{\"day\", c.e.clock.now().Format(time.DateOnly)}))",
		}},
	},
	{
		name: "fresh key", breaks: "once",
		says: "Each attempt bears a fresh provider key.",
		swaps: []swap{{
			"intent/act.go",
			"ProviderKey(e.o.Secret, row.Key, row.Ordinal,",
			"ProviderKey(e.o.Secret, row.Key, row.Sends,",
		}},
	},
	{
		name: "fresh key, blind", quick: true, breaks: "once",
		says: "Each attempt bears a fresh provider key, and lookups find nothing.",
		swaps: []swap{
			{
				"intent/act.go",
				"ProviderKey(e.o.Secret, row.Key, row.Ordinal,",
				"ProviderKey(e.o.Secret, row.Key, row.Sends,",
			},
			{
				"intent/lookup.go",
				"\t\t_, down := s.finding.(LookupFailed)\n",
				"\t\t_, down := s.finding.(LookupFailed)\n\t\tif learnt(s) {\n\t\t\ts.finding = Absent{}\n\t\t}\n",
			},
		},
	},
	{
		name: "ordinal without proof", breaks: "once", test: "TestHistoryOldKeyOfALivingSender",
		says: "The ordinal advances once the key is too old, without proof that nothing can come of the old one.",
		swaps: []swap{{
			"intent/claim.go",
			"case row.Closed && (row.Stored || tooOld):",
			"case row.Closed && row.Stored || tooOld:",
		}},
	},
	{
		name: "ordinal stays", breaks: "live", test: "TestHistoryStoredErrorThenNewOrdinal",
		says: "The ordinal stays although the provider gave its last word under it.",
		swaps: []swap{{
			"intent/claim.go",
			"case row.Closed && (row.Stored || tooOld):",
			"case row.Closed && tooOld:",
		}},
	},
	{
		name: "old key is sent", breaks: "once", test: "TestHistoryOldKeyOfALivingSender",
		says: "A key that the provider may have forgotten is sent again.",
		swaps: []swap{{
			"intent/claim.go",
			"case row.Ambiguous > 0 && tooOld:",
			"case row.Ambiguous > 0 && tooOld && row.Sends == 0:",
		}},
	},
	{
		name: "clock fell back", breaks: "once", test: "TestClockThatFellBack",
		says: "A wall clock that was set back makes an old key young again.",
		swaps: []swap{{
			"intent/claim.go",
			" || fellBack(row, now) || age < -backwards\n",
			"\n",
		}},
	},
	{
		name: "clock jumped", breaks: "once", test: "TestClockJumps",
		says: "A wall clock that was set forward makes a send look old that can still land.",
		swaps: []swap{{
			"intent/uptime.go",
			"return min(wall, up.Since-row.ClaimedUp.Since)",
			"return wall",
		}},
	},
	{
		name: "margin forgotten", breaks: "once", test: "TestMutantMarginOfAKey",
		says: "A key is used to the last moment of the provider's deduplication, without a margin.",
		swaps: []swap{{
			"intent/capability.go",
			"return opened.Add(c.Dedupe - margin)",
			"return opened.Add(max(c.Dedupe, margin))",
		}},
	},
	{
		name: "transient refusal stored", breaks: "once", test: "TestSimFoundRefusalForNowKeepsTheKey",
		says: "A refusal for now counts as the provider's last word under the key, which it then leaves behind.",
		swaps: []swap{{
			"intent/act.go",
			"row.Stored = a.Permanent //",
			"row.Stored = true //",
		}},
	},
	{
		name: "ordinal past a stored error", breaks: "once", test: "TestMutantStoredErrorThatActs",
		says: "The ordinal advances past a stored error before a lookup has found nothing.",
		swaps: []swap{{
			"intent/claim.go",
			"case row.Closed && (row.Stored || tooOld):",
			"case row.Stored || row.Closed && tooOld:",
		}},
	},
	{
		name: "age from the last send", breaks: "once", test: "TestMutantAgeOfAKey",
		says: "The age of a key counts from its last send, and not from its first.",
		swaps: []swap{{
			"intent/claim.go",
			"\trow.Closed = false\n",
			"\trow.Closed, row.OrdinalAt = false, now\n",
		}},
	},
	{
		name: "request made anew", breaks: "once", test: "TestMutantRequestIsMadeOnce",
		says: "The bytes of a request are made anew for each send under one key.",
		swaps: []swap{{
			"intent/read_check.go",
			"\tif len(p.act.Request) > 0 {\n\t\treturn nil\n\t}\n",
			"",
		}},
	},
	{
		name: "sender that died since", breaks: "live", test: "TestMutantSenderThatDiedSince",
		says: "A sender that has died since its act was settled is waited for, and its old key never left behind.",
		swaps: []swap{{
			"intent/claim.go",
			"\t\trow.SenderDone = row.SenderDone || c.e.senderGone(row)\n",
			"",
		}},
	},
}
