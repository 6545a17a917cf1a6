package provider

import (
	"errors"
	"io"
	"net/http"
	"slices"
)

var (
	errUpgraded = errors.New("protocol switched")
	errEndless  = errors.New("body without a length")
	errTooLarge = errors.New("body too large")
)

// roundTrip sends the request and reads the answer to its end. It goes below
// http.Client, which follows redirects.
func roundTrip(t *http.Transport, req *http.Request) Reply {
	res, err := t.RoundTrip(req)
	if err != nil {
		return Lost{Detail: unanswered(err)}
	}
	defer res.Body.Close()
	body, err := readWhole(res)
	if err != nil {
		return Lost{Detail: cutOff(err)}
	}
	return Responded{Status: res.StatusCode, Header: res.Header, Body: body}
}

// readWhole reads the body to the end that its header announced. One that ends
// wherever the connection does cannot be told from one that was cut off.
func readWhole(res *http.Response) ([]byte, error) {
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		return nil, errUpgraded
	case res.ContentLength < 0 && !slices.Equal(res.TransferEncoding, []string{"chunked"}):
		return nil, errEndless
	case res.ContentLength > maxBody:
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	return body, err
}

func headerOf(given http.Header) http.Header {
	h := given.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "counterfoil")
	}
	return h
}
