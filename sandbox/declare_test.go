package sandbox_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/sandbox"
)

func TestParseDeclarations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		list string
		want map[string]string // nil: an error
	}{
		{"", map[string]string{}},
		{"refunds.dedupe=none,refunds.lookup=delayed:30s", map[string]string{"refunds.dedupe": "none", "refunds.lookup": "delayed:30s"}},
		{" messages.lookup = webhook , pickups.lands_within=2m", map[string]string{"messages.lookup": "webhook", "pickups.lands_within": "2m"}},
		{"escalations.errors_stored=false,replacements.dedupe=36h", map[string]string{"escalations.errors_stored": "false", "replacements.dedupe": "36h"}},
		{"refunds.lookup=none,refunds.lookup=none", nil},
		{"refunds.lookup", nil},
		{"refunds.lookup=", nil},
		{"refunds.lookup=soon", nil},
		{"refunds.lookup=delayed:", nil},
		{"refunds.lookup=delayed:-1s", nil},
		{"refunds.dedupe=0s", nil},
		{"refunds.dedupe=yes", nil},
		{"refunds.lands_within=fast", nil},
		{"refunds.errors_stored=1", nil},
		{"refunds.colour=red", nil},
		{"orders.lookup=none", nil},
		{"refunds.dedupe=none,", nil},
	}
	for _, tt := range tests {
		got, err := sandbox.ParseDeclarations(tt.list)
		if (err != nil) != (tt.want == nil) {
			t.Errorf("%q: error %v", tt.list, err)
		}
		if err == nil {
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q: -want +got:\n%s", tt.list, diff)
			}
		}
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "refunds.dedupe=none,messages.lookup=webhook,pickups.lands_within=5m,pickups.errors_stored=false")
	usual := map[string]any{"dedupe": "24h", "lookup": "read_after_write", "lands_within": "30s", "errors_stored": true}
	want := map[string]any{
		"refunds":      map[string]any{"dedupe": "none", "lookup": "read_after_write", "lands_within": "30s", "errors_stored": true},
		"messages":     map[string]any{"dedupe": "24h", "lookup": "webhook", "lands_within": "30s", "errors_stored": true},
		"pickups":      map[string]any{"dedupe": "24h", "lookup": "read_after_write", "lands_within": "5m", "errors_stored": false},
		"replacements": usual,
		"escalations":  usual,
	}
	r := m.get("/v1/account")
	if diff := cmp.Diff(want, r.body["capabilities"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := r.text("environment"); got != "sandbox" {
		t.Errorf("environment = %q", got)
	}
}

func TestLookupByIntent(t *testing.T) {
	t.Parallel()
	for _, a := range acts() {
		collection := map[string]string{
			"refund": "refunds", "message": "messages", "pickup": "pickups", "cancelled": "pickups",
			"replacement": "replacements", "escalation": "escalations",
		}[a.kind]
		for _, lookup := range []string{"none", "webhook"} {
			t.Run(a.operation+"/"+lookup, func(t *testing.T) {
				t.Parallel()
				m := newMarket(t, collection+".lookup="+lookup)
				a := a.prepared(m)
				a.do(m, "key-1")
				if got := summary(m.get(a.list)); got != "404 lookup_unsupported" {
					t.Errorf("by intent: %s", got)
				}
				if got := len(m.get("/v1/" + collection).data(t)); got != 1 {
					t.Errorf("the whole list has %d, want 1", got)
				}
			})
		}
		t.Run(a.operation+"/delayed", func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, collection+".lookup=delayed:30s")
			a := a.prepared(m)
			m.clock.move(time.Minute) // for the booking that is cancelled
			id := a.do(m, "key-1").text("id")
			m.clock.move(30*time.Second - 1)
			if got := a.listed(m); got != 0 {
				t.Errorf("%d shown before the delay, want 0", got)
			}
			if got := m.get("/v1/" + collection + "/" + id); got.status == 200 && got.text("status") != "booked" {
				t.Errorf("shown by its id before the delay: %s", got.raw)
			}
			m.clock.move(1)
			if got := a.listed(m); got != 1 {
				t.Errorf("%d shown after the delay, want 1", got)
			}
		})
	}
}
