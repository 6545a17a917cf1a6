package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"counterfoil/intent"
	"counterfoil/store"
)

// smallLedger is how many intents the ledger has that the large one is compared
// with.
const smallLedger = 10_000

// growth is a ledger of some size, and what was measured on it.
type growth struct {
	intents  int64
	bytes    int64    // of the file
	texts    int64    // of those: arguments, payloads and requests
	claims   measured // one caller's refunds
	started  []time.Duration
	resident int64 // bytes of an idle server
}

// grow compares a small ledger with a large one. Both are those of a server with
// its sandbox, so that it can be started on them.
func grow(ctx context.Context, o options) ([]*growth, error) {
	binary, err := build(ctx, o.dir)
	if err != nil {
		return nil, err
	}
	var all []*growth
	var opened []contender
	for _, intents := range []int64{min(smallLedger, o.grow), o.grow} {
		g := &growth{intents: intents}
		dir := filepath.Join(o.dir, fmt.Sprintf("grown-%d", intents))
		path, err := ledgerIn(ctx, binary, dir)
		if err != nil {
			return nil, err
		}
		if err := g.fill(ctx, path); err != nil {
			return nil, err
		}
		if err := g.weigh(ctx, path); err != nil {
			return nil, err
		}
		if err := g.serve(ctx, binary, dir); err != nil {
			return nil, err
		}
		p, err := openProductOn(ctx, path, accountOf(path))
		if err != nil {
			return nil, err
		}
		defer p.close()
		all, opened = append(all, g), append(opened, p)
	}
	return all, claimOnBoth(ctx, o, all, opened)
}

// claimOnBoth has one caller refund on one ledger and on the other, in turn.
func claimOnBoth(ctx context.Context, o options, all []*growth, opened []contender) error {
	turns := make([][]measured, len(all))
	next := time.Now().UnixNano() // none of what is there
	for range o.rounds + 1 {      // the first one warms up
		for i := range all {
			m, err := measure(ctx, 1, o.period, func(ctx context.Context, _ int64) error {
				next++
				return opened[i].once(ctx, next)
			})
			if err != nil {
				return err
			}
			turns[i] = append(turns[i], m)
		}
	}
	for i, g := range all {
		g.claims = merge(turns[i][1:])
	}
	return nil
}

func accountOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".ledger.db") }

// fill makes intents that were performed, in one commit each. Those that are
// there, from a run before in the same directory, stay.
func (g *growth) fill(ctx context.Context, path string) error {
	have, err := intentsIn(ctx, path)
	if err != nil || have >= g.intents {
		return err
	}
	ledger, err := store.Open(ctx, store.Options{Path: path, Account: accountOf(path), NewID: uuid.NewString, Now: time.Now})
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // nothing is measured meanwhile
	var next atomic.Int64
	next.Store(have)
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for n := next.Add(1); n <= g.intents && failed.Load() == nil && ctx.Err() == nil; n = next.Add(1) {
				if n%10_000 == 0 {
					fmt.Fprintf(os.Stderr, "filling a ledger: %d of %d intents          \r", n, g.intents)
				}
				if _, err := ledger.Commit(ctx, performed(ledger.Account(), ledger.Owner(), n)); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	fmt.Fprintln(os.Stderr)
	err = ledger.Close()
	if first := failed.Load(); first != nil {
		err = errors.Join(*first, err)
	}
	return errors.Join(err, ctx.Err())
}

func intentsIn(ctx context.Context, path string) (n int64, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM intents").Scan(&n)
	return n, errors.Join(err, db.Close())
}

// performed is the n-th refund as its claim and its record leave it.
func performed(account, owner string, n int64) intent.Change {
	at := time.Now()
	ticket, order := fmt.Sprintf("T-%d", n), fmt.Sprintf("SU-%d", n)
	facts := []intent.Fact{{Name: "ticket", Value: ticket}, {Name: "order", Value: order}, intent.IntFact("amount", 11800)}
	key := intent.DeriveKey(account, "issue_refund", facts)
	providerKey := intent.ProviderKey(nil, key, 0, "bench", account, 0)
	effect := "re_" + providerKey[:16]
	return intent.Change{
		Row: &intent.Row{
			Key: key, Tool: "issue_refund", State: intent.StatePerformed, Evidence: intent.EvidenceResponse,
			Scope: intent.Scope("remedy", order, "SHELF-OAK-4"), Ticket: ticket, Cents: 11800, Currency: "USD",
			EffectID: effect, Status: "succeeded", Final: true, EffectAt: at, Sends: 1, OrdinalAt: at,
			Owner: owner, Nonce: uuid.NewString(), ClaimedAt: at, SendBy: at, SenderDone: true,
			CreatedAt: at, UpdatedAt: at, ConfirmedAt: at,
		},
		Resources: []intent.Resource{
			{Kind: "order", ID: order},
			{Kind: "seller", ID: fmt.Sprintf("S-%d", n*7919%sellers)},
			{Kind: "buyer", ID: fmt.Sprintf("B-%d", n)},
			{Kind: "ticket", ID: ticket},
		},
		Fingerprints: []intent.Fingerprint{intent.DeriveFingerprint(account, "issue_refund", facts)},
		Act: &intent.Act{
			Arguments: refund(n), Policy: "default",
			Payload: fmt.Appendf(nil, `{"ticket_id":"T-%d","order_id":"SU-%d","item_id":"SHELF-OAK-4","units":[1],"cents":11800,"currency":"USD"}`, n, n),
			Request: fmt.Appendf(nil, `{"amount_cents":11800,"currency":"USD","item_id":"SHELF-OAK-4","metadata":{"intent_key":"%s"},"order_id":"SU-%d"}`, key, n),
		},
		Attempt: &intent.Attempt{
			Owner: owner, ProviderKey: providerKey, StartedAt: at, EndedAt: at, Answer: "performed",
			Settled: "performed", Evidence: intent.EvidenceResponse, EffectID: effect,
		},
	}
}

// weigh asks how large a ledger is, and how much of it are texts. Nobody uses it.
func (g *growth) weigh(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if g.intents, err = intentsIn(ctx, path); err != nil { // a run before may have left more
		return err
	}
	const size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	if err := db.QueryRowContext(ctx, size).Scan(&g.bytes); err != nil {
		return err
	}
	return db.QueryRowContext(ctx, "SELECT sum(pgsize) FROM dbstat WHERE name = 'acts'").Scan(&g.texts)
}
