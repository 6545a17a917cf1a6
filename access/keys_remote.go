package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// How an issuer's keys are fetched.
const (
	fetchWithin = 5 * time.Second
	fetchEvery  = 10 * time.Second // at most, whatever ids tokens name
	fetchAfter  = time.Hour        // again, to see what was withdrawn
	waitAfter   = 2 * time.Hour    // for that fetch: nobody has asked for long
	keysLast    = 24 * time.Hour   // without a fetch that went well
)

// remoteKeys are those that an issuer publishes. They are fetched when a token
// names one that is not among them, so that an issuer may rotate them at will,
// and every hour. Nobody waits for the hourly one; but where nothing was asked
// for two hours, what was withdrawn meanwhile is not to count once more.
type remoteKeys struct {
	url    string
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	mu       sync.Mutex
	set      keySet // the last that came
	cameAt   time.Time
	triedAt  time.Time
	failed   error         // the last try, where it did
	fetching chan struct{} // closed when the one under way has ended; nil where none is
}

// NewRemoteKeys are the keys of the JWKS at an address: https, or http on this
// machine. Redirects are not followed.
func NewRemoteKeys(address string, now func() time.Time, log *slog.Logger) (Keys, error) {
	if _, err := secureURL(address); err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	return &remoteKeys{
		url: address, now: now, log: silent(log),
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// secureURL is an address over which nobody else can speak: https, or http on
// this machine.
func secureURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("%q must look like https://login.example.com/keys", address)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	onMachine := host == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !onMachine) {
		return nil, fmt.Errorf("%q must be https; http is for this machine alone", address)
	}
	return u, nil
}

// errKeysAbsent: no fetch has gone well, and the next one is not due.
var errKeysAbsent = errors.New("the issuer's keys cannot be had")

// Under is of Keys.
func (k *remoteKeys) Under(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	found, fetch := k.known(id)
	if fetch != nil {
		select {
		case <-fetch:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		found, _ = k.known(id)
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, k.standing()
}

// Count is of Keys.
func (k *remoteKeys) Count(ctx context.Context) (int, error) {
	if _, err := k.Under(ctx, ""); err != nil {
		return 0, err
	}
	found, _ := k.known("")
	return len(found), k.standing()
}

// known are the keys of an id that are here, and the fetch to wait for before
// they count: nil where there is none, and where they count already.
func (k *remoteKeys) known(id string) (found keySet, fetch <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	age := now.Sub(k.cameAt)
	if age < keysLast {
		found = k.set.under(id)
	}
	if len(found) > 0 && age < fetchAfter {
		return found, nil
	}
	if k.fetching == nil && now.Sub(k.triedAt) >= fetchEvery {
		k.triedAt, k.fetching = now, make(chan struct{})
		go k.fetch(k.fetching)
	}
	if len(found) > 0 && (age < waitAfter || k.failed != nil) {
		return found, nil
	}
	return found, k.fetching
}

// standing is nil where the keys are as the issuer said last, and it could be
// asked.
func (k *remoteKeys) standing() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.failed != nil:
		return k.failed
	case k.now().Sub(k.cameAt) >= keysLast:
		return errKeysAbsent
	}
	return nil
}

// fetch outlives the call that asked for it: others wait for it as well.
func (k *remoteKeys) fetch(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchWithin)
	defer cancel()
	set, err := k.get(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.failed = fmt.Errorf("%w: %w", errKeysAbsent, err)
		k.log.Warn("the issuer's keys cannot be had", "url", k.url, "error", err)
	} else {
		k.set, k.cameAt, k.failed = set, k.now(), nil
		k.log.Debug("the issuer's keys have come", "url", k.url, "keys", len(set))
	}
	k.fetching = nil
	close(done)
}

func (k *remoteKeys) get(ctx context.Context) (set keySet, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, errors.New("it is larger than 1 MiB")
	}
	return parseKeys(text)
}
