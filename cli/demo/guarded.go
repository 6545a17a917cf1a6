package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"counterfoil/intent"
	"counterfoil/policy"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
	"counterfoil/schemas"
	"counterfoil/store"
	"counterfoil/tools"
)

// after tells the incident as it is: the same fault, the same two calls, through
// the tool as a model gets it, on a ledger of its own.
func (w *world) after(ctx context.Context) (h Half, err error) {
	if err := w.box.Reset(ctx); err != nil {
		return h, err
	}
	if err := w.loseAnAnswer(ctx); err != nil {
		return h, err
	}
	client := provider.NewClient(w.Now, provider.Options{Timeout: timeout})
	defer client.Close()
	market, err := adapter.Connect(ctx, adapter.Options{BaseURL: w.url, HTTP: client})
	if err != nil {
		return h, err
	}
	ledger, err := store.Open(ctx, store.Options{
		Path: filepath.Join(w.dir, market.Account+".ledger.db"), Account: market.Account, NewID: w.NewID, Now: w.Now,
	})
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	seen := &passing{world: w, half: &h}
	tool, err := w.issueRefund(*market, ledger, seen.at)
	if err != nil {
		return h, err
	}
	if err := w.askTwice(ctx, tool, &h); err != nil {
		return h, err
	}
	return h, errors.Join(w.look(ctx, &h), h.rows(ctx, ledger), ctx.Err())
}

// issueRefund is the tool, wired as it always is.
func (w *world) issueRefund(market provider.Marketplace, ledger intent.Ledger, at func(intent.Point)) (tools.Tool, error) {
	set, err := schemas.Load()
	if err != nil {
		return tools.Tool{}, err
	}
	operations := []intent.Operation{tools.NewIssueRefund(market, policy.Default)}
	engine, err := intent.New(intent.Options{
		Ledger: ledger, Operations: operations, Desk: tools.Step(market.Desk), Environment: market.Environment,
		Now: w.Now, NewID: w.NewID, ProviderTimeout: timeout, AnswerWithin: 4 * timeout, At: at,
		Fault: func(where string, err error) { w.Log.Error("fault", "at", where, "error", err) },
	})
	if err != nil {
		return tools.Tool{}, err
	}
	catalog, err := tools.Catalog(tools.Deps{
		Schemas: set, Market: market, Engine: engine, Operations: operations, Effects: tools.EffectsOf(ledger, market),
	})
	if err != nil {
		return tools.Tool{}, err
	}
	for _, t := range catalog {
		if t.Name == "issue_refund" {
			return t, nil
		}
	}
	return tools.Tool{}, errors.New("there is no issue_refund")
}

// askTwice makes the call that the model made, and the one that it made again.
func (w *world) askTwice(ctx context.Context, tool tools.Tool, h *Half) error {
	args, err := json.Marshal(map[string]any{"ticket_id": ticketID, "order_id": orderID, "item_id": itemID, "amount_cents": cents})
	if err != nil {
		return err
	}
	h.happens(w.Now(), "The model asks the tool to refund $118.00.")
	for _, what := range []string{"The model reads:", "It reads:"} {
		if len(h.ModelRead) > 0 {
			h.happens(w.Now(), "Suppose it asks again all the same, with the same arguments.")
		}
		answer := tool.Call(ctx, args)
		body, err := tools.Encode(answer)
		if err != nil {
			return err
		}
		result, ok := answer.(*intent.Result)
		if !ok {
			return fmt.Errorf("the answer is a %T", answer)
		}
		h.reads(w.Now(), what, body, decisive(result)...)
		h.outcomes = strings.TrimPrefix(h.outcomes+", "+string(result.Outcome), ", ")
	}
	return nil
}

// decisive is what of a result decides what a model does next.
func decisive(r *intent.Result) []string {
	return []string{
		"verdict   " + r.Verdict,
		"outcome   " + string(r.Outcome),
		fmt.Sprintf("retry     %s, do_not_retry %t", r.Retry, r.DoNotRetry),
		"evidence  " + string(r.Evidence),
	}
}

// passing turns the points that the engine passes into the story.
type passing struct {
	world *world
	half  *Half
	mu    sync.Mutex
}

var passed = map[intent.Point]string{
	intent.PointClaimed:  "Counterfoil has written down what it is about to do. Only now may it send.",
	intent.PointSent:     "No answer came. That is not “failed”: nobody knows yet. It looks the refund up.",
	intent.PointSettled:  "The provider has been asked for it, by the key that this request always gets.",
	intent.PointRecorded: "What became of it is written down as well.",
}

func (p *passing) at(point intent.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if what, ok := passed[point]; ok {
		p.half.happens(p.world.Now(), what)
	}
	if point == intent.PointClaimed {
		p.half.pays("The provider pays refund %s. Its answer is lost.")
	}
}

// rows are the ledger's, with what was tried.
func (h *Half) rows(ctx context.Context, ledger intent.Ledger) error {
	const most = 10
	rows, err := ledger.List(ctx, most)
	if err != nil {
		return err
	}
	for _, row := range rows {
		attempts, err := ledger.Attempts(ctx, row.Key)
		if err != nil {
			return err
		}
		line := Row{
			IntentKey: row.Key.String(), Tool: row.Tool, State: string(row.State), EffectID: row.EffectID, Cents: row.Cents,
			Attempts: []string{},
		}
		for _, a := range attempts {
			line.Attempts = append(line.Attempts, fmt.Sprintf("%s (%s), settled as %s by %s", a.Answer, a.Detail, a.Settled, a.Evidence))
		}
		h.Ledger = append(h.Ledger, line)
	}
	return nil
}
