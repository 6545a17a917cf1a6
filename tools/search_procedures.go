package tools

import (
	"context"
	"fmt"

	"counterfoil/provider"
)

// mostProcedures bounds what a search shows: the best ones, whole.
const mostProcedures = 5

// searchProcedures is in the catalog only where the marketplace has procedures.
func searchProcedures(d Deps) Tool {
	return readTool(d, "search_procedures", "Search procedures",
		"Finds support procedures for a case, step by step.",
		func(ctx context.Context, args SearchProcedures) ReadResult {
			read := readAgain(ctx, d.Engine, func(ctx context.Context) provider.Read[[]provider.Procedure] {
				return d.Market.Procedures.Search(ctx, args.Query)
			})
			switch read.State {
			case provider.Got:
				return proceduresFound(read.Value)
			case provider.Missing:
				return proceduresFound(nil)
			case provider.Down:
			}
			return Unreachable("The procedures")
		})
}

func proceduresFound(found []provider.Procedure) ReadResult {
	if len(found) == 0 {
		return ReadResult{
			Verdict: "No procedure matches. Try other words, or hand over to a person.",
			Outcome: OutcomeNotFound,
		}
	}
	found = found[:min(len(found), mostProcedures)]
	return ReadResult{
		Verdict:    fmt.Sprintf("The best match is %s, %s. %s.", found[0].ID, found[0].Title, counted(len(found), "procedure")),
		Outcome:    OutcomeFound,
		Procedures: found,
	}
}
