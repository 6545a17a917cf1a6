package server

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// guard refuses what a web page could have a browser send here: a request that
// another site caused (by Origin and Sec-Fetch-Site), and one whose Host is a
// name that somebody pointed at this machine (DNS rebinding).
func guard(next http.Handler, addr net.Addr, hosts []string) http.Handler {
	if own, _, err := net.SplitHostPort(addr.String()); err == nil {
		hosts = append(slices.Clone(hosts), own)
	}
	crossSite := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !calledBy(r.Host, hosts) && !calledBy(r.Host, reachedAt(r)):
			http.Error(w, "Forbidden: this server is not called by that name", http.StatusForbidden)
		case crossSite.Check(asWrite(r)) != nil:
			http.Error(w, "Forbidden: the request comes from another site", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// reachedAt is the address of this machine at which the connection came in. It
// is a number, so nobody can have pointed a name at it; a server that listens
// on all of its addresses does not know it otherwise.
func reachedAt(r *http.Request) []string {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return nil
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil
	}
	return []string{host}
}

// asWrite has every method judged as one that changes something.
func asWrite(r *http.Request) *http.Request {
	write := *r
	write.Method = http.MethodPost
	return &write
}

// calledBy tells whether a Host header names this server. The port is not
// looked at: behind a forwarded one it is another, and no name of an
// attacker's is loopback.
func calledBy(header string, hosts []string) bool {
	host, _, err := net.SplitHostPort(header)
	if err != nil { // it has no port
		host = header
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return host != "" && slices.ContainsFunc(hosts, func(own string) bool { return strings.EqualFold(own, host) })
}
