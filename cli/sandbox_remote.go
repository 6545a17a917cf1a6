package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"counterfoil/sandbox"
)

// maxAdminBody bounds what a sandbox may answer, in bytes.
const maxAdminBody = 64 << 20

// remoteBox is a sandbox in another process, over its HTTP API.
type remoteBox struct {
	base string
	http *http.Client
}

func newRemoteBox(url string) *remoteBox {
	return &remoteBox{base: strings.TrimRight(url, "/"), http: &http.Client{Timeout: 10 * time.Second}}
}

// AddFault sets a fault.
func (b *remoteBox) AddFault(ctx context.Context, f sandbox.Fault) error {
	body := map[string]any{
		"operation": f.Operation, "mode": f.Mode, "times": f.Times, "delay_ms": (f.Delay + time.Millisecond - 1).Milliseconds(),
	}
	err := b.do(ctx, http.MethodPost, "/admin/faults", body, nil)
	var refused *refusedError
	if errors.As(err, &refused) && refused.Code == "meaningless_fault" {
		return &sandbox.MeaninglessFaultError{Operation: f.Operation, Mode: f.Mode, Reason: refused.Message}
	}
	return err
}

// ClearFaults removes every fault.
func (b *remoteBox) ClearFaults(ctx context.Context) error {
	return b.do(ctx, http.MethodDelete, "/admin/faults", nil, nil)
}

// Reset restores the seed under another account.
func (b *remoteBox) Reset(ctx context.Context) error {
	return b.do(ctx, http.MethodPost, "/admin/reset", struct{}{}, nil)
}

// Account is the name of the instance.
func (b *remoteBox) Account(ctx context.Context) (string, error) {
	var about struct {
		Account string `json:"account"`
	}
	err := b.do(ctx, http.MethodGet, "/v1/account", nil, &about)
	return about.Account, err
}

// Effects is what has happened.
func (b *remoteBox) Effects(ctx context.Context) (sandbox.Books, error) {
	books := sandbox.Books{Effects: []sandbox.Effect{}, Sellers: []sandbox.SellerBalance{}}
	err := b.do(ctx, http.MethodGet, "/admin/effects", nil, &books)
	return books, err
}

// refusedError is a refusal of the sandbox's.
type refusedError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *refusedError) Error() string { return e.Message }

// do makes one request and reads its answer into to, where that is not nil.
func (b *remoteBox) do(ctx context.Context, method, path string, body, to any) error {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.base+path, send)
	if err != nil {
		return misused("sandbox URL %s: %w", b.base, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAdminBody))
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	if resp.StatusCode != http.StatusOK {
		return refusedWith(resp.StatusCode, text)
	}
	if to == nil {
		return nil
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("what answers at %s is no sandbox: %w", b.base, err)
	}
	return nil
}

func refusedWith(status int, text []byte) error {
	var envelope struct {
		Error refusedError `json:"error"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil || envelope.Error.Message == "" {
		return fmt.Errorf("the sandbox answered %d", status)
	}
	return &envelope.Error
}

func meaningless(err error) bool {
	var fault *sandbox.MeaninglessFaultError
	return errors.As(err, &fault)
}
