package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader bears the signature of a webhook.
const SignatureHeader = "Counterfoil-Signature"

// Tolerance is how far a signature's time may be from the receiver's clock.
const Tolerance = 5 * time.Minute

// What Verify refuses.
var (
	ErrNoSignature = errors.New("the signature is not of the form t=SECONDS,v1=HEX")
	ErrSignature   = errors.New("the signature is not that of this body")
	ErrTolerance   = errors.New("the signature's time is too far from now")
)

// sign is the signature header of a body at a time.
func sign(secret, body []byte, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(macOf(secret, t, body))
}

func macOf(secret []byte, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify is for the receiver: it reports whether the header signs the body under
// the secret, at a time within [Tolerance] of now. Of several v1, as while a
// secret is changed, one has to fit.
func Verify(secret []byte, header string, body []byte, now time.Time) error {
	t, signatures := parseSignature(header)
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || len(signatures) == 0 {
		return ErrNoSignature
	}
	if !anyEqual(macOf(secret, t, body), signatures) {
		return ErrSignature
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return ErrTolerance
	}
	return nil
}

// parseSignature takes a header apart; what it does not know is left out.
func parseSignature(header string) (t string, signatures [][]byte) {
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			t = value
		case "v1":
			if mac, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, mac)
			}
		}
	}
	return t, signatures
}

func anyEqual(mac []byte, signatures [][]byte) bool {
	equal := false
	for _, signature := range signatures {
		equal = hmac.Equal(mac, signature) || equal
	}
	return equal
}
