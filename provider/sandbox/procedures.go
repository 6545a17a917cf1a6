package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"counterfoil/provider"
)

// mostFound bounds a search: what ranks lower is of no use to anybody.
const mostFound = "10"

// noWord is how the marketplace refuses a query that has no word in it.
var noWord = verdict{http.StatusBadRequest, "invalid_request"}

// procedures is the port of procedures.
type procedures struct{ api *api }

// Search finds the procedures that share a word with the query. They are
// missing where none does.
func (p procedures) Search(ctx context.Context, query string) provider.Read[[]provider.Procedure] {
	type list struct {
		Data []provider.Procedure `json:"data"`
	}
	asked := url.Values{"query": {query}, "limit": {mostFound}}
	read := readUnless(ctx, p.api, "/v1/procedures?"+asked.Encode(), noWord, []string{"data"}, func(l list) bool {
		return !slices.ContainsFunc(l.Data, func(found provider.Procedure) bool {
			return found.ID == "" || found.Title == "" || found.Text == ""
		})
	})
	if read.State == provider.Got && len(read.Value.Data) == 0 {
		return provider.Read[[]provider.Procedure]{State: provider.Missing}
	}
	return provider.Read[[]provider.Procedure]{State: read.State, Value: read.Value.Data, Detail: read.Detail}
}
