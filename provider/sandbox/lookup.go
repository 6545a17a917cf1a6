package sandbox

import (
	"context"
	"encoding/json"
	"net/url"

	"counterfoil/intent"
)

const (
	pageSize = "100"
	maxPages = 20
)

// Lookup asks for the list of what bears the intent's key. Only a list that was
// read to its end, and every line of which makes sense, proves an absence.
func (w writer[T]) Lookup(ctx context.Context, s intent.Subject, v T) intent.Finding {
	switch w.caps.Lookup {
	case intent.LookupNone, intent.LookupWebhook:
		return intent.LookupUnsupported{}
	case intent.LookupDelayed, intent.LookupReadAfterWrite:
	}
	if s.Intent.IsZero() {
		return intent.LookupFailed{Detail: "no key"}
	}
	listed, detail := w.api.list(ctx, w.kind.collection, s.Intent.String())
	if detail != "" {
		return intent.LookupFailed{Detail: detail}
	}
	return w.find(listed, s, v)
}

// find looks through a complete list for the subject's effect. The list may
// show more than was asked for, so every line is checked. A line with our key
// and other facts is never passed over: somebody has to look at it.
func (w writer[T]) find(listed []object, s intent.Subject, v T) intent.Finding {
	var found []intent.Effect
	for _, o := range listed {
		if w.kind.intent(o) != s.Intent.String() {
			continue
		}
		e, err := w.kind.effect(o)
		if err != nil {
			return intent.LookupFailed{Detail: "list not understood"}
		}
		if !w.kind.facts(o, v) {
			return intent.FoundOther{Effect: e}
		}
		found = append(found, e)
	}
	if len(found) == 0 {
		return intent.Absent{}
	}
	return intent.Found{Effect: chosen(found, s.EffectID)}
}

// chosen is the first effect that stands, else the first, and of those that stand
// alike the one that is known already: a marketplace that breaks its promise, or
// a ledger that was lost, may leave several under one key.
func chosen(found []intent.Effect, known string) intent.Effect {
	best := found[0]
	for _, e := range found[1:] {
		isKnown := known != "" && same(e.ID, known)
		if best.Undone && !e.Undone || best.Undone == e.Undone && isKnown {
			best = e
		}
	}
	return best
}

// page is one page of a list, oldest first. What is left out is nil, not empty.
type page struct {
	Data    []json.RawMessage `json:"data"`
	HasMore bool              `json:"has_more"`
}

// list reads the whole list of a collection by intent. The detail says why it
// could not be had.
func (a *api) list(ctx context.Context, collection, key string) (all []object, detail string) {
	query := url.Values{"intent": {key}, "limit": {pageSize}}
	seen := map[string]bool{}
	for range maxPages {
		p, detail := a.page(ctx, collection, query)
		if detail != "" {
			return nil, detail
		}
		for _, raw := range p.Data {
			o, err := parseObject(raw)
			if err != nil || o.ID == "" || seen[o.ID] {
				return nil, "list not understood"
			}
			seen[o.ID] = true
			all = append(all, o)
		}
		if !p.HasMore {
			return all, ""
		}
		if len(p.Data) == 0 {
			return nil, "list not understood"
		}
		query.Set("starting_after", all[len(all)-1].ID)
	}
	return nil, "list too long"
}

func (a *api) page(ctx context.Context, collection string, query url.Values) (p page, detail string) {
	body, detail := a.read(ctx, "/v1/"+collection, query)
	if detail != "" {
		return page{}, detail
	}
	if err := strictly(body, &p, "data", "has_more"); err != nil {
		return page{}, err.Error()
	}
	return p, ""
}
