package intent_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"counterfoil/intent"
	"counterfoil/intent/ledgertest"
)

// gift is somebody's own write: one POST that has no key and no lookup, so a
// lost answer stays unknown until a person decides.
type gift struct{ url string }

func (g gift) Tool() string                                         { return "send_gift" }
func (g gift) Class() intent.Class                                  { return intent.ClassIrreversible }
func (g gift) Field() intent.EffectField                            { return intent.ReplacementID }
func (g gift) Steps() []intent.Step                                 { return []intent.Step{g} }
func (g gift) Judge(intent.Readable, intent.View) intent.Judgement  { return intent.Allowed{} }
func (g gift) Provider() string                                     { return "gifts" }
func (g gift) Capabilities() intent.Capabilities                    { return intent.Capabilities{} }
func (g gift) Request(_ intent.Key, payload []byte) ([]byte, error) { return payload, nil }
func (g gift) Lookup(context.Context, intent.Subject) intent.Finding {
	return intent.LookupUnsupported{}
}

func (g gift) Describe(intent.Act) intent.Description {
	return intent.Description{What: "gift", Noun: "gift"}
}

func (g gift) facts(args intent.Arguments) []intent.Fact {
	return []intent.Fact{{Name: "to", Value: string(args)}}
}
func (g gift) ticket() intent.Resource { return intent.Resource{Kind: "ticket", ID: "T-1"} }
func (g gift) Locate(args intent.Arguments) intent.Locator {
	return intent.Locator{Ticket: g.ticket(), Given: g.facts(args)}
}

func (g gift) Read(_ context.Context, args intent.Arguments) intent.Reading {
	return intent.Readable{Facts: g.facts(args), Spelled: g.facts(args), Resources: []intent.Resource{g.ticket()}, Payload: args}
}

func (g gift) Send(ctx context.Context, o intent.Order) intent.Answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, strings.NewReader(string(o.Request)))
	if err != nil {
		return intent.AnsweredNotSent{}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return intent.AnsweredAmbiguous{Detail: "no answer that proves anything"}
	}
	defer resp.Body.Close()
	return intent.AnsweredPerformed{Effect: intent.Effect{ID: resp.Header.Get("Gift-Id"), Status: "sent", Final: true}}
}

// The engine around somebody's own HTTP call: asked twice, sent once.
func Example() {
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Gift-Id", fmt.Sprintf("G-%d", sent.Add(1)))
	}))
	defer server.Close()
	engine, err := intent.New(intent.Options{
		Ledger: ledgertest.NewMemory("shop").Process("here"), Operations: []intent.Operation{gift{server.URL}},
		Now: time.Now, NewID: func() string { return "claim" },
		ProviderTimeout: 5 * time.Second, AnswerWithin: 20 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		r := engine.Do(context.Background(), "send_gift", intent.Arguments(`{"to":"B-2203"}`))
		fmt.Println(r.Outcome, r.ReplacementID)
	}
	fmt.Println("sent:", sent.Load())
	// Output:
	// performed G-1
	// already_performed G-1
	// sent: 1
}
