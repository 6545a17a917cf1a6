package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// step makes a step of the engine's out of a provider's port. The payload that
// the ledger keeps is the port's own value as JSON.
type step[T any] struct{ port provider.Writer[T] }

// Step is the engine's view of a port.
func Step[T any](port provider.Writer[T]) intent.Step { return step[T]{port} }

func (s step[T]) Provider() string                  { return s.port.Name() }
func (s step[T]) Capabilities() intent.Capabilities { return s.port.Capabilities() }

func (s step[T]) Request(key intent.Key, payload []byte) ([]byte, error) {
	v, err := decodePayload[T](payload)
	if err != nil {
		return nil, err
	}
	return s.port.Request(key, v)
}

// Send sends nothing where the payload cannot be read.
func (s step[T]) Send(ctx context.Context, order intent.Order) intent.Answer {
	v, err := decodePayload[T](order.Payload)
	if err != nil {
		return intent.AnsweredNotSent{Detail: "the stored act cannot be read"}
	}
	return s.port.Send(ctx, order, v)
}

func (s step[T]) Lookup(ctx context.Context, subject intent.Subject) intent.Finding {
	v, err := decodePayload[T](subject.Payload)
	if err != nil {
		return intent.LookupFailed{Detail: "the stored act cannot be read"}
	}
	return s.port.Lookup(ctx, subject, v)
}

func decodePayload[T any](payload []byte) (T, error) {
	var v T
	if err := json.Unmarshal(payload, &v); err != nil {
		return v, fmt.Errorf("read a stored act: %w", err)
	}
	return v, nil
}
