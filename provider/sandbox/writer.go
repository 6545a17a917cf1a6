package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"counterfoil/intent"
	"counterfoil/provider"
)

// writer is the port of one kind of write.
type writer[T any] struct {
	api  *api
	caps intent.Capabilities
	kind kind[T]
}

func newWriter[T any](a *api, caps map[string]intent.Capabilities, k kind[T]) writer[T] {
	return writer[T]{api: a, caps: caps[k.collection], kind: k}
}

// Name is "sandbox".
func (writer[T]) Name() string { return name }

// Capabilities are what the marketplace declared when it was connected.
func (w writer[T]) Capabilities() intent.Capabilities { return w.caps }

// Request is the JSON body for v.
func (w writer[T]) Request(key intent.Key, v T) ([]byte, error) {
	body, err := json.Marshal(w.kind.body(key.String(), v))
	if err != nil {
		return nil, fmt.Errorf("write a request to %s: %w", w.kind.collection, err)
	}
	return body, nil
}

// Send posts the order's bytes once.
func (w writer[T]) Send(ctx context.Context, o intent.Order, v T) intent.Answer {
	if o.Key == "" || o.Intent.IsZero() {
		return intent.AnsweredNotSent{Detail: "no key"}
	}
	header := w.api.header()
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", o.Key)
	reply := w.api.http.Send(ctx, provider.Write{
		Method: http.MethodPost,
		URL:    w.api.base + w.kind.path(v),
		Header: header,
		Body:   o.Request,
		SendBy: o.SendBy,
	})
	switch reply := reply.(type) {
	case provider.NotSent:
		return intent.AnsweredNotSent(reply)
	case provider.Lost:
		return intent.AnsweredAmbiguous{Detail: reply.Detail}
	case provider.Responded:
		return w.classify(reply, o.Intent.String(), v)
	}
	return intent.AnsweredAmbiguous{Detail: "no answer"}
}
