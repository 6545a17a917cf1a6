package cli

import (
	"context"
	"net"
	"net/http"
	"slices"
	"time"

	"counterfoil/access"
	"counterfoil/intent"
	"counterfoil/server"
	"counterfoil/tools"
)

// httpFlags are how serving over HTTP is asked for on the command line.
type httpFlags struct {
	addr         string
	requireToken bool
	hosts        []string
}

// door is who may come in over HTTP.
type door struct {
	tokens   *access.Tokens
	required bool // nobody comes in without a token
	hosts    []string
	http     httpSettings
}

// openDoor decides who has to show a token, and refuses a door that others can
// reach while there is no way to know them.
func (c config) openDoor(f httpFlags) (door, error) {
	if err := areHosts(f.hosts); err != nil {
		return door{}, misused("--host: %w", err)
	}
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return door{}, misused("--http %q: must look like 127.0.0.1:8787", f.addr)
	}
	d := door{tokens: access.NewTokens(c.tokensFile(), time.Now), http: c.http, hosts: slices.Concat(c.http.hosts, f.hosts)}
	valid, err := d.tokens.Valid()
	if err != nil {
		return door{}, misused("%w", err)
	}
	if c.http.jwt != nil {
		if err := c.http.jwt.fileReadable(context.Background()); err != nil {
			return door{}, misused("%w", err)
		}
	}
	reason := ""
	switch {
	case !isLoopback(host):
		reason = "others can reach this address"
	case f.requireToken || c.http.requireToken:
		reason = "a token is asked for"
	case len(d.hosts) > 0:
		reason = "it is called by a name that others know"
	}
	d.required = reason != "" || c.http.jwt != nil
	if d.required && valid == 0 && c.http.jwt == nil {
		return door{}, misused("--http %s: %s, and nobody has a token: make one with counterfoil token add NAME --classes read, or name an issuer in the configuration", f.addr, reason)
	}
	return d, nil
}

// isLoopback tells whether only this machine can reach a host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fits refuses to listen where others can reach a door that asks for nothing:
// localhost may name anything.
func (d door) fits(addr net.Addr) error {
	host, _, err := net.SplitHostPort(addr.String())
	if err == nil && (d.required || isLoopback(host)) {
		return nil
	}
	return misused("--http: it listens on %v, which others can reach, and asks for no token; use 127.0.0.1 or --require-token", addr)
}

// access is the door as the server has it, and the names by which it is called.
func (d door) access(w *works) (a server.Access, hosts []string, err error) {
	gate := &access.Gate{Verifiers: []access.Verifier{d.tokens}, Required: d.required, Log: w.log}
	hosts = d.hosts
	if jwt := d.http.jwt; jwt != nil {
		jwts, meta, err := jwt.verifier(w.now, w.log)
		if err != nil {
			return a, nil, err
		}
		gate.Verifiers, gate.Metadata = append(gate.Verifiers, jwts), meta
		a.Open = map[string]http.Handler{meta.Path(): meta}
		hosts = append(slices.Clone(hosts), meta.Host())
	}
	a.Admit, a.Hides, a.Wait = gate.Admit, hides(w.catalog), waits(access.NewLimits(d.http.writes, w.now))
	return a, hosts, nil
}

// hides keeps from a principal the tools of classes that they may not use. Who
// shows no token is whoever runs this machine, as on stdio.
func hides(catalog []tools.Tool) func(ctx context.Context, tool string) bool {
	classes := make(map[string]intent.Class, len(catalog))
	for _, t := range catalog {
		classes[t.Name] = t.Class
	}
	return func(ctx context.Context, tool string) bool {
		p, named := access.Caller(ctx)
		return named && !p.May(classes[tool])
	}
}

func waits(limits *access.Limits) func(ctx context.Context) time.Duration {
	return func(ctx context.Context) time.Duration {
		p, named := access.Caller(ctx)
		if !named {
			return 0
		}
		return limits.Wait(p.Name)
	}
}

// asks says who may come in, for the log.
func (d door) asks() string {
	if d.required {
		return "who shows a token"
	}
	return "whoever is on this machine"
}
