package sandbox_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
)

func list(more bool, objects ...string) raw {
	return raw{status: 200, body: `{"data":[` + strings.Join(objects, ",") + `],"has_more":` + strconv.FormatBool(more) + `}`}
}

func TestLookup(t *testing.T) {
	t.Parallel()

	k := key("refund")
	at := time.Date(2026, time.March, 17, 14, 32, 8, 123e6, time.UTC)
	effect := func(id string) intent.Effect {
		return intent.Effect{ID: id, Cents: 11800, Currency: "USD", Status: "succeeded", Final: true, At: at}
	}
	one := theRefund(k.String())
	two := theRefund(k.String(), "re_1", "re_2")
	undone := theRefund(k.String(), "succeeded", "failed")
	undoneToo := theRefund(k.String(), "succeeded", "failed", "re_1", "re_2")
	gone := effect("re_2")
	gone.Status, gone.Undone = "failed", true
	theirs := theRefund(key("theirs").String(), "re_1", "re_9")
	less := theRefund(k.String(), "11800", "100", "re_1", "re_3")
	lesser := effect("re_3")
	lesser.Cents = 100
	failed := func(detail string) intent.Finding { return intent.LookupFailed{Detail: detail} }

	tests := map[string]struct {
		answers []raw
		known   string // the effect's id, where it is
		want    intent.Finding
	}{
		"found":                         {[]raw{list(false, one)}, "", intent.Found{Effect: effect("re_1")}},
		"absent":                        {[]raw{list(false)}, "", intent.Absent{}},
		"a list of all":                 {[]raw{list(false, theirs)}, "", intent.Absent{}},
		"among all":                     {[]raw{list(false, theirs, one)}, "", intent.Found{Effect: effect("re_1")}},
		"on the second page":            {[]raw{list(true, theirs), list(false, one)}, "", intent.Found{Effect: effect("re_1")}},
		"other facts":                   {[]raw{list(false, less)}, "", intent.FoundOther{Effect: lesser}},
		"other facts, after ours":       {[]raw{list(false, one, less)}, "", intent.FoundOther{Effect: lesser}},
		"other facts, on another page":  {[]raw{list(true, one), list(false, less)}, "", intent.FoundOther{Effect: lesser}},
		"two":                           {[]raw{list(false, one, two)}, "", intent.Found{Effect: effect("re_1")}},
		"two, one of which stands":      {[]raw{list(false, undone, two)}, "", intent.Found{Effect: effect("re_2")}},
		"two, one of which is known":    {[]raw{list(false, one, two)}, "re_2", intent.Found{Effect: effect("re_2")}},
		"the known one is undone":       {[]raw{list(false, undone, two)}, "re_1", intent.Found{Effect: effect("re_2")}},
		"both undone, one is known":     {[]raw{list(false, undone, undoneToo)}, "re_2", intent.Found{Effect: gone}},
		"two, neither of them is known": {[]raw{list(false, one, two)}, "re_7", intent.Found{Effect: effect("re_1")}},

		"cut off in the pages":  {[]raw{list(true, theirs), {status: 500}}, "", failed("http 500")},
		"the same page again":   {[]raw{list(true, theirs), list(true, theirs)}, "", failed("list not understood")},
		"more, and nothing":     {[]raw{list(true)}, "", failed("list not understood")},
		"an empty object":       {[]raw{{status: 200, body: `{}`}}, "", failed("foreign body")},
		"no data":               {[]raw{{status: 200, body: `{"data":null,"has_more":false}`}}, "", failed("foreign body")},
		"no word of more":       {[]raw{{status: 200, body: `{"data":[]}`}}, "", failed("foreign body")},
		"a bare list":           {[]raw{{status: 200, body: `[]`}}, "", failed("foreign body")},
		"an error, as a 200":    {[]raw{{status: 200, body: `{"error":{"code":"server_error"}}`}}, "", failed("foreign body")},
		"a page":                {[]raw{{status: 200, body: `<html>`}}, "", failed("foreign body")},
		"no body":               {[]raw{{status: 200}}, "", failed("foreign body")},
		"a line without an id":  {[]raw{list(false, `{"intent":"x","status":"succeeded","created_at":"y"}`)}, "", failed("list not understood")},
		"a line that is none":   {[]raw{list(false, `null`)}, "", failed("list not understood")},
		"ours, unknown status":  {[]raw{list(false, theRefund(k.String(), "succeeded", "lost"))}, "", failed("list not understood")},
		"ours, of another sort": {[]raw{list(false, theRefund(k.String(), "re_1", "ch_1"))}, "", failed("list not understood")},
		"204":                   {[]raw{{status: 204}}, "", failed("http 204")},
		"no such path":          {[]raw{{status: 404, body: `404 page not found`}}, "", failed("http 404")},
		"unsupported after all": {
			[]raw{{status: 404, body: `{"error":{"code":"lookup_unsupported","message":"m"}}`}}, "", failed("lookup unsupported"),
		},
		"redirect": {[]raw{{status: 302, header: map[string]string{"Location": "/v1/account"}}}, "", failed("redirect")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := fake(t, declaredByDefault, tt.answers...)
			got := m.Refunds.Lookup(t.Context(), intent.Subject{Intent: k, EffectID: tt.known}, aRefund)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("finding (-want +got):\n%s", diff)
			}
		})
	}
}

// A list that never ends is given up.
func TestLookupOfAnEndlessList(t *testing.T) {
	t.Parallel()

	var pages []raw
	for n := range 60 {
		pages = append(pages, list(true, theRefund(key("theirs").String(), "re_1", "re_"+strconv.Itoa(n))))
	}
	m, requests := fake(t, declaredByDefault, pages...)
	got := actOf(t, m.Refunds, aRefund).lookup(key("refund"))
	if diff := cmp.Diff(intent.Finding(intent.LookupFailed{Detail: "list too long"}), got); diff != "" {
		t.Errorf("finding (-want +got):\n%s", diff)
	}
	if n := requests.Load(); n != 20 {
		t.Errorf("%d pages were read, want 20", n)
	}
}

func TestLookupThatIsNotDeclared(t *testing.T) {
	t.Parallel()

	for _, word := range []string{`"none"`, `"webhook"`, `""`} {
		account := strings.Replace(declaredByDefault, `"read_after_write"`, word, 1)
		m, requests := fake(t, account, list(false))
		if got := actOf(t, m.Refunds, aRefund).lookup(key("refund")); got != (intent.LookupUnsupported{}) {
			t.Errorf("%s: %#v", word, got)
		}
		if n := requests.Load(); n != 0 {
			t.Errorf("%s: %d requests", word, n)
		}
	}
}

// The same text in another spelling is the same message, sent earlier.
func TestLookupComparesTextAsTheFactIs(t *testing.T) {
	t.Parallel()

	account := strings.Replace(declaredByDefault, "refunds", "messages", 1)
	k := key("message")
	sent := `{"id":"msg_1","to":"S-ASHCOMBE","ticket_id":"T-4127","text":"It  came\ncracked ","intent":"` + k.String() +
		`","status":"sent","created_at":"2026-03-17T14:32:08.123Z"}`
	m, _ := fake(t, account, list(false, sent))
	v := aMessage
	for text, want := range map[string]bool{"It came cracked": true, "It came broken": false} {
		v.Text = text
		if _, got := actOf(t, m.Messages, v).lookup(k).(intent.Found); got != want {
			t.Errorf("%q found: %v, want %v", text, got, want)
		}
	}
}
