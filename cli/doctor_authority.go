package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"counterfoil/intent"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
)

// authorityFindings reach the marketplace, and leave the works with it; with
// one that is offline where it cannot be reached.
func authorityFindings(ctx context.Context, w *works) []finding {
	const check = "sandbox"
	if w.cfg.sandboxURL == "" && !isThere(w.cfg.sandboxFile()) {
		return []finding{fine(check, "there is none yet in %s; the first call makes it", w.cfg.dataDir)}
	}
	err := w.connect(ctx)
	switch {
	case err == nil:
	case w.cfg.sandboxURL == "":
		return []finding{wrong(check, "see that "+w.cfg.sandboxFile()+" may be read and written; counterfoil sandbox reset begins a new one", "%v", err)}
	default:
		return []finding{wrong(check, "start it (counterfoil sandbox serve), or correct --sandbox-url", "%s does not answer: %v", w.cfg.sandboxURL, plainCause(err))}
	}
	found := []finding{fine(check, "reached; account %s, environment %s", w.market.Account, environmentOf(w.market))}
	for _, port := range portsOf(w.market) {
		found = append(found, declaredFinding(port.name, port.declares))
	}
	return found
}

// plainCause leaves out what the finding says itself.
func plainCause(err error) string {
	return strings.TrimPrefix(err.Error(), errDown.Error()+": ")
}

func environmentOf(m provider.Marketplace) string {
	if m.Environment == "" {
		return "live"
	}
	return m.Environment
}

// port is a kind of write, and what the authority declares of it.
type port struct {
	name     string
	declares intent.Capabilities
}

func portsOf(m provider.Marketplace) []port {
	ports := []port{
		{"refunds", m.Refunds.Capabilities()},
		{"messages", m.Messages.Capabilities()},
		{"pickups", m.Pickups.Capabilities()},
		{"cancellations", m.Cancellations.Capabilities()},
		{"replacements", m.Replacements.Capabilities()},
	}
	if m.Desk != nil {
		ports = append(ports, port{"desk", m.Desk.Capabilities()})
	}
	return ports
}

// declaredFinding says what can be promised of a kind of write.
func declaredFinding(name string, c intent.Capabilities) finding {
	check := "declared, " + name
	says := dedupeWords(c) + ", " + lookupWords(c) + ", " + landsWords(c)
	weak := c.Lookup == intent.LookupNone || c.Lookup == intent.LookupWebhook
	switch {
	case c.Dedupe == 0 && weak:
		return warns(check, "nothing to mend here: an act whose answer is lost stays unknown until a person decides", "%s", says)
	case weak:
		return warns(check, "nothing to mend here: an act whose answer is lost cannot be looked up, and stays unknown", "%s", says)
	}
	return fine(check, "%s", says)
}

func dedupeWords(c intent.Capabilities) string {
	if c.Dedupe == 0 {
		return "no deduplication"
	}
	return "deduplicates for " + lasting(c.Dedupe)
}

func lookupWords(c intent.Capabilities) string {
	switch c.Lookup {
	case intent.LookupReadAfterWrite:
		return "a lookup that sees every write at once"
	case intent.LookupDelayed:
		return "a lookup that is late by up to " + lasting(c.LookupDelay)
	case intent.LookupWebhook:
		return "webhooks and no lookup"
	case intent.LookupNone:
	}
	return "no lookup"
}

func landsWords(c intent.Capabilities) string {
	if c.LandsWithin == 0 {
		return "no bound on when an act lands"
	}
	return "lands within " + lasting(c.LandsWithin)
}

// toolFindings compile the schemas and build the catalog, on a ledger that
// takes nothing.
func toolFindings(w *works) []finding {
	const check = "tools"
	market := w.market
	if market.Account == "" {
		w.market = *adapter.Offline("sandbox-none", w.now)
		defer func() { w.market = market }()
	}
	w.ledger = &absentLedger{account: w.market.Account}
	policy, policyErr := policyFinding(w)
	if policyErr != nil {
		return []finding{policy}
	}
	if err := w.start(); err != nil {
		return []finding{policy, wrong(check, "this is a fault of the program or of its configuration; the sentence says which", "%s", oneLine(err))}
	}
	return []finding{policy, fine(check, "%d schemas compiled, the catalog is whole: %s", len(w.catalog), strings.Join(w.toolNames(), ", "))}
}

func policyFinding(w *works) (finding, error) {
	const check = "policy"
	path := w.cfg.policyFile()
	p, err := openPolicy(path, w.log)
	if err != nil {
		var end *exit
		if errors.As(err, &end) {
			err = end.err
		}
		return wrong(check, fmt.Sprintf("correct %s; until then no server starts", path), "%s", oneLine(err)), err
	}
	if !p.seen.there {
		return fine(check, "no %s: the built-in one, which allows refunds up to 150.00 USD", path), nil
	}
	return fine(check, "%s, version %s, %s", path, p.now.Version, countedAs(len(p.now.Ceilings), "currency", "currencies")), nil
}
