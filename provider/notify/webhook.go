package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

const (
	// leastSecret is how short a webhook's secret may be, in bytes.
	leastSecret = 16
	// signedFor is how old a signature may be when its first byte leaves: a
	// machine may sleep in between.
	signedFor = 10 * time.Second
)

// WebhookOptions are what a webhook is made of.
type WebhookOptions struct {
	URL    string // https, or http on this machine
	Secret []byte // shared with the receiver, at least 16 bytes
	HTTP   *provider.Client
	Now    func() time.Time
}

// Webhook notifies by a signed POST.
type Webhook struct{ o WebhookOptions }

// NewWebhook makes a webhook. An error names no address: many a URL is a secret.
func NewWebhook(o WebhookOptions) (*Webhook, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return nil, errors.New("url must look like https://hooks.example.com/support")
	case u.User != nil:
		return nil, errors.New("url must not hold a user or a password")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("url must be https: http is for this machine only")
	case len(o.Secret) < leastSecret:
		return nil, fmt.Errorf("the secret has %d bytes, at least %d are needed", len(o.Secret), leastSecret)
	}
	return &Webhook{o}, nil
}

// Name is how a reader is told that this was the way.
func (*Webhook) Name() string { return "webhook" }

// Notify sends one request, or none. It returns nil once a 2xx has come back,
// with whatever body.
func (w *Webhook) Notify(ctx context.Context, e intent.Escalation) error {
	body, err := json.Marshal(notificationOf(e))
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	now := w.o.Now()
	reply := w.o.HTTP.Send(ctx, provider.Write{
		URL: w.o.URL, Body: body, SendBy: now.Add(signedFor), StatusAlone: true,
		Header: http.Header{
			"Content-Type":    {"application/json"},
			"Idempotency-Key": {e.Key.String()},
			SignatureHeader:   {sign(w.o.Secret, body, now)},
		},
	})
	switch r := reply.(type) {
	case provider.Responded:
		if r.Status/100 == 2 {
			return nil
		}
		return fmt.Errorf("webhook: answered with status %d", r.Status)
	case provider.NotSent:
		return fmt.Errorf("webhook: not sent: %s", r.Detail)
	case provider.Lost:
		return fmt.Errorf("webhook: it is not known whether it arrived: %s", r.Detail)
	}
	return errors.New("webhook: no reply")
}
