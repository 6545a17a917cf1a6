package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
	"counterfoil/provider"
	adapter "counterfoil/provider/sandbox"
)

func TestConnectReadsWhatIsDeclared(t *testing.T) {
	t.Parallel()

	s := open(t, map[string]string{
		"refunds.dedupe":             "none",
		"messages.lookup":            "none",
		"pickups.lookup":             "delayed:45s",
		"replacements.lookup":        "webhook",
		"replacements.errors_stored": "false",
		"escalations.lands_within":   "2m",
	})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	m := connect(t, server.URL+"/", nil)

	account, err := s.Account(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Account != account || m.Environment != "sandbox" || m.Real || m.Procedures == nil {
		t.Errorf("account %q (want %q), environment %q, real %v", m.Account, account, m.Environment, m.Real)
	}
	byDefault := intent.Capabilities{
		Dedupe: 24 * time.Hour, ErrorsStored: true, Lookup: intent.LookupReadAfterWrite, LandsWithin: 30 * time.Second,
	}
	but := func(change func(*intent.Capabilities)) intent.Capabilities {
		c := byDefault
		change(&c)
		return c
	}
	delayed := but(func(c *intent.Capabilities) { c.Lookup, c.LookupDelay = intent.LookupDelayed, 45*time.Second })
	tests := map[string]struct{ got, want intent.Capabilities }{
		"refunds": {
			m.Refunds.Capabilities(),
			but(func(c *intent.Capabilities) { c.Dedupe, c.ErrorsStored = 0, false }),
		},
		"messages":      {m.Messages.Capabilities(), but(func(c *intent.Capabilities) { c.Lookup = intent.LookupNone })},
		"pickups":       {m.Pickups.Capabilities(), delayed},
		"cancellations": {m.Cancellations.Capabilities(), delayed},
		"replacements": {
			m.Replacements.Capabilities(),
			but(func(c *intent.Capabilities) { c.Lookup, c.ErrorsStored = intent.LookupWebhook, false }),
		},
		"escalations": {m.Desk.Capabilities(), but(func(c *intent.Capabilities) { c.LandsWithin = 2 * time.Minute })},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWhatConnectDoesNotTake(t *testing.T) {
	t.Parallel()

	but := func(from, to string) raw {
		return raw{status: 200, body: strings.Replace(declaredByDefault, from, to, 1)}
	}
	for name, given := range map[string]raw{
		"an error":              {status: 500, body: `{"error":{"code":"server_error","message":"m"}}`},
		"a page":                {status: 200, body: `<html>`},
		"nothing":               {status: 200, body: `{}`},
		"a live account":        but(`"sandbox",`, `"live",`),
		"a path for an account": but("sandbox-00", "sandbox-../../x"),
		"no account":            but("sandbox-00", ""),
		"an unknown lookup":     but("read_after_write", "sometimes"),
		"a delay of nothing":    but("read_after_write", "delayed:0s"),
		"a delay unsaid":        but("read_after_write", "delayed:"),
		"no duration":           but("24h", "a day"),
		"less than no time":     but("30s", "-30s"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { given.write(w) }))
			defer s.Close()
			c := provider.NewClient(time.Now, provider.Options{})
			defer c.Close()
			if m, err := adapter.Connect(t.Context(), adapter.Options{BaseURL: s.URL, HTTP: c}); err == nil {
				t.Errorf("connected to %q", m.Account)
			}
		})
	}
}

func TestConnectChecksTheURL(t *testing.T) {
	t.Parallel()

	c := provider.NewClient(time.Now, provider.Options{})
	for _, url := range []string{"", "127.0.0.1:80", "ftp://host", "http://", "http://host?x=1", "http://host#x", "http://%zz"} {
		if _, err := adapter.Connect(t.Context(), adapter.Options{BaseURL: url, HTTP: c}); err == nil {
			t.Errorf("connected to %q", url)
		}
	}
}
