package intent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
	"counterfoil/policy"
	"counterfoil/provider"
)

// sweep runs one round.
func (r *rig) sweep(p *process) {
	r.t.Helper()
	if _, err := p.Sweep(r.ctx); err != nil {
		r.t.Errorf("sweep: %v", err)
	}
}

// crash runs a call of p that its own hook ends in the middle, and makes p dead.
func (r *rig) crash(p *process, changes map[string]any) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Do(r.ctx, "issue_refund", refund(changes))
	}()
	<-done
	r.ledger.Kill(p.owner)
}

// stopAt starts the incident's refund on p and stops it at a point, until goOn
// is closed; its answer comes on the other channel.
func (r *rig) stopAt(p *process, at intent.Point) (chan struct{}, chan intent.Result) {
	stopped, goOn, answer := make(chan struct{}), make(chan struct{}), make(chan intent.Result)
	p.at = func(point intent.Point) {
		if point == at {
			close(stopped)
			<-goOn
		}
	}
	go func() { answer <- p.Do(r.ctx, "issue_refund", refund(nil)) }()
	<-stopped
	return goOn, answer
}

// loseLedger puts an empty ledger in the place of the one there was.
func (r *rig) loseLedger() { r.ledger = ledgertest.NewMemory(r.market.Account) }

func (r *rig) rows() []intent.Row {
	r.t.Helper()
	rows, err := r.ledger.Process("reader").List(r.ctx, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	return rows
}

func (r *rig) attempts(key string) []intent.Attempt {
	r.t.Helper()
	parsed, err := intent.ParseKey(key)
	if err != nil {
		r.t.Fatal(err)
	}
	attempts, err := r.ledger.Process("reader").Attempts(r.ctx, parsed)
	if err != nil {
		r.t.Fatal(err)
	}
	return attempts
}

// key is the intent key of an answer.
func (r *rig) key(answer intent.Result) intent.Key {
	r.t.Helper()
	key, err := intent.ParseKey(answer.IntentKey)
	if err != nil {
		r.t.Fatal(err)
	}
	return key
}

// keyOf derives the key of a refund from a call that is refused after its key
// is known.
func (r *rig) keyOf(p *process, changes map[string]any) string {
	r.t.Helper()
	p.at = func(point intent.Point) {
		if point == intent.PointBeforeClaim {
			r.ledger.FailCommits(1, intent.ErrReadOnly)
		}
	}
	defer func() { p.at = nil }()
	read := intent.DeriveKey(r.market.Account, "issue_refund", []intent.Fact{
		{Name: "ticket", Value: "T-4127"},
		{Name: "order", Value: "SU-88421"},
		{Name: "item", Value: "SHELF-OAK-4"},
		{Name: "units", Value: "1"},
		{Name: "amount", Value: "11800"},
		{Name: "currency", Value: "USD"},
	})
	return read.String()
}

// refundByHand is a refund that a person makes in the provider's own books.
func (r *rig) refundByHand(order, item string, cents int64) string {
	return r.refundUnder("", order, item, cents)
}

// refundUnder is one that bears an intent key besides.
func (r *rig) refundUnder(key, order, item string, cents int64) string {
	r.t.Helper()
	body := map[string]any{"order_id": order, "item_id": item, "amount_cents": cents, "currency": "USD"}
	if key != "" {
		body["intent"] = key
	}
	var answer struct{ ID string }
	r.post("/v1/refunds", body, &answer)
	return answer.ID
}

func (r *rig) post(path string, body, into any) {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r.box.ServeHTTP(w, httptest.NewRequestWithContext(r.ctx, http.MethodPost, path, bytes.NewReader(raw)))
	if w.Code/100 != 2 {
		r.t.Fatalf("POST %s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		r.t.Fatal(err)
	}
}

// orderIn finds a seeded order in a currency.
func (r *rig) orderIn(currency string) provider.Order {
	r.t.Helper()
	for n := 90001; n < 90400; n++ {
		read := r.market.Orders.Order(r.ctx, fmt.Sprintf("SU-%d", n))
		if read.State == provider.Got && read.Value.Currency == currency && len(read.Value.TicketIDs) > 0 {
			return read.Value
		}
	}
	r.t.Fatalf("no order in %s", currency)
	return provider.Order{}
}

// handoff calls escalate_to_human.
func (p *process) handoff(reason string) intent.Result {
	p.r.t.Helper()
	raw, err := json.Marshal(map[string]any{"ticket_id": "T-4127", "reason": reason, "summary": "The buyer " + strings.ToLower("WAITS")})
	if err != nil {
		p.r.t.Fatal(err)
	}
	result := p.Do(p.r.ctx, "escalate_to_human", raw)
	checkAnswer(p.r.t, result)
	return result
}

// later lets simulated time pass.
func (r *rig) later(d time.Duration) { <-time.After(d) }

// policyWide lets everything of the histories through; policyNarrow asks a
// person for a sofa.
var (
	policyWide   = policy.Policy{Ceilings: map[string]policy.Ceiling{"USD": {PerRefundCents: 50000, PerTicketCents: 50000}}}
	policyNarrow = policy.Default()
)
