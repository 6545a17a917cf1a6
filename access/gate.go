package access

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Gate stands before what only known principals may reach.
type Gate struct {
	Verifiers []Verifier
	// Required: without a token nobody passes. Else whoever is on this machine
	// passes without one. A token that is shown has to count in either case.
	Required bool
	Metadata *Metadata    // nil where no issuer gives tokens out
	Log      *slog.Logger // silent when nil
}

// Admit lets those pass who may, without their token: what is behind it cannot
// give away what it does not have.
func (g *Gate) Admit(next http.Handler) http.Handler {
	return &gated{g, next, silent(g.Log), &rate.Sometimes{First: 10, Interval: logEvery}}
}

// gated is a handler behind a gate.
type gated struct {
	*Gate
	next   http.Handler
	log    *slog.Logger
	seldom *rate.Sometimes // logs: guesses are not to fill the disk
}

const logEvery = 100 * time.Millisecond

// levelOf tells a fault of ours from what callers do.
func levelOf(why error) slog.Level {
	var no *RefusedError
	if errors.Is(why, errNoneShown) || errors.Is(why, errNoClass) || errors.Is(why, context.Canceled) || errors.As(why, &no) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// ServeHTTP is of http.Handler.
func (g *gated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, shown := tokenOf(r)
	if !shown && !g.Required && !forwarded(r) {
		g.next.ServeHTTP(w, r)
		return
	}
	p, err := g.principal(r, token, shown)
	if err == nil && len(p.Classes) == 0 {
		err = errNoClass
	}
	if err != nil {
		g.seldom.Do(func() {
			g.log.Log(r.Context(), levelOf(err), "not admitted", "because", err, "principal", p.Name, "remote", r.RemoteAddr)
		})
		g.turnAway(w, err)
		return
	}
	g.log.Debug("admitted", "principal", p.Name)
	inner := r.WithContext(WithCaller(r.Context(), p))
	inner.Header = r.Header.Clone()
	inner.Header.Del("Authorization")
	g.next.ServeHTTP(w, inner)
}

// tokenOf is what a request shows, however wrong it is.
func tokenOf(r *http.Request) (token string, shown bool) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return "", false
	}
	if len(given) > 1 {
		return "", true
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return strings.Trim(token, " "), true
}

// proxies are headers that a proxy adds, in their canonical form, beside all
// that begin with X-Forwarded-.
var proxies = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Cdn-Loop",
}

// forwarded tells whether a proxy seems to have passed a request on, be it
// without saying for whom. Such a one is not from this machine, whatever its
// address. HTTP/1.0 is what some speak that add nothing at all.
func forwarded(r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) {
		return true
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(proxies, name) {
			return true
		}
	}
	return false
}

// bearerForm is b64token of RFC 6750, section 2.1.
var bearerForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

var (
	errNoneShown = errors.New("no token was shown")
	errNoClass   = errors.New("no scope of the token allows anything")
)

// principal is whose token it is.
func (g *Gate) principal(r *http.Request, token string, shown bool) (Principal, error) {
	switch {
	case !shown:
		return Principal{}, errNoneShown
	case !bearerForm.MatchString(token):
		return Principal{}, refused("is not in one header of the form Authorization: Bearer TOKEN")
	}
	for _, v := range g.Verifiers {
		if v.Reads(token) {
			return v.Verify(r.Context(), token)
		}
	}
	return Principal{}, unknown()
}

// turnAway answers a request that is not admitted. Where a token could not be
// checked the answer is to come again: after a 401 a client would throw a good
// token away and send its user to sign in.
func (g *Gate) turnAway(w http.ResponseWriter, why error) {
	var no *RefusedError
	switch {
	case errors.Is(why, errNoneShown):
		g.challenge(w, http.StatusUnauthorized, "", "a token is needed")
	case errors.Is(why, errNoClass):
		g.challenge(w, http.StatusForbidden, "insufficient_scope", errNoClass.Error())
	case errors.As(why, &no):
		g.challenge(w, http.StatusUnauthorized, "invalid_token", no.Error())
	default:
		w.Header().Set("Retry-After", "5")
		closing(w)
		http.Error(w, "Service Unavailable: the token cannot be checked now; nothing was begun", http.StatusServiceUnavailable)
	}
}

// challenge answers as RFC 6750, section 3, and RFC 9728, section 5.1, have it.
// The code is empty where no token was shown.
func (g *Gate) challenge(w http.ResponseWriter, status int, code, description string) {
	says := []string{`realm="counterfoil"`}
	if code != "" {
		says = append(says, `error="`+code+`"`, `error_description="`+description+`"`)
	}
	if g.Metadata != nil {
		says = append(says, `scope="`+strings.Join(g.Metadata.Scopes, " ")+`"`, `resource_metadata="`+g.Metadata.url+`"`)
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(says, ", "))
	closing(w)
	http.Error(w, http.StatusText(status)+": "+description, status)
}

// closing has the connection end with the answer: a body that nobody asked for
// is not waited for.
func closing(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Cache-Control", "no-store")
}
