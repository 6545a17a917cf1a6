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

// roundTrip sends the request and reads the answer's body. It goes below
// http.Client, which follows redirects.
func roundTrip(t *http.Transport, req *http.Request, read func(*http.Response) ([]byte, error)) Reply {
	res, err := t.RoundTrip(req)
	if err != nil {
		return Lost{Detail: unanswered(err)}
	}
	defer res.Body.Close()
	body, err := read(res)
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

// maxDrained is how much of a body that nobody wants is taken, in bytes, so that
// its sender is not cut off in the middle of a short one.
const maxDrained = 64 << 10

// readNothing is for an answer whose status has said all. However its body ends,
// that stands.
func readNothing(res *http.Response) ([]byte, error) {
	if res.StatusCode == http.StatusSwitchingProtocols {
		return nil, errUpgraded
	}
	_, _ = io.CopyN(io.Discard, res.Body, maxDrained)
	return nil, nil
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
