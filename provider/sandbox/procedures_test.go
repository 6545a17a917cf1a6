package sandbox_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"counterfoil/provider"
)

func TestSearchProcedures(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(open(t, nil))
	t.Cleanup(server.Close)
	m := connect(t, server.URL, nil)
	tests := map[string]struct {
		query string
		first string // "" where nothing matches
	}{
		"words":            {"damage in transit", "PR-DAMAGED"},
		"FTS5's own signs": {`lost AND "parcel* NEAR(`, "PR-LOST"},
		"a URL's signs":    {"charged&twice=?#%+/", "PR-CHARGED"},
		"300 characters":   {strings.Repeat("safety ", 43)[:300], "PR-SAFETY"},
		"nothing known":    {"submarine xylophone", ""},
		"no word":          {"?! 😡", ""},
		"nothing":          {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := m.Procedures.Search(t.Context(), tt.query)
			want := provider.Got
			if tt.first == "" {
				want = provider.Missing
			}
			if got.State != want || got.Detail != "" {
				t.Fatalf("%q %q, want %q", got.State, got.Detail, want)
			}
			if want == provider.Got && (got.Value[0].ID != tt.first || got.Value[0].Title == "" || got.Value[0].Text == "") {
				t.Errorf("first is %+v, want %s", got.Value[0], tt.first)
			}
		})
	}
}

func TestProceduresThatAreNotBelieved(t *testing.T) {
	t.Parallel()

	none := provider.Read[[]provider.Procedure]{State: provider.Missing}
	one := []provider.Procedure{{ID: "PR-1", Title: "t", Text: "x"}}
	tests := map[string]struct {
		given raw
		want  provider.Read[[]provider.Procedure]
	}{
		"whole": {
			raw{status: 200, body: `{"data":[{"id":"PR-1","title":"t","text":"x"}],"has_more":false}`},
			provider.Read[[]provider.Procedure]{State: provider.Got, Value: one},
		},
		"none":             {raw{status: 200, body: `{"data":[],"has_more":false}`}, none},
		"no word":          {raw{status: 400, body: `{"error":{"code":"invalid_request","message":"m"}}`}, none},
		"no list":          {raw{status: 200, body: `{"has_more":false}`}, unread("foreign body")},
		"a list of null":   {raw{status: 200, body: `{"data":null}`}, unread("foreign body")},
		"one without id":   {raw{status: 200, body: `{"data":[{"title":"t","text":"x"}]}`}, unread("foreign body")},
		"one without text": {raw{status: 200, body: `{"data":[{"id":"PR-1","title":"t"}]}`}, unread("foreign body")},
		"half of it":       {raw{status: 200, body: `{"data":[{"id":`}, unread("foreign body")},
		"400 of a proxy":   {raw{status: 400, body: "bad request"}, unread("http 400")},
		"an error":         {raw{status: 500}, unread("http 500")},
		"an older sandbox": {raw{status: 404, body: `{"error":{"code":"not_found","message":"m"}}`}, unread("http 404")},
		"after a reset":    {raw{status: 409, body: `{"error":{"code":"account_mismatch","message":"m"}}`}, unread("account_mismatch")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, requests := fake(t, declaredByDefault, tt.given)
			if diff := cmp.Diff(tt.want, m.Procedures.Search(t.Context(), "lost")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func unread(detail string) provider.Read[[]provider.Procedure] {
	return provider.Read[[]provider.Procedure]{Detail: detail}
}
