package sandbox

import (
	"fmt"
	"net/http"
	"time"

	"counterfoil/intent"
	"counterfoil/provider"
)

// refused is an answer by which nothing happened and, if it is permanent, never
// will.
type refused struct {
	permanent bool
	because   string // a clause for a reader
}

type verdict struct {
	status int
	code   string
}

// refusals are all answers that are refusals. Each is given before the
// marketplace acts, or by the provider in its own name. What is not here is
// ambiguous, whatever it is called: that a key is in use or was used with other
// bytes, that a booking was cancelled already, says nothing of this intent.
var refusals = map[verdict]refused{
	{http.StatusUnprocessableEntity, "refused_permanently"}: {true, "the provider will not do this"},
	{http.StatusTooManyRequests, "try_later"}:               {false, "the provider is busy"},
	{http.StatusConflict, "account_mismatch"}:               {false, "the sandbox was reset: restart counterfoil"},

	{http.StatusBadRequest, "invalid_request"}:            {true, "the provider does not take a request of this form"},
	{http.StatusRequestEntityTooLarge, "too_large"}:       {true, "the request is too large for the provider"},
	{http.StatusUnprocessableEntity, "invalid_amount"}:    {true, "the provider does not take this amount"},
	{http.StatusUnprocessableEntity, "invalid_units"}:     {true, "the order line does not have these units"},
	{http.StatusUnprocessableEntity, "invalid_date"}:      {true, "the provider does not take this date"},
	{http.StatusUnprocessableEntity, "currency_mismatch"}: {true, "the order is in another currency"},
	{http.StatusNotFound, "unknown_order"}:                {true, "the provider knows no such order"},
	{http.StatusNotFound, "unknown_item"}:                 {true, "the order has no such item"},
	{http.StatusNotFound, "unknown_ticket"}:               {true, "the provider knows no such ticket"},
	{http.StatusNotFound, "unknown_seller"}:               {true, "the provider knows no such seller"},
	{http.StatusNotFound, "unknown_buyer"}:                {true, "the provider knows no such buyer"},
	{http.StatusNotFound, "unknown_booking"}:              {true, "the courier knows no such booking"},
}

// ambiguities are the other answers that the marketplace is known to give, by
// the name under which the ledger keeps them.
var ambiguities = map[verdict]string{
	{http.StatusBadRequest, "idempotency_mismatch"}: "key used with another request",
	{http.StatusConflict, "idempotency_key_in_use"}: "key in use",
	{http.StatusConflict, "already_cancelled"}:      "already cancelled",
	{http.StatusNotFound, "lookup_unsupported"}:     "lookup unsupported",
}

// serverError is the marketplace's 500: its shape tells it from that of
// whatever else may stand in between.
var serverError = verdict{http.StatusInternalServerError, "server_error"}

// classify decides what a whole answer to a send of v proves.
func (w writer[T]) classify(r provider.Responded, key string, v T) intent.Answer {
	if r.Status == http.StatusOK || r.Status == http.StatusCreated {
		return w.performed(r, key, v)
	}
	given := verdictOf(r)
	if no, ok := refusals[given]; ok {
		return intent.AnsweredRefused{
			Permanent:  no.permanent,
			Code:       given.code,
			Because:    no.because,
			RetryAfter: w.retryAfter(r, no),
		}
	}
	return intent.AnsweredAmbiguous{
		Detail: describe(r),
		Stored: given == serverError && w.caps.ErrorsStored,
	}
}

// performed holds an answer of success to what was asked for: nothing that it
// leaves out or has otherwise is taken for granted.
func (w writer[T]) performed(r provider.Responded, key string, v T) intent.Answer {
	o, err := parseObject(r.Body)
	if err != nil {
		return intent.AnsweredAmbiguous{Detail: errForeign.Error()}
	}
	e, err := w.kind.effect(o)
	if err != nil {
		return intent.AnsweredAmbiguous{Detail: errForeign.Error()}
	}
	if w.kind.intent(o) != key || !w.kind.facts(o, v) {
		return intent.AnsweredAmbiguous{Detail: "answer for another request"}
	}
	return intent.AnsweredPerformed{Effect: e, Replayed: r.Header.Get("Idempotent-Replayed") == "true"}
}

func (w writer[T]) retryAfter(r provider.Responded, no refused) (d time.Duration) {
	if !no.permanent {
		d = w.api.http.RetryAfter(r.Header)
	}
	return d
}

// verdictOf is the status and, where the body is an error of the marketplace's
// form, its code.
func verdictOf(r provider.Responded) verdict {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if strictly(r.Body, &body, "error") != nil {
		return verdict{status: r.Status}
	}
	return verdict{status: r.Status, code: body.Error.Code}
}

// describe puts an answer that is no success into fixed words, for the ledger.
func describe(r provider.Responded) string {
	given := verdictOf(r)
	if word, ok := ambiguities[given]; ok {
		return word
	}
	if _, ok := refusals[given]; ok {
		return given.code
	}
	if r.Status >= 300 && r.Status < 400 {
		return "redirect"
	}
	return fmt.Sprintf("http %d", r.Status)
}
