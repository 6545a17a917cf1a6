package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// route handles one method of one pattern. id is the path's, decoded and as
// sent, "" where the pattern has none.
type route func(w http.ResponseWriter, r *http.Request, id string)

// table is the whole API. It is matched on the escaped path, segment by
// segment: http.ServeMux would redirect an id such as ".." elsewhere.
func (s *Sandbox) table() map[string]route {
	routes := map[string]route{
		"GET /v1/account":      s.account,
		"GET /v1/orders/{id}":  s.read("orders.get", s.order),
		"GET /v1/tickets/{id}": s.read("tickets.get", s.ticket),
		"GET /v1/procedures":   s.read(proceduresList, s.search),

		"POST /v1/refunds":                s.write(refundKind, refundsCreate, s.parseRefund),
		"POST /v1/messages":               s.write(messageKind, messageKind.create(), s.parseMessage),
		"POST /v1/pickups":                s.write(pickupKind, pickupKind.create(), s.parsePickup),
		"POST /v1/pickups/{id}/cancel":    s.write(pickupKind, pickupsCancel, parseCancellation),
		"POST /v1/replacements":           s.write(replacementKind, replacementKind.create(), s.parseReplacement),
		"POST /v1/escalations":            s.write(escalationKind, escalationKind.create(), s.parseEscalation),
		"POST /v1/escalations/{id}/close": s.closeEscalation,

		"GET /admin/effects":   s.adminEffects,
		"GET /admin/faults":    s.adminFaults,
		"POST /admin/faults":   s.adminAddFault,
		"DELETE /admin/faults": s.adminClearFaults,
		"POST /admin/reset":    s.adminReset,
	}
	for _, k := range kinds {
		routes["GET /v1/"+k.collection] = s.read(k.list(), s.list(k))
		routes["GET /v1/"+k.collection+"/{id}"] = s.read(k.list(), s.get(k))
	}
	return routes
}

// notOurPages keeps a web page that a person visits from acting here: the
// sandbox listens on loopback and asks for no credentials.
var notOurPages = http.NewCrossOriginProtection()

// ServeHTTP answers the marketplace's HTTP API.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := notOurPages.Check(r); err != nil {
		s.deliver(w, r, refuse(http.StatusForbidden, "cross_origin", "a page of another origin may not act here").answer())
		return
	}
	pattern, id, err := patternOf(r)
	if err != nil {
		s.deliver(w, r, malformed("the path cannot be decoded").answer())
		return
	}
	if handle, ok := s.routes[r.Method+" "+pattern]; ok {
		handle(w, r, id)
		return
	}
	if allowed := s.methods(pattern); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.deliver(w, r, refuse(http.StatusMethodNotAllowed, "method_not_allowed", "this path takes "+strings.Join(allowed, ", ")).answer())
		return
	}
	s.deliver(w, r, refuse(http.StatusNotFound, "not_found", "there is no such path").answer())
}

// patternOf replaces the third segment of the path by "{id}" and returns it.
func patternOf(r *http.Request) (pattern, id string, err error) {
	segments := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	if len(segments) > 2 {
		if id, err = url.PathUnescape(segments[2]); err != nil {
			return "", "", err
		}
		segments[2] = "{id}"
	}
	return "/" + strings.Join(segments, "/"), id, nil
}

func (s *Sandbox) methods(pattern string) []string {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
		if _, ok := s.routes[method+" "+pattern]; ok {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

func accountHeader(r *http.Request) string {
	return strings.TrimSpace(r.Header.Get("Marketplace-Account"))
}

func accountOf(ctx context.Context, tx *sql.Tx) (string, error) {
	var account string
	err := tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'account'`).Scan(&account)
	if err != nil {
		return "", fmt.Errorf("read the account: %w", err)
	}
	return account, nil
}

// admit refuses a request that was meant for another instance, such as the one
// before a reset.
func admit(ctx context.Context, tx *sql.Tx, account string) error {
	if account == "" {
		return nil
	}
	current, err := accountOf(ctx, tx)
	if err == nil && account != current {
		err = refuse(http.StatusConflict, "account_mismatch", "this marketplace is another account now")
	}
	return err
}

// admitted is admit for a request that goes no further.
func (s *Sandbox) admitted(ctx context.Context, account string) error {
	return s.view(ctx, func(tx *sql.Tx) error { return admit(ctx, tx, account) })
}

// settled turns what a handler came to into its answer.
func (s *Sandbox) settled(a answer, err error) answer {
	var no *refusal
	switch {
	case err == nil:
		return a
	case errors.As(err, &no):
		return no.answer()
	default:
		s.log.Error("serve a request", "error", err)
		return serverError()
	}
}
