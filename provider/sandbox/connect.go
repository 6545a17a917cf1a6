// Package sandbox is the adapter of the embedded marketplace: it speaks that
// marketplace's HTTP API and decides what its answers prove.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"counterfoil/intent"
	"counterfoil/provider"
)

// name is the authority's, for every port: it is part of the provider key.
const name = "sandbox"

// Options say where the marketplace is.
type Options struct {
	BaseURL string // http://127.0.0.1:8080
	HTTP    *provider.Client
}

// Connect reads the account and what the marketplace declares, and returns its
// ports. They speak of that account only: once the marketplace is reset, it is
// another one, and every port says so until Connect is called again.
func Connect(ctx context.Context, o Options) (*provider.Marketplace, error) {
	base, err := baseOf(o.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &api{http: o.HTTP, base: base}
	about, err := a.about(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the sandbox's account: %w", err)
	}
	a.account = about.Account
	caps, err := declaredBy(about.Capabilities)
	if err != nil {
		return nil, fmt.Errorf("read what the sandbox declares: %w", err)
	}
	return a.marketplace(about, caps), nil
}

func (a *api) marketplace(about account, caps map[string]intent.Capabilities) *provider.Marketplace {
	return &provider.Marketplace{
		Account:       about.Account,
		Environment:   about.Environment,
		Orders:        orders{a},
		Tickets:       tickets{a},
		Procedures:    procedures{a},
		Bookings:      bookings{a},
		Refunds:       newWriter(a, caps, refunds),
		Messages:      newWriter(a, caps, messages),
		Pickups:       newWriter(a, caps, pickups),
		Cancellations: newWriter(a, caps, cancellations),
		Replacements:  newWriter(a, caps, replacements),
		Desk:          newWriter(a, caps, escalations),
	}
}

// account is the answer of GET /v1/account.
type account struct {
	Account      string              `json:"account"`
	Environment  string              `json:"environment"`
	Capabilities map[string]declared `json:"capabilities"`
}

// accountForm also keeps an account fit for a file's name.
var accountForm = regexp.MustCompile(`^sandbox-[0-9a-z]{1,64}$`)

func (a *api) about(ctx context.Context) (account, error) {
	var about account
	body, detail := a.read(ctx, "/v1/account", nil)
	if detail != "" {
		return account{}, errors.New(detail)
	}
	if err := strictly(body, &about, "account", "environment", "capabilities"); err != nil {
		return account{}, err
	}
	if about.Environment != "sandbox" || !accountForm.MatchString(about.Account) {
		return account{}, errors.New("what answers there is no sandbox")
	}
	return about, nil
}

func baseOf(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("sandbox URL %q: must look like http://127.0.0.1:8080", raw)
	}
	return strings.TrimRight(raw, "/"), nil
}
