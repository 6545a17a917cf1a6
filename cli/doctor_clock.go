package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"counterfoil/store"
)

const (
	clockSlack = 2 * time.Second // between processes, and of a Date header
	clockOff   = 30 * time.Second
	clockWrong = 5 * time.Minute
)

const mendClock = "set this machine's clock, and have it kept right (NTP)"

// clockFindings hold the wall clock against the ledger and the authority.
func clockFindings(ctx context.Context, w *works, h store.Health) []finding {
	found := []finding{clockFinding(h.Newest, w.now())}
	if w.cfg.sandboxURL == "" || w.market.Account == "" {
		return found // the inside sandbox has this machine's clock
	}
	before := w.now()
	theirs, err := dateOf(ctx, w.cfg.sandboxURL, w.cfg.providerTimeout)
	if err != nil {
		return append(found, warns("clock of the authority", "see whether it answers at all", "could not be read: %v", err))
	}
	if theirs.IsZero() {
		return found
	}
	ours := before.Add(w.now().Sub(before) / 2)
	return append(found, offFinding(ours.Sub(theirs)))
}

// clockFinding: no time that has been written down may lie ahead.
func clockFinding(newest, now time.Time) finding {
	const check = "clock"
	ahead := newest.Sub(now)
	if newest.IsZero() || ahead <= clockSlack {
		return fine(check, "%s", now.UTC().Format(time.RFC3339))
	}
	return wrong(check, mendClock, "it is %s behind the newest act in the ledger (%s): it was set back, or was ahead then",
		lasting(ahead), newest.UTC().Format(time.RFC3339))
}

// offFinding says how far ours is ahead of the authority's.
func offFinding(off time.Duration) finding {
	const check = "clock of the authority"
	word := "ahead of"
	if off < 0 {
		off, word = -off, "behind"
	}
	says := fmt.Sprintf("ours is %s %s its own", lasting(off), word)
	switch {
	case off >= clockWrong:
		return wrong(check, mendClock, "%s", says)
	case off >= clockOff:
		return warns(check, mendClock, "%s", says)
	}
	return fine(check, "the same as ours, within %s", lasting(clockOff))
}

// dateOf is the time by the clock of an HTTP server; the zero time where it does
// not say.
func dateOf(ctx context.Context, url string, within time.Duration) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, newRemoteBox(url).base+"/v1/account", nil)
	if err != nil {
		return time.Time{}, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxAdminBody)); err != nil {
		return time.Time{}, err
	}
	date := resp.Header.Get("Date")
	if date == "" {
		return time.Time{}, nil
	}
	return http.ParseTime(date)
}
