package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// naive is the tool as it was: careful, ordinary, and wrong. It sends an
// idempotency key, as the provider's documentation asks; a fresh one per call.
type naive struct {
	url    string
	client *http.Client
	newID  func() string
}

// refund is what the tool tells the model.
func (n *naive) refund(ctx context.Context) json.RawMessage {
	body, err := json.Marshal(map[string]any{
		"ticket_id": ticketID, "order_id": orderID, "item_id": itemID, "amount_cents": cents, "currency": "USD",
	})
	if err != nil {
		return failed(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+"/v1/refunds", bytes.NewReader(body))
	if err != nil {
		return failed(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", n.newID())
	resp, err := n.client.Do(req)
	if err != nil {
		return json.RawMessage(`{"error": "refund failed: upstream timeout"}`)
	}
	defer resp.Body.Close()
	return succeeded(resp.Body)
}

// succeeded is what the model reads of a refund that was answered.
func succeeded(body io.Reader) json.RawMessage {
	var made struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	if err := json.NewDecoder(body).Decode(&made); err != nil {
		return failed(err)
	}
	return fmt.Appendf(nil, `{"refund_id": %q, "status": %q}`, made.ID, made.Status)
}

func failed(err error) json.RawMessage {
	return fmt.Appendf(nil, `{"error": %q}`, "refund failed: "+err.Error())
}

// before tells the incident as it was.
func (w *world) before(ctx context.Context) (h Half, err error) {
	if err := w.loseAnAnswer(ctx); err != nil {
		return h, err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	tool := &naive{url: w.url, newID: w.NewID, client: &http.Client{Timeout: timeout, Transport: transport}}

	h.happens(w.Now(), "The model asks the tool to refund $118.00.")
	h.pays("The provider pays refund %s. Its answer is lost.")
	first := tool.refund(ctx)
	h.reads(w.Now(), "The tool has waited long enough and gives up. The model reads:", first, string(first))
	h.happens(w.Now(), "It reads “failed”, so it asks again with the same arguments.")
	h.pays("The provider pays refund %s. The key is new to it.")
	second := tool.refund(ctx)
	h.reads(w.Now(), "The second request is answered. The model reads:", second, string(second))
	return h, errors.Join(w.look(ctx, &h), ctx.Err())
}
