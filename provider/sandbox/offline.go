package sandbox

import (
	"context"
	"errors"
	"net"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

// Offline returns the ports of an account whose marketplace cannot be reached
// now: each read and lookup is down, and no byte is ever sent. What needs no
// answer, such as how an id is spelled, works as it does online.
func Offline(account string, now func() time.Time) *provider.Marketplace {
	a := &api{base: "http://offline.invalid", account: account}
	a.http = provider.NewClient(now, provider.Options{
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errOffline },
	})
	caps := map[string]intent.Capabilities{}
	for _, collection := range []string{
		refunds.collection, messages.collection, pickups.collection, cancellations.collection,
		replacements.collection, escalations.collection,
	} {
		// Rows that are open stay due for another look, by whoever can look.
		caps[collection] = intent.Capabilities{Lookup: intent.LookupReadAfterWrite}
	}
	return a.marketplace(accountOf(account), caps)
}

var errOffline = errors.New("offline")

func accountOf(name string) (a account) {
	a.Account, a.Environment = name, "sandbox"
	return a
}
