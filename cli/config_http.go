package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"counterfoil/access"
	"counterfoil/intent"
)

// httpText is the part of the configuration that says who may call over HTTP.
type httpText struct {
	RequireToken    bool     `yaml:"require_token"`
	Hosts           []string `yaml:"hosts"`
	WritesPerMinute *int     `yaml:"writes_per_minute"`
	WriteBurst      *int     `yaml:"write_burst"`
	JWT             *jwtText `yaml:"jwt"`
}

// jwtText says which JWTs count.
type jwtText struct {
	Resource       string                    `yaml:"resource"`
	Issuer         string                    `yaml:"issuer"`
	Audience       string                    `yaml:"audience"`
	JWKSURL        string                    `yaml:"jwks_url"`
	JWKSFile       string                    `yaml:"jwks_file"`
	ClockSkew      string                    `yaml:"clock_skew"`
	PrincipalClaim string                    `yaml:"principal_claim"`
	ScopeClaim     string                    `yaml:"scope_claim"`
	Scopes         map[string][]intent.Class `yaml:"scopes"`
}

// httpSettings is the same, understood.
type httpSettings struct {
	requireToken bool
	hosts        []string // further names of this server
	writes       access.Rate
	jwt          *jwtSettings // nil: no issuer
}

// jwtSettings are an issuer's tokens, and where its keys are: at an address, or
// in a file.
type jwtSettings struct {
	access.JWTOptions
	resource          string
	jwksURL, jwksFile string
}

// defaultWrites is more than an agent needs that works, and less than one that
// runs in circles wants.
var defaultWrites = access.Rate{PerMinute: 60, Burst: 20}

func (t *httpText) understand(folder string) (h httpSettings, err error) {
	h.writes = defaultWrites
	if t == nil {
		return h, nil
	}
	h.requireToken, h.hosts = t.RequireToken, t.Hosts
	if err := areHosts(t.Hosts); err != nil {
		return h, fmt.Errorf("hosts: %w", err)
	}
	for name, given := range map[string]*int{"writes_per_minute": t.WritesPerMinute, "write_burst": t.WriteBurst} {
		if given != nil && (*given < 1 || *given > 1e6) {
			return h, fmt.Errorf("%s: must be 1 to 1000000", name)
		}
	}
	if t.WritesPerMinute != nil {
		h.writes.PerMinute = *t.WritesPerMinute
	}
	if t.WriteBurst != nil {
		h.writes.Burst = *t.WriteBurst
	}
	if t.JWT != nil {
		if h.jwt, err = t.JWT.understand(folder); err != nil {
			return h, fmt.Errorf("jwt: %w", err)
		}
	}
	return h, nil
}

// areHosts refuses what no Host header can be, without its port.
func areHosts(hosts []string) error {
	for _, host := range hosts {
		if u, err := url.Parse("http://" + host); host == "" || strings.Contains(host, "*") || err != nil || u.Host != host || u.Port() != "" || u.Hostname() != host {
			return fmt.Errorf("%q must be a name such as support.example.com, without a port", host)
		}
	}
	return nil
}

func (t *jwtText) understand(folder string) (*jwtSettings, error) {
	j := &jwtSettings{resource: t.Resource, jwksURL: t.JWKSURL, jwksFile: t.JWKSFile, JWTOptions: access.JWTOptions{
		Issuer: t.Issuer, Audience: t.Audience, Skew: access.MaxSkew, Principal: "sub", Scope: "scope", Scopes: t.Scopes,
	}}
	if t.Audience == "" {
		j.Audience = t.Resource
	}
	if t.PrincipalClaim != "" {
		j.Principal = t.PrincipalClaim
	}
	if t.ScopeClaim != "" {
		j.Scope = t.ScopeClaim
	}
	if t.Scopes == nil {
		j.Scopes = access.DefaultScopes()
	}
	if t.ClockSkew != "" {
		skew, err := time.ParseDuration(t.ClockSkew)
		if err != nil {
			return nil, fmt.Errorf("clock_skew: %q must be a duration such as 30s", t.ClockSkew)
		}
		j.Skew = skew
	}
	if t.JWKSFile != "" && !filepath.IsAbs(t.JWKSFile) {
		j.jwksFile = filepath.Join(folder, t.JWKSFile)
	}
	_, _, err := j.verifier(time.Now, nil) // what cannot be used is refused now, and not when it is needed
	return j, err
}

// keys are the issuer's.
func (j *jwtSettings) keys(now func() time.Time, log *slog.Logger) (access.Keys, error) {
	switch {
	case (j.jwksURL == "") == (j.jwksFile == ""):
		return nil, errors.New("say where the issuer's keys are: jwks_url or jwks_file")
	case j.jwksFile != "":
		return access.NewFileKeys(j.jwksFile), nil
	}
	keys, err := access.NewRemoteKeys(j.jwksURL, now, log)
	if err != nil {
		return nil, fmt.Errorf("jwks_url: %w", err)
	}
	return keys, nil
}

// fileReadable refuses a file of keys that cannot be read. An address may answer
// later.
func (j *jwtSettings) fileReadable(ctx context.Context) error {
	if j.jwksFile == "" {
		return nil
	}
	if _, err := access.NewFileKeys(j.jwksFile).Count(ctx); err != nil {
		return fmt.Errorf("jwks_file: %w", err)
	}
	return nil
}

// verifier checks an issuer's tokens, and tells who has none where to get one.
func (j *jwtSettings) verifier(now func() time.Time, log *slog.Logger) (*access.JWTs, *access.Metadata, error) {
	if j.resource == "" {
		return nil, nil, errors.New("resource is missing: it is the URL by which clients call this server, such as https://support.example.com/mcp")
	}
	keys, err := j.keys(now, log)
	if err != nil {
		return nil, nil, err
	}
	opts := j.JWTOptions
	opts.Keys, opts.Now = keys, now
	jwts, err := access.NewJWTs(opts)
	if err != nil {
		return nil, nil, err
	}
	meta, err := access.NewMetadata(j.resource, j.Issuer, jwts.Scopes())
	if err != nil {
		return nil, nil, fmt.Errorf("resource: %w", err)
	}
	return jwts, meta, nil
}
