package notify_test

import (
	"errors"
	"testing"
	"time"

	"counterfoil/provider/notify"
)

// The expected value was made with openssl, as the package's recipe says.
func TestVerify(t *testing.T) {
	t.Parallel()
	const (
		secret = "correct horse battery staple"
		body   = `{"id":"cf1_x"}`
		mac    = "acd2a588ab879761d14db5b7f5f2ac38aeffbc87ee43dfb400baf0ae32ff03a6"
		header = "t=1773757927,v1=" + mac
	)
	tests := map[string]struct {
		secret, header, body string
		late                 time.Duration
		want                 error
	}{
		"as it was sent":            {secret, header, body, 0, nil},
		"just in time":              {secret, header, body, 5 * time.Minute, nil},
		"a clock that goes slow":    {secret, header, body, -5 * time.Minute, nil},
		"too late":                  {secret, header, body, 5*time.Minute + time.Second, notify.ErrTolerance},
		"from the future":           {secret, header, body, -5*time.Minute - time.Second, notify.ErrTolerance},
		"another secret":            {"another", header, body, 0, notify.ErrSignature},
		"another body":              {secret, header, body + " ", 0, notify.ErrSignature},
		"another time":              {secret, "t=1773757928,v1=" + mac, body, 0, notify.ErrSignature},
		"a time spelled otherwise":  {secret, "t=01773757927,v1=" + mac, body, 0, notify.ErrSignature},
		"cut short":                 {secret, header[:len(header)-2], body, 0, notify.ErrSignature},
		"while a secret is changed": {secret, "t=1773757927,v1=00ff,v1=" + mac, body, 0, nil},
		"with what is to come":      {secret, "t=1773757927, v1=" + mac + ", v2=x", body, 0, nil},
		"no header":                 {secret, "", body, 0, notify.ErrNoSignature},
		"no time":                   {secret, "v1=" + mac, body, 0, notify.ErrNoSignature},
		"no signature":              {secret, "t=1773757927", body, 0, notify.ErrNoSignature},
		"no hexadecimal":            {secret, "t=1773757927,v1=zz", body, 0, notify.ErrNoSignature},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := notify.Verify([]byte(tt.secret), tt.header, []byte(tt.body), now.Add(tt.late))
			if !errors.Is(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
