package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"counterfoil/intent"
)

func TestClassify(t *testing.T) {
	t.Parallel()

	k := key("refund")
	whole := theRefund(k.String())
	ours := intent.Effect{
		ID: "re_1", Cents: 11800, Currency: "USD", Status: "succeeded", Final: true,
		At: time.Date(2026, time.March, 17, 14, 32, 8, 123e6, time.UTC),
	}
	changed := func(from, to string) raw {
		body := theRefund(k.String(), from, to)
		if body == whole {
			t.Fatalf("%s is not in the object", from)
		}
		return raw{status: 200, body: body}
	}
	failure := func(status int, code string) raw {
		return raw{status: status, body: `{"error":{"code":"` + code + `","message":"m"}}`}
	}
	ambiguous := func(detail string) intent.Answer { return intent.AnsweredAmbiguous{Detail: detail} }
	foreign, another := ambiguous("foreign body"), ambiguous("answer for another request")

	tests := map[string]struct {
		given raw
		want  intent.Answer
	}{
		"200":              {raw{status: 200, body: whole}, intent.AnsweredPerformed{Effect: ours}},
		"201":              {raw{status: 201, body: whole}, intent.AnsweredPerformed{Effect: ours}},
		"other spellings":  {changed("SU-88421", "su-88421"), intent.AnsweredPerformed{Effect: ours}},
		"one unit, unsaid": {changed(`"units":[1],`, ""), intent.AnsweredPerformed{Effect: ours}},
		"replayed": {
			raw{status: 200, body: whole, header: map[string]string{"Idempotent-Replayed": "true"}},
			intent.AnsweredPerformed{Effect: ours, Replayed: true},
		},

		"202":                 {raw{status: 202, body: whole}, ambiguous("http 202")},
		"204":                 {raw{status: 204}, ambiguous("http 204")},
		"another order":       {changed("SU-88421", "SU-90001"), another},
		"another item":        {changed("SHELF-OAK-4", "HOOK-OAK-2"), another},
		"no item":             {changed(`"item_id":"SHELF-OAK-4",`, ""), another},
		"another ticket":      {changed("T-4127", "T-4201"), another},
		"no ticket":           {changed(`"ticket_id":"T-4127",`, ""), another},
		"other units":         {changed("[1]", "[2]"), another},
		"more units":          {changed("[1]", "[1,2]"), another},
		"another amount":      {changed("11800", "11900"), another},
		"no amount":           {changed(`"cents":11800,`, ""), another},
		"another currency":    {changed("USD", "EUR"), another},
		"another intent":      {changed(k.String(), key("other").String()), another},
		"no intent":           {changed(k.String(), ""), another},
		"half a cent":         {changed("11800", "11800.5"), foreign},
		"amount as a string":  {changed("11800", `"11800"`), foreign},
		"no id":               {changed(`"id":"re_1",`, ""), foreign},
		"id of another sort":  {changed("re_1", "ch_1"), foreign},
		"an empty id":         {changed("re_1", "re_"), foreign},
		"id null":             {changed(`"re_1"`, "null"), foreign},
		"unknown status":      {changed("succeeded", "requires_action"), foreign},
		"no status":           {changed(`"status":"succeeded",`, ""), foreign},
		"no time":             {changed("2026-03-17T14:32:08.123Z", "yesterday"), foreign},
		"no body":             {raw{status: 200}, foreign},
		"an empty object":     {raw{status: 200, body: `{}`}, foreign},
		"null":                {raw{status: 200, body: `null`}, foreign},
		"a list":              {raw{status: 200, body: `[` + whole + `]`}, foreign},
		"half an object":      {raw{status: 200, body: whole[:len(whole)/2]}, foreign},
		"two objects":         {raw{status: 200, body: whole + whole}, foreign},
		"a page":              {raw{status: 200, body: `<html>Sign in to the network</html>`}, foreign},
		"not UTF-8":           {raw{status: 200, body: strings.Replace(whole, "cracked", "\xff", 1)}, foreign},
		"an error, as a 200":  {failure(200, "refused_permanently"), foreign},
		"redirect, kept":      {raw{status: 307, header: map[string]string{"Location": "/v1/account"}}, ambiguous("redirect")},
		"redirect to a page":  {raw{status: 302, header: map[string]string{"Location": "/"}}, ambiguous("redirect")},
		"not modified":        {raw{status: 304}, ambiguous("redirect")},
		"key in use":          {failure(409, "idempotency_key_in_use"), ambiguous("key in use")},
		"key of another":      {failure(400, "idempotency_mismatch"), ambiguous("key used with another request")},
		"already done":        {failure(409, "already_refunded"), ambiguous("http 409")},
		"exceeds":             {failure(422, "exceeds_remaining"), ambiguous("http 422")},
		"422 of a proxy":      {raw{status: 422, body: `blocked`}, ambiguous("http 422")},
		"429 of a proxy":      {raw{status: 429, body: `slow down`}, ambiguous("http 429")},
		"429, another code":   {failure(429, "rate_limited"), ambiguous("http 429")},
		"404 of a proxy":      {raw{status: 404, body: `404 page not found`}, ambiguous("http 404")},
		"no such path":        {failure(404, "not_found"), ambiguous("http 404")},
		"refusal, wrong code": {failure(400, "refused_permanently"), ambiguous("http 400")},
		"refusal, code only":  {raw{status: 422, body: `{"code":"refused_permanently"}`}, ambiguous("http 422")},
		"refusal, cut":        {raw{status: 422, body: `{"error":{"code":"refused_permanently"`}, ambiguous("http 422")},
		"401":                 {failure(401, "unauthorized"), ambiguous("http 401")},
		"403":                 {failure(403, "cross_origin"), ambiguous("http 403")},
		"408":                 {raw{status: 408}, ambiguous("http 408")},
		"500 of a proxy":      {raw{status: 500, body: `oops`}, ambiguous("http 500")},
		"502":                 {failure(502, "server_error"), ambiguous("http 502")},
		"503":                 {raw{status: 503, body: `{}`}, ambiguous("http 503")},
		"500":                 {failure(500, "server_error"), intent.AnsweredAmbiguous{Detail: "http 500", Stored: true}},

		"refused": {failure(422, "refused_permanently"), intent.AnsweredRefused{
			Permanent: true, Code: "refused_permanently", Because: "the provider will not do this",
		}},
		"refused for now": {
			raw{status: 429, body: failure(429, "try_later").body, header: map[string]string{"Retry-After": "7"}},
			intent.AnsweredRefused{Code: "try_later", Because: "the provider is busy", RetryAfter: 7 * time.Second},
		},
		"a refusal for good has no second time": {
			raw{status: 422, body: failure(422, "refused_permanently").body, header: map[string]string{"Retry-After": "7"}},
			intent.AnsweredRefused{Permanent: true, Code: "refused_permanently", Because: "the provider will not do this"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, requests := fake(t, declaredByDefault, tt.given)
			got := actOf(t, m.Refunds, aRefund).send(k, orderKey)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestErrorsThatAreNotStored(t *testing.T) {
	t.Parallel()

	for name, account := range map[string]string{
		"not declared":      strings.Replace(declaredByDefault, `,"errors_stored":true`, "", 1),
		"keys are not kept": strings.Replace(declaredByDefault, `"24h"`, `"none"`, 1),
		"nothing is":        `{"account":"sandbox-00","environment":"sandbox","capabilities":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := fake(t, account, raw{status: 500, body: `{"error":{"code":"server_error","message":"m"}}`})
			got := actOf(t, m.Refunds, aRefund).send(key("refund"), orderKey)
			if diff := cmp.Diff(intent.Answer(intent.AnsweredAmbiguous{Detail: "http 500"}), got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
