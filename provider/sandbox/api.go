package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"counterfoil/provider"
)

// api is the marketplace's HTTP API as seen from one account.
type api struct {
	http    *provider.Client
	base    string // without a slash at its end
	account string // empty until it is known
}

// header is what every request bears. The account makes the marketplace refuse,
// before it does or shows anything, what was meant for another instance.
func (a *api) header() http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json")
	if a.account != "" {
		h.Set("Marketplace-Account", a.account)
	}
	return h
}

// read returns the body of a 200. Anything else is a detail for the log, never
// empty.
func (a *api) read(ctx context.Context, path string, query url.Values) (body []byte, detail string) {
	r, detail := a.get(ctx, path, query)
	switch {
	case detail != "":
		return nil, detail
	case r.Status != http.StatusOK:
		return nil, describe(r)
	}
	return r.Body, ""
}

func (a *api) get(ctx context.Context, path string, query url.Values) (r provider.Responded, detail string) {
	target := a.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	switch reply := a.http.Get(ctx, target, a.header()).(type) {
	case provider.Responded:
		return reply, ""
	case provider.NotSent:
		return r, reply.Detail
	case provider.Lost:
		return r, reply.Detail
	}
	return r, "no answer"
}

// spelling folds an id as the marketplace does: any case of ASCII letters (to
// Unicode, a long s would be an S too), surrounding white space, one leading
// '#'.
func spelling(id string) string {
	return strings.Map(upper, strings.TrimPrefix(strings.TrimSpace(id), "#"))
}

func upper(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

// same reports whether two spellings name one thing.
func same(a, b string) bool { return spelling(a) == spelling(b) }

// segment is an id as a part of a path.
func segment(id string) string { return url.PathEscape(strings.TrimSpace(id)) }
